// The problem as the core sees it: node 0 is the depot, nodes 1…n are customers.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace hcvrp {

enum class Objective { min_max, min_sum };

using Trip = std::vector<int>;
// routes[v] holds the trips of vehicle v.
using Routes = std::vector<std::vector<Trip>>;

class Problem {
public:
    // Distances come from `matrix` ((n+1)², row-major, outliving this object) or, when it is
    // null, from planar coordinates `points` ((n+1) × 2): as a table up to `table_limit` nodes,
    // on the fly beyond, so that ten thousand customers need no 800 MB.
    Problem(std::size_t customers, const double* points, const double* matrix,
            std::vector<double> demand, std::vector<double> capacity, std::vector<double> speed);

    int customers() const { return static_cast<int>(customers_); }
    int vehicles() const { return static_cast<int>(capacity_.size()); }
    bool symmetric() const { return symmetric_; }

    double demand(int node) const { return demand_[node]; }
    // Largest load that the referee accepts on one trip of the vehicle.
    double capacity(int vehicle) const { return capacity_[vehicle]; }
    double largest_capacity() const { return largest_capacity_; }
    double speed(int vehicle) const { return speed_[vehicle]; }
    // Time per unit of distance.
    double pace(int vehicle) const { return pace_[vehicle]; }

    double distance(int from, int to) const {
        if (matrix_) return matrix_[static_cast<std::size_t>(from) * (customers_ + 1) + to];
        return std::hypot(x_[from] - x_[to], y_[from] - y_[to]);
    }

    // The full table by rows, or null; then the coordinates, by node, tell all distances.
    const double* table() const { return matrix_; }
    const double* x() const { return x_.data(); }
    const double* y() const { return y_.data(); }

    double length(const Trip& trip) const;
    double load(const Trip& trip) const;
    double vehicle_time(int vehicle, const std::vector<Trip>& trips) const;
    double cost(const Routes& routes, Objective objective) const;

    static constexpr std::size_t table_limit = 3000;

private:
    void fill_table();
    bool is_symmetric() const;

    std::size_t customers_;
    const double* matrix_;
    std::vector<double> table_;
    std::vector<double> x_, y_;
    std::vector<double> demand_;    // by node; the depot's is 0
    std::vector<double> capacity_;  // by vehicle, with the referee's tolerance
    std::vector<double> speed_, pace_;
    double largest_capacity_ = 0;
    bool symmetric_ = true;
};

}  // namespace hcvrp
