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
          chosen_(vehicles.size()), trips_(vehicles.size() + 1) {}

    JoinedPlans run(const PlanCustomers& everyone) {
        joined_.complete = true;
        for (std::size_t last = 0; last < vehicles_.size() && joined_.complete; ++last) {
            if (last > 0 && alike(last, last - 1)) continue;
            order_.clear();
            for (std::size_t v = 0; v < vehicles_.size(); ++v)
                if (v != last) order_.push_back(v);
            order_.push_back(last);
            trips_[0] = vehicles_[last].pricing->everything();
            joined_.complete = extend(0, {everyone, 0, 0, 0}, 0);
        }
        return std::move(joined_);
    }

private:
    bool alike(std::size_t a, std::size_t b) const {
        return vehicles_[a].list == vehicles_[b].list;
    }

    struct Partial {
        PlanCustomers left;
        double missed, most;  // by the plans so far: in all, and by one at most
        double time;          // of the slowest
    };

    // Gives the vehicles from `depth` on plans for the customers that are left, the last one a plan
    // that misses its ceiling by no less than any other. The first vehicle may choose its plans
    // `from` one on.
    bool extend(std::size_t depth, const Partial& so_far, std::size_t from) {
        if (depth + 1 == order_.size()) {
            finish(depth, so_far);
            return true;
        }
        if (depth > 0) select_trips(depth, so_far.left);
        const std::size_t v = order_[depth];
        const PlanChoice& vehicle = vehicles_[v];
        const auto& plans = vehicle.list->plans;
        // Of vehicles that are alike the next has a later plan: their order does not matter.
        const bool same = alike(v, order_[depth + 1]);
        for (std::size_t k = from; k < plans.size(); ++k) {
            const ListedPlan& plan = plans[k];
            const double miss = vehicle.ceiling - plan.value;
            const double most = std::max(so_far.most, miss);
            if (so_far.missed + miss + most > allowance_) break;
            if (!plan.set.within(so_far.left)) continue;
            const double time = std::max(so_far.time, plan.length / vehicle.speed);
            if (time > limit_) continue;
            if (run_.over(0, infinity)) return false;
            const Partial next{so_far.left.without(plan.set), so_far.missed + miss, most, time};
            chosen_[v] = plan.set;
            if (!extend(depth + 1, next, same ? k : 0)) return false;
        }
        return true;
    }

    void finish(std::size_t depth, const Partial& so_far) {
        const PlanCustomers& left = so_far.left;
        const std::size_t v = order_.back();
        const double worth = vehicles_[v].pricing->worth(left);
        if (vehicles_[v].ceiling - worth < so_far.most - rounding) return;
        const bool listed = worth > vehicles_[v].list->threshold + rounding;
        if (!(listed ? is_listed(v, left) : is_possible(v, depth, left))) return;
        chosen_[v] = left;
        accept();
    }

    bool is_listed(std::size_t v, const PlanCustomers& set) const {
        const PlanList& list = *vehicles_[v].list;
        const auto at = list.place.find(set);
        return at != list.place.end() && list.plans[at->second].length <= limit_ * vehicles_[v].speed;
    }

    bool is_possible(std::size_t v, std::size_t depth, const PlanCustomers& set) {
        if (set.empty()) return true;
        if (depth > 0) select_trips(depth, set);
        double length = limit_ * vehicles_[v].speed;
        const PlanPricing& pricing = *vehicles_[v].pricing;
        return !pricing.shortest(trips_[depth], set, vehicles_[v].list->losses, length).empty();
    }

    // The trips that the last vehicle can still make.
    void select_trips(std::size_t depth, const PlanCustomers& left) {
        vehicles_[order_.back()].pricing->select(trips_[depth - 1], left, trips_[depth]);
    }

    void accept() {
        joined_.trips.clear();
        joined_.time = 0;
        std::vector<int> trips;
        for (std::size_t v = 0; v < vehicles_.size(); ++v) {
            const PlanChoice& vehicle = vehicles_[v];
            double length = limit_ * vehicle.speed * (1 + 1e-12);
            vehicle.pricing->select(vehicle.pricing->everything(), chosen_[v], trips);
            joined_.trips.push_back(
                vehicle.pricing->shortest(trips, chosen_[v], vehicle.list->losses, length));
            joined_.time = std::max(joined_.time, length / vehicle.speed);
        }
        limit_ = std::min(limit_, joined_.time) * better;
    }

    const std::vector<PlanChoice>& vehicles_;
    double allowance_, limit_;
    Run& run_;
    std::vector<std::size_t> order_;     // of the vehicles, the one left over last
    std::vector<PlanCustomers> chosen_;  // by vehicle
    std::vector<std::vector<int>> trips_;  // of the last vehicle, by depth
    JoinedPlans joined_;
};

}  // namespace

JoinedPlans join_plans(const std::vector<PlanChoice>& vehicles, const PlanCustomers& everyone,
                       double allowance, double limit, Run& run) {
    return PlanJoin(vehicles, allowance, limit, run).run(everyone);
}

}  // namespace hcvrp::exact
