#include "problem.h"

#include <algorithm>

namespace hcvrp {

namespace {
// The referee allows a relative 1e-9 over capacity (CAPACITY_TOLERANCE); the core takes half of
// it, so that loads summed in another order still pass.
constexpr double capacity_tolerance = 0.5e-9;
}  // namespace

Problem::Problem(std::size_t customers, const double* points, const double* matrix,
                 std::vector<double> demand, std::vector<double> capacity,
                 std::vector<double> speed)
    : customers_(customers), matrix_(matrix), demand_(std::move(demand)),
      capacity_(std::move(capacity)), speed_(std::move(speed)) {
    demand_.insert(demand_.begin(), 0.0);
    for (double& q : capacity_) q *= 1 + capacity_tolerance;
    // A single demand may use up the referee's whole tolerance.
    double& largest = *std::max_element(capacity_.begin(), capacity_.end());
    largest = std::max(largest, *std::max_element(demand_.begin(), demand_.end()));
    largest_capacity_ = largest;
    for (double f : speed_) pace_.push_back(1 / f);
    if (!matrix_) {
        for (std::size_t i = 0; i <= customers_; ++i) {
            x_.push_back(points[2 * i]);
            y_.push_back(points[2 * i + 1]);
        }
        if (customers_ < table_limit) fill_table();
    } else {
        symmetric_ = is_symmetric();
    }
}

void Problem::fill_table() {
    const std::size_t nodes = customers_ + 1;
    table_.resize(nodes * nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            table_[i * nodes + j] = std::hypot(x_[i] - x_[j], y_[i] - y_[j]);
    matrix_ = table_.data();
}

bool Problem::is_symmetric() const {
    for (int i = 0; i <= customers(); ++i)
        for (int j = 0; j < i; ++j)
            if (distance(i, j) != distance(j, i)) return false;
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
