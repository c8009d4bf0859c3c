// A random feasible solution to start from.
#pragma once

#include "problem.h"
#include "rng.h"

namespace hcvrp::baselines {

// Customers in random order, cut into trips that each fill a random vehicle, the trips then
// assigned longest first.
Routes random_routes(const Problem& problem, Objective objective, Rng& rng);

}  // namespace hcvrp::baselines
