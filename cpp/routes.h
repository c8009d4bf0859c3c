// What an answer is: trips by vehicle. Node 0 is the depot, nodes 1…n are customers.
#pragma once

#include <vector>

namespace hcvrp {

enum class Objective { min_max, min_sum };

using Trip = std::vector<int>;
// routes[v] holds the trips of vehicle v.
using Routes = std::vector<std::vector<Trip>>;

}  // namespace hcvrp
