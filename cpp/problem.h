// The problem as the core sees it: node 0 is the depot, nodes 1…n are customers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "routes.h"
#include "run.h"

namespace hcvrp {

struct Point {
    double x, y, z;
};

// How points become distances: along the straight line between them or, on a sphere of that
// diameter around the origin, along its surface.
struct Metric {
    double diameter = 0;  // 0: straight

    double operator()(double dx, double dy, double dz) const {
        const double straight = std::sqrt(dx * dx + dy * dy + dz * dz);
        if (diameter == 0) return straight;
        return diameter * std::asin(std::min(1.0, straight / diameter));
    }
    double operator()(const Point& a, const Point& b) const {
        return (*this)(a.x - b.x, a.y - b.y, a.z - b.z);
    }
};

class Problem {
public:
    // Distances come from `matrix` ((n+1)², row-major, outliving this object) or, when it is
    // null, from `points`: as a table up to `table_limit` nodes, on the fly beyond, so that ten
    // thousand customers need no 800 MB. Throws RunOver when `run` ends before all is done.
    Problem(std::vector<Point> points, Metric metric, const double* matrix,
            std::vector<double> demand, std::vector<double> capacity, std::vector<double> speed,
            Run& run);

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
        return metric_(points_[from], points_[to]);
    }

    // The full table by rows, or null.
    const double* table() const { return matrix_; }
    // By node, where they tell the distances; otherwise none.
    const std::vector<Point>& points() const { return points_; }
    const Metric& metric() const { return metric_; }

    double length(const Trip& trip) const;
    double load(const Trip& trip) const;
    double vehicle_time(int vehicle, const std::vector<Trip>& trips) const;
    double cost(const Routes& routes, Objective objective) const;

    static constexpr std::size_t table_limit = 3000;

private:
    void fill_table(Run& run);
    bool is_symmetric(Run& run) const;

    std::size_t customers_;
    std::vector<Point> points_;
    Metric metric_;
    const double* matrix_;
    std::unique_ptr<double[]> table_;
    std::vector<double> demand_;    // by node; the depot's is 0
    std::vector<double> capacity_;  // by vehicle, with the referee's tolerance
    std::vector<double> speed_, pace_;
    double largest_capacity_ = 0;
    bool symmetric_ = true;
};

}  // namespace hcvrp
