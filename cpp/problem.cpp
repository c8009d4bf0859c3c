#include "problem.h"

#include <algorithm>

namespace hcvrp {

namespace {
// The referee allows a relative 1e-9 over capacity (CAPACITY_TOLERANCE); the core takes half of
// it, so that loads summed in another order still pass.
constexpr double capacity_tolerance = 0.5e-9;
}  // namespace

Problem::Problem(std::vector<Point> points, Metric metric, const double* matrix,
                 std::vector<double> demand, std::vector<double> capacity,
                 std::vector<double> speed, Run& run)
    : customers_(demand.size()), points_(std::move(points)), metric_(metric), matrix_(matrix),
      demand_(std::move(demand)), capacity_(std::move(capacity)), speed_(std::move(speed)) {
    demand_.insert(demand_.begin(), 0.0);
    for (double& q : capacity_) q *= 1 + capacity_tolerance;
    largest_capacity_ = *std::max_element(capacity_.begin(), capacity_.end());
    // Between the two tolerances a customer passes the referee alone: it fills a largest vehicle.
    for (double& q : demand_) q = std::min(q, largest_capacity_);
    for (double f : speed_) pace_.push_back(1 / f);
    if (matrix_) {
        symmetric_ = is_symmetric(run);
    } else if (customers_ < table_limit) {
        fill_table(run);
    }
}

// The memory is left as it comes: clearing 72 MB first would take longer than hearing a
// cancellation may.
void Problem::fill_table(Run& run) {
    const std::size_t nodes = customers_ + 1;
    table_ = std::make_unique_for_overwrite<double[]>(nodes * nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        run.check();
        double* row = table_.get() + i * nodes;
        for (std::size_t j = 0; j < nodes; ++j) row[j] = metric_(points_[i], points_[j]);
    }
    matrix_ = table_.get();
}

bool Problem::is_symmetric(Run& run) const {
    for (int i = 0; i <= customers(); ++i) {
        run.check();
        for (int j = 0; j < i; ++j)
            if (distance(i, j) != distance(j, i)) return false;
    }
    return true;
}

double Problem::length(const Trip& trip) const {
    double total = 0;
    int last = 0;
    for (int node : trip) {
        total += distance(last, node);
        last = node;
    }
    return total + distance(last, 0);
}

double Problem::load(const Trip& trip) const {
    double total = 0;
    for (int node : trip) total += demand_[node];
    return total;
}

double Problem::vehicle_time(int vehicle, const std::vector<Trip>& trips) const {
    double total = 0;
    for (const Trip& trip : trips) total += length(trip);
    return total / speed_[vehicle];
}

double Problem::cost(const Routes& routes, Objective objective) const {
    double worst = 0, sum = 0;
    for (int v = 0; v < vehicles(); ++v) {
        const double time = vehicle_time(v, routes[v]);
        worst = std::max(worst, time);
        sum += time;
    }
    return objective == Objective::min_max ? worst : sum;
}

}  // namespace hcvrp
