#include "moves.h"

#include <algorithm>
#include <numeric>

namespace hcvrp::baselines {

namespace {

constexpr int near_customers = 10;
// A gain below this share of the value is rounding.
constexpr double least_gain = 1e-10;

void append(std::vector<int>& out, const Plan::Journey& trip, int from, int to) {
    for (int p = from; p <= to; ++p) out.push_back(trip.stops[p].node);
}

}  // namespace

Descent::Descent(const Problem& problem, Moves moves, Record& record)
    : problem_(problem), moves_(moves), near_(problem, near_customers, record.run()),
      order_(problem.customers()) {
    std::iota(order_.begin(), order_.end(), 1);
}

void Descent::improve(Plan& plan, Record& record, Rng& rng) {
    plan_ = &plan;
    margin_ = least_gain * plan.value() + plan.rounding();
    for (int k = problem_.customers() - 1; k > 0; --k)
        std::swap(order_[k], order_[rng.below(k + 1)]);
    for (std::int64_t before = -1; before != plan.clock();) {
        before = plan.clock();
        for (int i : order_) {
            if (record.over()) return;
            improve_customer(i);
        }
        if (moves_ == Moves::all) improve_fleet(record);
    }
}

void Descent::improve_customer(int i) {
    const std::int64_t last = plan_->last_tried(i);
    plan_->note_try(i);
    const auto fresh = [&](int c) { return plan_->trip(plan_->trip_of(c)).changed > last; };
    for (int j : near_.of(i))
        if (fresh(i) || fresh(j)) improve_pair(i, j);
    if (fresh(i)) relocate_alone(i);
}

void Descent::improve_pair(int i, int j) {
    if (relocate_beside(i, j)) return;
    if (plan_->trip_of(i) == plan_->trip_of(j)) {
        two_opt(i, j);
    } else if (moves_ == Moves::all && !swap(i, j)) {
        cross(i, j);
    }
}

// i leaves its place and goes right after j, or right before it.
bool Descent::relocate_beside(int i, int j) {
    const Plan& plan = *plan_;
    const int s = plan.trip_of(i), t = plan.trip_of(j);
    const auto d = [&](int a, int b) { return problem_.distance(a, b); };
    const int p = plan.previous(i), n = plan.next(i);
    const double removed = d(p, n) - d(p, i) - d(i, n);
    const double demand = problem_.demand(i);
    for (const bool after : {true, false}) {
        const int a = after ? j : plan.previous(j), b = after ? plan.next(j) : j;
        if (a == i || b == i) continue;
        const double added = d(a, i) + d(i, b) - d(a, b);
        const double change =
            s == t ? plan.change({s, plan.trip(s).length() + removed + added, plan.trip(s).load()})
                   : plan.change({s, plan.trip(s).length() + removed, plan.trip(s).load() - demand},
                                 {t, plan.trip(t).length() + added, plan.trip(t).load() + demand});
        if (!helps(change)) continue;
        plan_->shift(i, t, plan.position_of(j) + (after ? 1 : 0));
        return true;
    }
    return false;
}

// i gets a trip of its own, on whichever vehicle gains most.
void Descent::relocate_alone(int i) {
    const Plan& plan = *plan_;
    const int s = plan.trip_of(i);
    const auto d = [&](int a, int b) { return problem_.distance(a, b); };
    const int p = plan.previous(i), n = plan.next(i);
    const double demand = problem_.demand(i);
    const Plan::Edit rest{s, plan.trip(s).length() + d(p, n) - d(p, i) - d(i, n),
                          plan.trip(s).load() - demand};
    int best = -1;
    double least = -margin_;
    for (int v = 0; v < problem_.vehicles(); ++v) {
        const double change = plan.change(rest, {plan.spare_trip(v), d(0, i) + d(i, 0), demand});
        if (change >= least) continue;
        least = change;
        best = v;
    }
    if (best < 0) return;
    plan_->shift(i, plan.spare_trip(best), 1);
}

// i and j, of different trips, take each other's places.
bool Descent::swap(int i, int j) {
    const Plan& plan = *plan_;
    const int s = plan.trip_of(i), t = plan.trip_of(j);
    const auto d = [&](int a, int b) { return problem_.distance(a, b); };
    const auto replaced = [&](int out, int in) {
        const int p = plan.previous(out), n = plan.next(out);
        return d(p, in) + d(in, n) - d(p, out) - d(out, n);
    };
    const double heavier = problem_.demand(j) - problem_.demand(i);
    const double change =
        plan.change({s, plan.trip(s).length() + replaced(i, j), plan.trip(s).load() + heavier},
                    {t, plan.trip(t).length() + replaced(j, i), plan.trip(t).load() - heavier});
    if (!helps(change)) return false;
    first_ = plan.customers(s);
    second_ = plan.customers(t);
    std::swap(first_[plan.position_of(i) - 1], second_[plan.position_of(j) - 1]);
    plan_->set_trip(s, first_);
    plan_->set_trip(t, second_);
    return true;
}

// The legs from `to` back to `from`, as long as those ahead if distances are symmetric. Else they
// are summed leg by leg, for they may be of another magnitude than the trip itself.
double Descent::reversed_length(const Plan::Journey& trip, int from, int to) const {
    if (problem_.symmetric()) return trip.stops[to].length - trip.stops[from].length;
    double length = 0;
    for (int p = to; p > from; --p)
        length += problem_.distance(trip.stops[p].node, trip.stops[p - 1].node);
    return length;
}

// The part of the trip between i and j is travelled in reverse, so that i and j become adjacent.
void Descent::two_opt(int i, int j) {
    const Plan& plan = *plan_;
    const int t = plan.trip_of(i);
    const Plan::Journey& trip = plan.trip(t);
    const auto& stops = trip.stops;
    const int pi = plan.position_of(i), pj = plan.position_of(j);
    const int from = pi < pj ? pi + 1 : pj, to = pi < pj ? pj : pi - 1;
    if (from >= to) return;
    const double length = stops[from - 1].length +
                          problem_.distance(stops[from - 1].node, stops[to].node) +
                          reversed_length(trip, from, to) +
                          problem_.distance(stops[from].node, stops[to + 1].node) +
                          trip.length() - stops[to + 1].length;
    if (!helps(plan.change({t, length, trip.load()}))) return;
    first_ = plan.customers(t);
    std::reverse(first_.begin() + (from - 1), first_.begin() + to);
    plan_->set_trip(t, first_);
}

// i's trip goes on with j and what follows it; j's trip with what followed i (2-opt*).
void Descent::cross(int i, int j) {
    const Plan& plan = *plan_;
    const int s = plan.trip_of(i), t = plan.trip_of(j);
    const Plan::Journey &a = plan.trip(s), &b = plan.trip(t);
    const int p = plan.position_of(i), q = plan.position_of(j);
    const Plan::Edit head_a{s,
                            a.stops[p].length + problem_.distance(i, j) + b.length() -
                                b.stops[q].length,
                            a.stops[p].load + b.load() - b.stops[q - 1].load};
    const Plan::Edit head_b{t,
                            b.stops[q - 1].length +
                                problem_.distance(b.stops[q - 1].node, a.stops[p + 1].node) +
                                a.length() - a.stops[p + 1].length,
                            b.stops[q - 1].load + a.load() - a.stops[p].load};
    if (!helps(plan.change(head_a, head_b))) return;
    first_.clear();
    append(first_, a, 1, p);
    append(first_, b, q, b.size());
    second_.clear();
    append(second_, b, 1, q - 1);
    append(second_, a, p + 1, a.size());
    plan_->set_trip(s, first_);
    plan_->set_trip(t, second_);
}

void Descent::improve_fleet(Record& record) {
    for (int t = 0; t < plan_->trips() && !record.over(); ++t) {
        if (plan_->trip(t).size() == 0) continue;
        for (int v = 0; v < problem_.vehicles(); ++v)
            if (v != plan_->trip(t).vehicle && helps(plan_->change_of_vehicle(t, v)))
                plan_->set_vehicle(t, v);
        for (int u = 0; u < t; ++u)
            if (plan_->trip(u).size() > 0 && plan_->trip(u).vehicle != plan_->trip(t).vehicle &&
                helps(plan_->change_of_exchange(t, u)))
                plan_->exchange_vehicles(t, u);
    }
}

}  // namespace hcvrp::baselines
