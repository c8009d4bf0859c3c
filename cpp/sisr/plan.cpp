#include "plan.h"

#include <algorithm>

namespace hcvrp::sisr {

namespace {

// A trip that shrinks to less than this share of its length has lost too many digits.
constexpr double cancelling = 1e-3;

}  // namespace

Plan::Plan(const Problem& problem, const Distances& distances, const Neighbours& neighbours,
           int near, std::vector<double> limits)
    : problem_(problem), distances_(distances), neighbours_(neighbours),
      // Nobody has more neighbours than there are other customers; of trips there may be more.
      near_(near > 0 && near < problem.customers() ? near : std::numeric_limits<int>::max()),
      limits_(std::move(limits)),
      there_and_back_(problem.customers() + 1), home_(problem.customers() + 1, -1), offered_(1),
      offers_(neighbours.of(1).size()), cache_((problem.customers() + 1) * cache_width) {
    for (int c = 1; c <= problem.customers(); ++c)
        there_and_back_[c] = distances.from(c, 0) + distances.to(c, 0);
}

void Plan::load(const Routes& routes) {
    begin();
    count_ = 0;
    for (int v = 0; v < static_cast<int>(routes.size()); ++v)
        for (const Trip& trip : routes[v])
            if (!trip.empty()) add_trip(trip, v);
}

void Plan::add_trip(const Trip& trip, int vehicle) {
    // Where the plan has price classes the objective sorts the trips into theirs afterwards.
    const int t = open(std::min(vehicle, static_cast<int>(limits_.size()) - 1));
    auto& stops = stops_[t];
    stops.resize(1);
    for (int c : trip) {
        stops.push_back({c, 0});
        home_[c] = t;
    }
    stops.push_back({0, 0});
    for (std::size_t k = 0; k + 1 < stops.size(); ++k)
        stops[k].leg = distances_.from(stops[k].node, stops[k + 1].node);
    measure(t);
}

void Plan::copy_to(Snapshot& snapshot) const {
    snapshot.trips.resize(count_);
    snapshot.slots.resize(count_, Slot{});
    for (std::size_t t = 0; t < count_; ++t) {
        const bool same = snapshot.slots[t].stamp == slots_[t].stamp;
        snapshot.slots[t] = slots_[t];
        if (same) continue;
        snapshot.trips[t].clear();
        for (int k = 1; k <= slots_[t].size; ++k) snapshot.trips[t].push_back(stops_[t][k].node);
    }
}

void Plan::begin() {
    ++change_;
    saved_.clear();
    count_before_ = count_;
}

void Plan::touch(int trip) {
    if (touch_[trip] == change_) return;
    touch_[trip] = change_;
    if (saved_.size() == saved_stops_.size()) saved_stops_.emplace_back();
    saved_stops_[saved_.size()] = stops_[trip];
    saved_.push_back({trip, slots_[trip]});
}

void Plan::undo() {
    for (std::size_t k = 0; k < saved_.size(); ++k) {
        const int t = saved_[k].trip;
        slots_[t] = saved_[k].slot;
        update_room(t);
        std::swap(stops_[t], saved_stops_[k]);
        for (int j = 1; j <= slots_[t].size; ++j) home_[stops_[t][j].node] = t;
    }
    count_ = count_before_;
}

// Emptied trips disappear; the last one takes their place.
void Plan::keep() {
    for (const Saved& saved : saved_) {
        while (count_ > 0 && slots_[count_ - 1].size == 0) --count_;
        const int t = saved.trip, last = static_cast<int>(count_) - 1;
        if (t > last || slots_[t].size > 0) continue;
        slots_[t] = slots_[last];
        room_[t] = room_[last];
        std::swap(stops_[t], stops_[last]);
        for (int k = 1; k <= slots_[t].size; ++k) home_[stops_[t][k].node] = t;
        --count_;
    }
}

void Plan::remove(int trip, int first, int count, std::vector<int>& removed) {
    touch(trip);
    auto& stops = stops_[trip];
    const auto begin = stops.begin() + first, end = begin + count;
    for (auto stop = begin; stop != end; ++stop) {
        home_[stop->node] = -1;
        removed.push_back(stop->node);
    }
    stops[first - 1].leg = distances_.from(stops[first - 1].node, end->node);
    stops.erase(begin, end);
    measure(trip);
}

void Plan::insert(int customer, int trip, Place place) {
    touch(trip);
    auto& stops = stops_[trip];
    const auto before = stops.begin() + place.after, after = before + 1;
    before->leg = distances_.to(customer, before->node);
    stops.insert(after, {customer, distances_.from(customer, after->node)});
    home_[customer] = trip;
    Slot& slot = slots_[trip];
    const double length = slot.length;
    slot.load += problem_.demand(customer);
    slot.length += place.delta;
    slot.stamp = fresh_stamp();
    ++slot.size;
    // Where a forbidden leg goes, of a length beyond all others, it takes their digits with it.
    if (slot.length < cancelling * length) return measure(trip);
    update_room(trip);
}

int Plan::open(int vehicle) {
    const int t = static_cast<int>(count_++);
    if (count_ > slots_.size()) reserve_slot();
    touch_[t] = change_;  // new: nothing to save, undo forgets it
    stops_[t].assign(2, {0, 0});
    slots_[t] = {0, 0, 0, 0, fresh_stamp(), vehicle, 0};
    update_room(t);
    return t;
}

void Plan::assign(int trip, int vehicle) {
    touch(trip);
    slots_[trip].vehicle = vehicle;
    update_room(trip);
}

void Plan::reserve_slot() {
    slots_.emplace_back();
    room_.push_back(-1.0);
    all_.push_back(static_cast<int>(all_.size()));
    roomy_.push_back(0);
    stops_.emplace_back();
    touch_.push_back(0);
    offered_.push_back(0);
}

// Sums afresh, so that rounding errors do not add up over millions of changes.
void Plan::measure(int trip) {
    const auto& stops = stops_[trip];
    Slot& slot = slots_[trip];
    slot.size = static_cast<int>(stops.size()) - 2;
    slot.length = slot.load = 0;
    for (const Stop& stop : stops) {
        slot.length += stop.leg;
        slot.load += problem_.demand(stop.node);
    }
    slot.stamp = fresh_stamp();
    update_room(trip);
}

// Written without branches: which trips have room is as good as random.
std::span<const int> Plan::roomy(int customer, std::span<const int> offers) {
    const double demand = problem_.demand(customer);
    std::size_t count = 0;
    for (int t : offers) {
        roomy_[count] = t;
        count += demand <= room_[t];
    }
    return {roomy_.data(), count};
}

// Without branches as well. Removed customers are at home in trip −1, which counts as seen.
std::span<const int> Plan::near_trips(int customer) {
    std::uint64_t* offered = offered_.data() + 1;
    offered[-1] = ++offer_;
    std::size_t count = 0;
    for (int other : neighbours_.of(customer).first(near_)) {
        const int t = home_[other];
        offers_[count] = t;
        count += offered[t] != offer_;
        offered[t] = offer_;
    }
    return {offers_.data(), count};
}

Place Plan::scan(int customer, int trip) const {
    const Stop* stops = stops_[trip].data();
    const int size = slots_[trip].size;
    return distances_.with_rows(customer, [=](auto to, auto from) {
        Place best{std::numeric_limits<double>::infinity(), 0};
        double there = to[0];
        for (int k = 0; k <= size; ++k) {
            const int next = stops[k + 1].node;
            const double delta = there + from[next] - stops[k].leg;
            const bool better = delta < best.delta;
            best.delta = better ? delta : best.delta;
            best.after = better ? k : best.after;
            there = to[next];
        }
        return best;
    });
}

}  // namespace hcvrp::sisr
