// The load a search may put on one trip of each vehicle.
#pragma once

#include <algorithm>
#include <vector>

#include "problem.h"

namespace hcvrp {

// A hair below the capacity, so that a load summed in another order never exceeds it; but never
// below the largest demand, which may fill a vehicle to the brim on its own.
inline std::vector<double> load_limits_of(const Problem& problem) {
    double largest = 0;
    for (int c = 1; c <= problem.customers(); ++c) largest = std::max(largest, problem.demand(c));
    std::vector<double> limits;
    for (int v = 0; v < problem.vehicles(); ++v) {
        const double capacity = problem.capacity(v), reduced = capacity * (1 - 1e-12);
        limits.push_back(largest <= capacity ? std::max(reduced, largest) : reduced);
    }
    return limits;
}

}  // namespace hcvrp
