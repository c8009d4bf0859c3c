#include "plan.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hcvrp::baselines {

namespace {
// Weight of the mean vehicle time in the value of a min-max plan.
constexpr double mean_weight = 0.05;
}  // namespace

Plan::Plan(const Problem& problem, Objective objective, const Routes& routes,
           double overload_price)
    : problem_(&problem), objective_(objective), overload_price_(overload_price),
      mean_share_(mean_weight / problem.vehicles()), place_(problem.customers() + 1),
      time_(problem.vehicles(), 0.0) {
    for (int v = 0; v < problem.vehicles(); ++v) spare_.push_back(take_empty_trip(v));
    for (int v = 0; v < problem.vehicles(); ++v)
        for (const Trip& trip : routes[v]) set_trip(spare_[v], trip);
    rank();
}

double Plan::cost() const {
    if (objective_ == Objective::min_max) return time_[longest_[0]];
    return std::accumulate(time_.begin(), time_.end(), 0.0);
}

double Plan::value() const {
    double value = cost();
    if (objective_ == Objective::min_max)
        value += mean_share_ * std::accumulate(time_.begin(), time_.end(), 0.0);
    return value + overload_cost();
}

double Plan::overload_cost() const {
    double total = 0;
    for (const Journey& trip : trips_) total += trip.penalty;
    return total;
}

double Plan::change(const Edit& a) const {
    const Journey& trip = trips_[a.trip];
    const double over = penalty(a.load, trip.vehicle);
    if (over == forbidden) return forbidden;
    const double more = (a.length - trip.length()) * problem_->pace(trip.vehicle);
    return change_of_times(trip.vehicle, more, trip.vehicle, 0) + over - trip.penalty;
}

double Plan::change(const Edit& a, const Edit& b) const {
    const Journey &s = trips_[a.trip], &t = trips_[b.trip];
    const double over = penalty(a.load, s.vehicle) + penalty(b.load, t.vehicle);
    if (over == forbidden) return forbidden;
    return change_of_times(s.vehicle, (a.length - s.length()) * problem_->pace(s.vehicle),
                           t.vehicle, (b.length - t.length()) * problem_->pace(t.vehicle)) +
           over - s.penalty - t.penalty;
}

double Plan::change_of_vehicle(int trip, int vehicle) const {
    const Journey& t = trips_[trip];
    const double over = penalty(t.load(), vehicle);
    if (over == forbidden) return forbidden;
    return change_of_times(t.vehicle, -t.length() * problem_->pace(t.vehicle), vehicle,
                           t.length() * problem_->pace(vehicle)) +
           over - t.penalty;
}

double Plan::change_of_exchange(int trip, int other) const {
    const Journey &s = trips_[trip], &t = trips_[other];
    const double over = penalty(s.load(), t.vehicle) + penalty(t.load(), s.vehicle);
    if (over == forbidden) return forbidden;
    const double longer = t.length() - s.length();
    return change_of_times(s.vehicle, longer * problem_->pace(s.vehicle), t.vehicle,
                           -longer * problem_->pace(t.vehicle)) +
           over - s.penalty - t.penalty;
}

double Plan::change_of_times(int a, double more_a, int b, double more_b) const {
    if (objective_ == Objective::min_sum) return more_a + more_b;
    double longest = longest_without(a, b);
    if (a == b) {
        longest = std::max(longest, time_[a] + more_a + more_b);
    } else {
        longest = std::max({longest, time_[a] + more_a, time_[b] + more_b});
    }
    return longest - time_[longest_[0]] + mean_share_ * (more_a + more_b);
}

double Plan::longest_without(int a, int b) const {
    for (int v : longest_)
        if (v >= 0 && v != a && v != b) return time_[v];
    return 0;
}

