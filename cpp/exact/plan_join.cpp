#include "plan_join.h"

#include <algorithm>

namespace hcvrp::exact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-7;     // in sums of prices
constexpr double better = 1 - 1e-9;   // a faster solution is faster by this factor

class PlanJoin {
public:
    PlanJoin(const std::vector<PlanChoice>& vehicles, double allowance, double limit, Run& run)
        : vehicles_(vehicles), allowance_(allowance), limit_(limit), run_(run),
          chosen_(vehicles.size()) {}

    JoinedPlans run(const PlanCustomers& everyone) {
        joined_.complete = true;
        for (std::size_t last = 0; last < vehicles_.size() && joined_.complete; ++last) {
            if (last > 0 && alike(last, last - 1)) continue;
            order_.clear();
            for (std::size_t v = 0; v < vehicles_.size(); ++v)
                if (v != last) order_.push_back(v);
            order_.push_back(last);
            joined_.complete = extend(0, everyone, 0, 0, 0);
        }
        return std::move(joined_);
    }

private:
    bool alike(std::size_t a, std::size_t b) const {
        return vehicles_[a].list == vehicles_[b].list;
    }

    // Gives the vehicles from `depth` on plans for the customers that are left. So far plans miss
    // `missed` in all and `most` at most; the last one is to miss no less than that.
    bool extend(std::size_t depth, const PlanCustomers& left, double missed, double most,
                std::size_t from) {
        if (depth + 1 == order_.size()) {
            finish(left, most);
            return true;
        }
        const std::size_t v = order_[depth];
        const PlanChoice& vehicle = vehicles_[v];
        const auto& plans = vehicle.list->plans;
        for (std::size_t k = from; k < plans.size(); ++k) {
            const double miss = vehicle.ceiling - plans[k].value;
            const double greatest = std::max(most, miss);
            if (missed + miss + greatest > allowance_) break;
            if (!plans[k].set.within(left) || plans[k].length > limit_ * vehicle.speed) continue;
            if (run_.over(0, infinity)) return false;
            chosen_[v] = plans[k].set;
            // Of vehicles that are alike the next has a later plan: the order does not matter.
            const bool same = alike(v, order_[depth + 1]);
            if (!extend(depth + 1, left.without(plans[k].set), missed + miss, greatest,
                        same ? k : 0))
                return false;
        }
        return true;
    }

    void finish(const PlanCustomers& left, double most) {
        const std::size_t v = order_.back();
        const double worth = vehicles_[v].pricing->worth(left);
        if (vehicles_[v].ceiling - worth < most - rounding) return;
        if (!can_serve(vehicles_[v], left, worth)) return;
        chosen_[v] = left;
        accept();
    }

    bool can_serve(const PlanChoice& vehicle, const PlanCustomers& set, double worth) const {
        double length = limit_ * vehicle.speed;
        const PlanList& list = *vehicle.list;
        if (worth <= list.threshold + rounding)
            return set.empty() || !vehicle.pricing->shortest(set, length).empty();
        const auto at = list.place.find(set);
        return at != list.place.end() && list.plans[at->second].length <= length;
    }

    void accept() {
        joined_.trips.clear();
        joined_.time = 0;
        for (std::size_t v = 0; v < vehicles_.size(); ++v) {
            double length = infinity;
            joined_.trips.push_back(vehicles_[v].pricing->shortest(chosen_[v], length));
            if (!chosen_[v].empty())
                joined_.time = std::max(joined_.time, length / vehicles_[v].speed);
        }
        limit_ = std::min(limit_, joined_.time) * better;
    }

    const std::vector<PlanChoice>& vehicles_;
    double allowance_, limit_;
    Run& run_;
    std::vector<std::size_t> order_;     // of the vehicles, the one left over last
    std::vector<PlanCustomers> chosen_;  // by vehicle
    JoinedPlans joined_;
};

}  // namespace

JoinedPlans join_plans(const std::vector<PlanChoice>& vehicles, const PlanCustomers& everyone,
                       double allowance, double limit, Run& run) {
    return PlanJoin(vehicles, allowance, limit, run).run(everyone);
}

}  // namespace hcvrp::exact
