// Clarke & Wright (1964) savings for mixed fleets with many trips per vehicle.
#pragma once

#include "problem.h"

namespace hcvrp {

// The best of several constructions. Min-sum: each distinct capacity as the limit on a trip's
// load. Min-max: trips of all sizes, as many of each as the vehicles that can carry them have time
// for. Throws RunOver when `run` ends first.
Routes savings(const Problem& problem, Objective objective, Run& run);

// Trips to vehicles, longest trip first. Min-max: to the eligible vehicle that would finish it
// first, those with the fewest eligible vehicles before all others. Min-sum: to the fastest
// eligible vehicle, the least busy among equals.
Routes assign_longest_first(const Problem& problem, std::vector<Trip> trips, Objective objective);

}  // namespace hcvrp
