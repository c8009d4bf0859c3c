// Solutions put together from lists of whole vehicle plans.
#pragma once

#include <limits>
#include <vector>

#include "plan_pricing.h"

namespace hcvrp::exact {

// One vehicle: what its plans are worth at most, those of them worth nearly as much, and its speed.
struct PlanChoice {
    const PlanPricing* pricing;
    const PlanList* list;
    double ceiling;
    double speed;
};

struct JoinedPlans {
    double time = std::numeric_limits<double>::infinity();  // of the slowest vehicle
    std::vector<std::vector<int>> trips;  // by vehicle, numbers in its list; empty: none found
    bool complete = false;                // whether there is proof that nothing is faster
};

// The fastest solution within `limit` whose plans together miss their ceilings by at most
// `allowance`. All plans but one miss theirs by half of that or less (two that missed it by more
// would be too many): those come from the lists, the one that misses most is what is left over.
// Vehicles that are alike stand side by side and share pricing and list.
JoinedPlans join_plans(const std::vector<PlanChoice>& vehicles, const PlanCustomers& everyone,
                       double allowance, double limit, Run& run);

}  // namespace hcvrp::exact
