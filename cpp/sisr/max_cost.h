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
    // What each vehicle's detour would add to the sum of powers (or, for the plain maximum, the
    // longest time it would lead to).
    void weigh_detours();
    double longest() const;
    double norm() const;
    double mean() const;
    bool below(double threshold) const;
    void list_exchanges(const Plan& plan, int vehicle);
    void move(Plan& plan, int trip, int vehicle);

    const Problem& problem_;
    int log2_power_;
    std::vector<double> limits_;
    double unit_ = 1;  // times are kept in this unit, near 1, so that their powers stay finite
    // By vehicle, with idle ones at the end that no customer fits, to a whole number of lanes.
    std::vector<double> pace_, time_, power_;
    std::vector<double> kept_time_, kept_power_;
    double kept_norm_ = 0;
    std::vector<double> detour_, increase_;  // while choosing: the smallest, and what it costs
    std::vector<int> trip_;                  // where that is; −1: a new trip
    std::vector<int> on_longest_, others_;
    int next_other_ = 0;
};

template <class Blinks>
Choice MaxCost::choose(Plan& plan, int customer, Blinks&& blinks) {
    // On one vehicle the smallest detour is best whatever the power, so that each vehicle puts
    // forward one place and only these are compared by their powers.
    constexpr double never = std::numeric_limits<double>::infinity();
    const double demand = problem_.demand(customer), alone = plan.there_and_back(customer);
    const int vehicles = problem_.vehicles();
    for (int v = 0; v < vehicles; ++v) {
        detour_[v] = demand <= limits_[v] ? alone : never;
        trip_[v] = -1;
    }
    for (int trip : plan.roomy(customer, plan.offers(customer))) {
        if (blinks()) continue;
        const double delta = plan.best_place(customer, trip).delta;
        const int v = plan.slot(trip).vehicle;
        if (delta < detour_[v]) {
            detour_[v] = delta;
            trip_[v] = trip;
        }
    }
    weigh_detours();
    int chosen = -1;
    double least = never, shortest = never;
    for (int v = 0; v < vehicles; ++v) {
        if (detour_[v] == never) continue;
        const double added = detour_[v] * pace_[v], increase = increase_[v];
        if (chosen < 0 || increase < least || (increase == least && added < shortest)) {
            chosen = v;
            least = increase;
            shortest = added;
        }
    }
    const int trip = trip_[chosen];
    return {trip, trip < 0 ? Place{alone, 0} : plan.best_place(customer, trip), chosen};
}

}  // namespace hcvrp::sisr
