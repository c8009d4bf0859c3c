// Min-max as the search sees it: a power mean of the vehicle times in place of their maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "plan.h"

namespace hcvrp::sisr {

// The maximum alone is blind to every vehicle but one. The search therefore minimises
//
//     M_p = ((Σ_v T_v^p) / m)^(1/p),
//
// which lies between the mean time and the longest, and tends to the longest as p grows. With
// p = 2^k a power takes k multiplications and a root k square roots. `k` = 0 stands for the plain
// maximum, for comparison with the literature.
class MaxCost {
public:
    MaxCost(const Problem& problem, int log2_power);

    std::vector<double> limits() const { return limits_; }

    void reset(Plan& plan);
    void keep();
    void undo();
    void changed(const Plan& plan, int trip, const Slot& before) {
        const int v = before.vehicle;
        time_[v] += (plan.slot(trip).length - before.length) * pace_[v];
        power_[v] = power(time_[v]);
    }

    template <class Blinks>
    Choice choose(Plan& plan, int customer, Blinks&& blinks);

    // Whether the changed plan is better than the one before plus `allowance`. A plan that fails
    // only because its vehicles are out of balance gets a few moves of whole trips first.
    bool acceptable(Plan& plan, double allowance);
    // Makes the best move of a whole trip off the longest vehicle, or exchange with a trip of
    // another, if there is one that lowers the power mean.
    bool relieve(Plan& plan);
    double objective() const { return longest() * unit_; }

    Routes routes(const Snapshot& snapshot) const;

private:
    bool plain() const { return log2_power_ == 0; }
    double power(double x) const {
        for (int k = 0; k < log2_power_; ++k) x *= x;
        return x;
    }
    double root(double x) const {
        for (int k = 0; k < log2_power_; ++k) x = std::sqrt(x);
        return x;
    }
    double longest() const;
    double norm() const;
    double mean() const;
    bool below(double threshold) const;
    void move(Plan& plan, int trip, int vehicle);

    const Problem& problem_;
    int log2_power_;
    std::vector<double> limits_;
    double unit_ = 1;  // times are kept in this unit, near 1, so that their powers stay finite
    std::vector<double> pace_, time_, power_;
    std::vector<double> kept_time_, kept_power_;
    double kept_norm_ = 0;
    struct Offer {
        double delta;
        int trip;
    };
    std::vector<Offer> best_;  // by vehicle, while choosing
    std::vector<int> on_longest_;
    int next_other_ = 0;
};

template <class Blinks>
Choice MaxCost::choose(Plan& plan, int customer, Blinks&& blinks) {
    // On one vehicle the smallest detour is best whatever the power, so that each vehicle puts
    // forward one place and only these are compared by their powers.
    constexpr double never = std::numeric_limits<double>::infinity();
    const double demand = problem_.demand(customer), alone = plan.there_and_back(customer);
    const int vehicles = static_cast<int>(time_.size());
    for (int v = 0; v < vehicles; ++v) best_[v] = {demand <= limits_[v] ? alone : never, -1};
    for (int trip : plan.roomy(customer, plan.offers(customer))) {
        if (blinks()) continue;
        const double delta = plan.best_place(customer, trip).delta;
        Offer& best = best_[plan.slot(trip).vehicle];
        if (delta < best.delta) best = {delta, trip};
    }
    const double highest = plain() ? longest() : 0;
    int chosen = -1;
    double least = never, shortest = never;
    for (int v = 0; v < vehicles; ++v) {
        if (best_[v].delta == never) continue;
        const double added = best_[v].delta * pace_[v], after = time_[v] + added;
        const double increase = plain() ? std::max(after, highest) : power(after) - power_[v];
        if (chosen < 0 || increase < least || (increase == least && added < shortest)) {
            chosen = v;
            least = increase;
            shortest = added;
        }
    }
    const int trip = best_[chosen].trip;
    return {trip, trip < 0 ? Place{alone, 0} : plan.best_place(customer, trip), chosen};
}

}  // namespace hcvrp::sisr
