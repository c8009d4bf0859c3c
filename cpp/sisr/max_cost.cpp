#include "max_cost.h"

#include <algorithm>
#include <numeric>

#include "fleet_limits.h"

namespace hcvrp::sisr {

namespace {

constexpr int rescue_rounds = 3;
// Pairs of trips looked at for one exchange: all of them in small plans, a share that goes round
// in large ones.
constexpr int most_pairs = 2000;
constexpr double least_gain = 1e-12;
// Far above the rounding errors of a power.
constexpr double margin = 1e-9;

}  // namespace

MaxCost::MaxCost(const Problem& problem, int log2_power)
    : problem_(problem), log2_power_(log2_power), limits_(load_limits_of(problem)),
      pace_(problem.vehicles()), time_(problem.vehicles()), power_(problem.vehicles()),
      best_(problem.vehicles()) {}

void MaxCost::reset(Plan& plan) {
    std::fill(time_.begin(), time_.end(), 0.0);
    for (int t = 0; t < plan.trips(); ++t) {
        const Slot& slot = plan.slot(t);
        time_[slot.vehicle] += slot.length * problem_.pace(slot.vehicle);
    }
    unit_ = longest() > 0 ? longest() : 1.0;
    for (int v = 0; v < problem_.vehicles(); ++v) {
        pace_[v] = problem_.pace(v) / unit_;
        time_[v] /= unit_;
        power_[v] = power(time_[v]);
    }
    keep();
}

void MaxCost::keep() {
    kept_time_ = time_;
    kept_power_ = power_;
    kept_norm_ = norm();
}

void MaxCost::undo() {
    time_ = kept_time_;
    power_ = kept_power_;
}

double MaxCost::longest() const { return *std::max_element(time_.begin(), time_.end()); }

double MaxCost::norm() const {
    if (plain()) return longest();
    return root(std::accumulate(power_.begin(), power_.end(), 0.0) / power_.size());
}

double MaxCost::mean() const {
    return std::accumulate(time_.begin(), time_.end(), 0.0) / time_.size();
}

bool MaxCost::below(double threshold) const {
    if (plain()) return longest() < threshold;
    return std::accumulate(power_.begin(), power_.end(), 0.0) < power(threshold) * power_.size();
}

bool MaxCost::acceptable(Plan& plan, double allowance) {
    const double threshold = kept_norm_ + allowance / unit_;
    if (below(threshold)) return true;
    if (mean() >= threshold) return false;
    for (int round = 0; round < rescue_rounds; ++round) {
        if (!relieve(plan)) return false;
        if (below(threshold)) return true;
    }
    return false;
}

bool MaxCost::relieve(Plan& plan) {
    if (plain()) return false;
    const int from = static_cast<int>(std::max_element(time_.begin(), time_.end()) - time_.begin());
    on_longest_.clear();
    for (int t = 0; t < plan.trips(); ++t)
        if (plan.slot(t).vehicle == from && plan.slot(t).size > 0) on_longest_.push_back(t);

    const int per_trip = most_pairs / std::max(1, static_cast<int>(on_longest_.size()));
    const int others = std::min(plan.trips(), std::max(1, per_trip));
    const int first = others < plan.trips() ? next_other_ % plan.trips() : 0;

    // A vehicle that would end up later than this adds more than all that the longest can lose.
    const double too_late = time_[from] * root(2) * (1 + margin);
    double best = -least_gain * power_[from];
    int best_trip = -1, best_other = -1, best_vehicle = -1;
    // `shorter` is by how much the longest vehicle's way shrinks. One branch for all that may speak
    // against a pair: each reason by itself is as good as random.
    const auto consider = [&](int trip, int other, int to, double shorter, bool possible) {
        const double after = time_[to] + shorter * pace_[to];
        possible &= to != from;
        possible &= plan.slot(trip).load <= limits_[to];
        if (!(possible & (after <= too_late))) return;
        const double change = power(time_[from] - shorter * pace_[from]) - power_[from] +
                              power(after) - power_[to];
        if (change < best) {
            best = change;
            best_trip = trip;
            best_other = other;
            best_vehicle = to;
        }
    };
    const auto next = [last = plan.trips() - 1](int trip) { return trip < last ? trip + 1 : 0; };
    for (int trip : on_longest_) {
        const double length = plan.slot(trip).length;
        for (int to = 0; to < static_cast<int>(time_.size()); ++to)
            consider(trip, -1, to, length, true);
        for (int k = 0, other = first; k < others; ++k, other = next(other)) {
            const Slot& b = plan.slot(other);
            const bool possible = (b.size > 0) & (b.load <= limits_[from]) & (b.length < length);
            consider(trip, other, b.vehicle, length - b.length, possible);
        }
    }
    next_other_ = first + others;
    if (best_trip < 0) return false;
    move(plan, best_trip, best_vehicle);
    if (best_other >= 0) move(plan, best_other, from);
    return true;
}

void MaxCost::move(Plan& plan, int trip, int vehicle) {
    const Slot before = plan.slot(trip);
    plan.assign(trip, vehicle);
    time_[before.vehicle] -= before.length * pace_[before.vehicle];
    time_[vehicle] += before.length * pace_[vehicle];
    power_[before.vehicle] = power(time_[before.vehicle]);
    power_[vehicle] = power(time_[vehicle]);
}

Routes MaxCost::routes(const Snapshot& snapshot) const {
    Routes routes(problem_.vehicles());
    for (std::size_t t = 0; t < snapshot.trips.size(); ++t)
        routes[snapshot.vehicles[t]].push_back(snapshot.trips[t]);
    return routes;
}

}  // namespace hcvrp::sisr