void Plan::set_trip(int t, std::span<const int> customers) {
    const bool was_empty = trips_[t].size() == 0;
    Journey& trip = trips_[t];
    trip.stops.resize(customers.size() + 2);
    trip.changed = ++clock_;
    int position = 0;
    Stop last = trip.stops[0];
    const auto append = [&](int node) {
        last = {node, last.load + problem_->demand(node),
                last.length + problem_->distance(last.node, node)};
        trip.stops[++position] = last;
    };
    for (int c : customers) {
        append(c);
        place_[c].trip = t;
        place_[c].position = position;
    }
    append(0);
    settle_penalty(trip);
    const int vehicle = trip.vehicle;
    if (customers.empty() && !was_empty) unused_.push_back(t);
    if (!customers.empty() && t == spare_[vehicle]) spare_[vehicle] = take_empty_trip(vehicle);
    settle_time(vehicle);
}

void Plan::set_vehicle(int t, int vehicle) {
    Journey& trip = trips_[t];
    const int old = trip.vehicle;
    trip.vehicle = vehicle;
    trip.changed = ++clock_;
    settle_penalty(trip);
    settle_time(old);
    settle_time(vehicle);
}

void Plan::exchange_vehicles(int trip, int other) {
    const int vehicle = trips_[trip].vehicle;
    set_vehicle(trip, trips_[other].vehicle);
    set_vehicle(other, vehicle);
}

double Plan::rounding() const {
    if (overload_price_ == forbidden) return 0.0;
    double largest = 0;
    for (int v = 0; v < problem_->vehicles(); ++v)
        largest = std::max(largest, problem_->capacity(v));
    return 4 * std::numeric_limits<double>::epsilon() * largest * overload_price_;
}

void Plan::set_overload_price(double price) {
    overload_price_ = price;
    for (Journey& trip : trips_) {
        trip.changed = ++clock_;
        settle_penalty(trip);
    }
}

void Plan::shift(int customer, int trip, int position) {
    const int from = place_[customer].trip, at = place_[customer].position;
    Trip target = customers(trip);
    target.insert(target.begin() + (position - 1), customer);
    if (from == trip) {
        target.erase(target.begin() + (at < position ? at - 1 : at));
    } else {
        Trip rest = customers(from);
        rest.erase(rest.begin() + (at - 1));
        set_trip(from, rest);
    }
    set_trip(trip, target);
}

Routes Plan::routes() const {
    Routes routes(problem_->vehicles());
    for (int t = 0; t < trips(); ++t)
        if (trips_[t].size() > 0) routes[trips_[t].vehicle].push_back(customers(t));
    return routes;
}

Trip Plan::customers(int trip) const {
    Trip out;
    for (int p = 1; p <= trips_[trip].size(); ++p) out.push_back(trips_[trip].stops[p].node);
    return out;
}

// Summed afresh: differences added up would leave rounding behind that outweighs short trips.
void Plan::settle_time(int vehicle) {
    double length = 0;
    for (const Journey& trip : trips_)
        if (trip.vehicle == vehicle) length += trip.length();
    time_[vehicle] = length * problem_->pace(vehicle);
    rank();
}

void Plan::rank() {
    longest_ = {-1, -1, -1};
    for (int v = 0; v < problem_->vehicles(); ++v) {
        int carry = v;
        for (int& place : longest_)
            if (carry >= 0 && (place < 0 || time_[carry] > time_[place])) std::swap(carry, place);
    }
}

void Plan::settle_penalty(Journey& trip) {
    const bool over = overloads(trip.load(), trip.vehicle);
    overloaded_ += static_cast<int>(over) - static_cast<int>(trip.overloaded);
    trip.overloaded = over;
    trip.penalty = overload_price_ == forbidden ? 0.0 : penalty(trip.load(), trip.vehicle);
}

int Plan::take_empty_trip(int vehicle) {
    if (unused_.empty()) {
        trips_.push_back({vehicle, {{0, 0, 0}, {0, 0, 0}}});
        return trips() - 1;
    }
    const int t = unused_.back();
    unused_.pop_back();
    trips_[t].vehicle = vehicle;
    return t;
}

}  // namespace hcvrp::baselines
