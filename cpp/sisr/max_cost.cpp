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

// Powers are taken of so many vehicles at a time, for any compiler to keep them in wide registers.
constexpr int lanes = 4;
// By less, paces would lose the digits by which they agree with times.
constexpr double least_unit = 1e-280;
std::size_t padded(int vehicles) { return (vehicles + lanes - 1) / lanes * lanes; }

}  // namespace

MaxCost::MaxCost(const Problem& problem, int log2_power)
    : problem_(problem), log2_power_(log2_power), limits_(load_limits_of(problem)),
      pace_(padded(problem.vehicles()), 1.0), time_(pace_.size()), power_(pace_.size()),
      detour_(pace_.size(), std::numeric_limits<double>::infinity()), increase_(pace_.size()),
      trip_(problem.vehicles()) {}

void MaxCost::reset(Plan& plan) {
    std::fill(time_.begin(), time_.end(), 0.0);
    for (int t = 0; t < plan.trips(); ++t) {
        const Slot& slot = plan.slot(t);
        time_[slot.vehicle] += slot.length * problem_.pace(slot.vehicle);
    }
    unit_ = longest() > least_unit ? longest() : 1.0;
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

void MaxCost::weigh_detours() {
    const double highest = plain() ? longest() : 0;
    for (std::size_t v = 0; v < time_.size(); v += lanes) {
        double x[lanes];
        for (int j = 0; j < lanes; ++j) x[j] = time_[v + j] + detour_[v + j] * pace_[v + j];
        for (int k = 0; k < log2_power_; ++k)
            for (int j = 0; j < lanes; ++j) x[j] *= x[j];
        for (int j = 0; j < lanes; ++j)
            increase_[v + j] = plain() ? std::max(x[j], highest) : x[j] - power_[v + j];
    }
}

double MaxCost::longest() const { return *std::max_element(time_.begin(), time_.end()); }

double MaxCost::norm() const {
    if (plain()) return longest();
    return root(std::accumulate(power_.begin(), power_.end(), 0.0) / problem_.vehicles());
}

double MaxCost::mean() const {
    return std::accumulate(time_.begin(), time_.end(), 0.0) / problem_.vehicles();
}

bool MaxCost::below(double threshold) const {
    if (plain()) return longest() < threshold;
    return std::accumulate(power_.begin(), power_.end(), 0.0) < power(threshold) * problem_.vehicles();
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

// Fills `on_longest_` with the trips of the vehicle, and `others_` with trips that could replace one.
void MaxCost::list_exchanges(const Plan& plan, int vehicle) {
    on_longest_.clear();
    double longest = 0;
    for (int t = 0; t < plan.trips(); ++t) {
        const Slot& slot = plan.slot(t);
        if (slot.vehicle != vehicle || slot.size == 0) continue;
        on_longest_.push_back(t);
        longest = std::max(longest, slot.length);
    }
    const int per_trip = most_pairs / std::max(1, static_cast<int>(on_longest_.size()));
    const int others = std::min(plan.trips(), std::max(1, per_trip));
    int t = others < plan.trips() ? next_other_ % plan.trips() : 0;
    next_other_ = t + others;
    others_.resize(others);
    std::size_t count = 0;
    for (int k = 0; k < others; ++k) {
        const Slot& slot = plan.slot(t);
        others_[count] = t;
        count += (slot.vehicle != vehicle) & (slot.size > 0) & (slot.load <= limits_[vehicle]) &
                 (slot.length < longest);
        if (++t == plan.trips()) t = 0;
    }
    others_.resize(count);
}

bool MaxCost::relieve(Plan& plan) {
    if (plain()) return false;
    const int from = static_cast<int>(std::max_element(time_.begin(), time_.end()) - time_.begin());
    list_exchanges(plan, from);
    // A vehicle that would end up later than this adds more than all that the longest can lose.
    const double too_late = time_[from] * root(2) * (1 + margin);
    double best = -least_gain * power_[from];
    int best_trip = -1, best_other = -1, best_vehicle = -1;
    // `shorter` is by how much the longest vehicle's way shrinks. One branch for all that may speak
    // against a pair: each reason by itself is as good as random.
    const auto consider = [&](int trip, int other, int to, double shorter) {
        const double after = time_[to] + shorter * pace_[to];
        if (!((shorter > 0) & (after <= too_late) & (plan.slot(trip).load <= limits_[to]))) return;
        const double change = power(time_[from] - shorter * pace_[from]) - power_[from] +
                              power(after) - power_[to];
        if (change < best) {
            best = change;
            best_trip = trip;
            best_other = other;
            best_vehicle = to;
        }
    };
    for (int trip : on_longest_) {
        const double length = plan.slot(trip).length;
        for (int to = 0; to < problem_.vehicles(); ++to)
            if (to != from) consider(trip, -1, to, length);
        for (int other : others_)
            consider(trip, other, plan.slot(other).vehicle, length - plan.slot(other).length);
    }
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
        routes[snapshot.slots[t].vehicle].push_back(snapshot.trips[t]);
    return routes;
}

}  // namespace hcvrp::sisr
