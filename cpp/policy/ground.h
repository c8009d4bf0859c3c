// What the network is told of an instance, in the instance's own units (docs/methods/fleet.md).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "matrix.h"
#include "network.h"
#include "problem.h"

namespace hcvrp::policy {

// Read-only, for all views of the instance and all rollouts.
class Ground {
public:
    // `points` ((n+1) × 2) lie in the unit square; distances divided by `scale` are what the
    // network sees between them. Without one it is fitted: see `scale` in layout.py.
    Ground(const Problem& problem, Objective objective, const double* points,
           std::optional<double> scale);

    int nodes() const { return problem.customers() + 1; }
    int vehicles() const { return problem.vehicles(); }

    // Features of the tokens under one of the eight symmetries of the square: bit 0 mirrors x,
    // bit 1 mirrors y, bit 2 swaps them.
    std::vector<double> depot(int view) const;
    Matrix customers(int view) const;
    Matrix fleet() const;

    const Problem& problem;
    const Objective objective;
    double scale, length, gap, time;  // units, on the scale of the points; time is work
    double mean_demand;
    std::vector<double> demand, gaps, work;          // by node, 0 at the depot
    std::vector<std::array<double, 3>> shares;       // by node: of demand, work and customers
    std::vector<double> strength;                    // by vehicle, of Σ Q s
    Matrix near, far, fixed;                         // see PairTerms

private:
    double distance(int from, int to) const { return problem.distance(from, to) / scale; }
    std::array<double, 2> from_depot(int node, int view) const;
    void measure_lengths();
    void measure_work();
    void tabulate();

    std::vector<double> points_;
    double largest_, total_capacity_, smallest_, pace_, throughput_;
};

}  // namespace hcvrp::policy
