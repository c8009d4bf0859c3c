#include "sum_cost.h"

#include <algorithm>
#include <limits>

#include "fleet_limits.h"
#include "savings.h"

namespace hcvrp {

SumCost::SumCost(const Problem& problem) : problem_(problem) {
    const std::vector<double> limits = load_limits_of(problem);
    for (int v = 0; v < problem.vehicles(); ++v) classes_.push_back({limits[v], problem.pace(v)});
    std::sort(classes_.begin(), classes_.end(),
              [](const Class& a, const Class& b) { return a.capacity > b.capacity; });
    double fastest = std::numeric_limits<double>::infinity();
    std::erase_if(classes_, [&](const Class& c) {
        const bool hidden = c.pace >= fastest;
        fastest = std::min(fastest, c.pace);
        return hidden;
    });
    std::reverse(classes_.begin(), classes_.end());
    largest_ = classes_.back().capacity;
}

std::vector<double> SumCost::limits() const {
    std::vector<double> limits;
    for (const Class& c : classes_) limits.push_back(c.capacity);
    return limits;
}

void SumCost::changed(Plan& plan, int trip, const Slot& before) {
    Slot& slot = plan.slot(trip);
    const int k = class_of(slot.load, 0);
    if (k != slot.vehicle) plan.assign(trip, k);
    const bool last = k + 1 == static_cast<int>(classes_.size());
    slot.price = slot.length * classes_[k].pace;
    slot.step = last || slot.size == 0 ? std::numeric_limits<double>::infinity()
                                       : slot.length * classes_[k + 1].pace - slot.price;
    total_ += slot.price - before.price;
}

void SumCost::reset(Plan& plan) {
    total_ = 0;
    for (int t = 0; t < plan.trips(); ++t) {
        Slot before = plan.slot(t);
        before.price = 0;
        changed(plan, t, before);
    }
    keep();
}

Routes SumCost::routes(const Snapshot& snapshot) const {
    return assign_longest_first(problem_, snapshot.trips, Objective::min_sum);
}

}  // namespace hcvrp
