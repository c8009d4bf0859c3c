// The working solution of a search: trips that change a little, and change back when told to.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "distances.h"
#include "neighbours.h"
#include "problem.h"

namespace hcvrp::sisr {

// The cheapest place of a customer in a trip: after the stop `after` (0: the depot).
struct Place {
    double delta;
    int after;
};

// Where a customer goes: into `trip` at `place`, or into a new trip of `vehicle` if negative.
struct Choice {
    int trip;
    Place place;
    int vehicle;
};

// Where a trip stops, and how far it is from there to the next.
struct Stop {
    int node;
    double leg;
};

// What the search reads of a trip without looking at its stops.
struct Slot {
    double load, length;
    double price, step;   // min-sum: the trip's cost, and what the next class would add to it
    std::uint64_t stamp;  // changes with the stops; no two contents ever share one
    int vehicle;          // or, for min-sum, the price class
    int size;
};

// A copy of a plan's trips; copying again writes only the trips that changed.
struct Snapshot {
    std::vector<Trip> trips;
    std::vector<Slot> slots;
};

// Three things make a million changes a second possible. A change is undone by copying back the
// trips it touched, each saved once. The best place per (customer, trip) is cached under the
// trip's stamp, so that it survives until the trip's stops really change, and comes back when
// they do. And in plans of many trips a customer is offered only to trips that visit one of its
// near neighbours.
class Plan {
public:
    // `limits[v]` is the load a trip of vehicle v may carry. Customers are offered to the trips of
    // their `near` nearest customers once there are more trips than that; 0 offers them to all.
    Plan(const Problem& problem, const Distances& distances, const Neighbours& neighbours,
         int near, std::vector<double> limits);

    // Replaces everything.
    void load(const Routes& routes);

    int trips() const { return static_cast<int>(count_); }
    const Slot& slot(int trip) const { return slots_[trip]; }
    Slot& slot(int trip) { return slots_[trip]; }
    // The trip's stops with the depot at both ends: stop k is customer k, from 1 to size.
    const std::vector<Stop>& stops(int trip) const { return stops_[trip]; }
    void copy_to(Snapshot& snapshot) const;
    int trip_of(int customer) const { return home_[customer]; }

    // A change: begin, edit, then keep or undo.
    void begin();
    void keep();
    void undo();
    struct Saved {
        int trip;
        Slot slot;
    };
    // The trips the change has touched so far, as they were; newly opened ones are not listed.
    const std::vector<Saved>& touched() const { return saved_; }
    int first_opened() const { return static_cast<int>(count_before_); }
    bool is_touched(int trip) const { return touch_[trip] == change_; }

    void remove(int trip, int first, int count, std::vector<int>& removed);
    void insert(int customer, int trip, Place place);
    int open(int vehicle);
    // Gives the trip to another vehicle (or price class).
    void assign(int trip, int vehicle);

    Place best_place(int customer, int trip);
    // d(0, c) + d(c, 0): what a trip to this customer alone would measure.
    double there_and_back(int customer) const { return there_and_back_[customer]; }

    // The trips a customer is offered to: all, or in large plans those of its near neighbours.
    std::span<const int> offers(int customer) {
        return trips() <= near_ ? std::span<const int>(all_).first(count_) : near_trips(customer);
    }
    // Those of them that have room.
    std::span<const int> roomy(int customer, std::span<const int> offers);
    // The load that still fits; negative in an empty trip, so that nothing does.
    double room(int trip) const { return room_[trip]; }

private:
    struct Cached {
        double delta;
        std::uint64_t stamp : 40;  // a trillion contents
        std::uint64_t after : 24;
    };

    void add_trip(const Trip& trip, int vehicle);
    std::span<const int> near_trips(int customer);
    void touch(int trip);
    void measure(int trip);
    void update_room(int trip) {
        const Slot& slot = slots_[trip];
        room_[trip] = slot.size > 0 ? limits_[slot.vehicle] - slot.load : -1.0;
    }
    void reserve_slot();
    Place scan(int customer, int trip) const;
    std::uint64_t fresh_stamp() { return ++stamp_; }

    const Problem& problem_;
    const Distances& distances_;
    const Neighbours& neighbours_;
    int near_;
    std::vector<double> limits_;
    std::vector<double> there_and_back_;

    std::size_t count_ = 0, count_before_ = 0;
    std::vector<Slot> slots_;
    std::vector<double> room_;  // by trip, beside the slots for dense reading
    std::vector<std::vector<Stop>> stops_;
    std::vector<int> home_;  // by customer; −1 while removed

    std::uint64_t change_ = 0;
    std::vector<std::uint64_t> touch_;  // by trip: the last change that touched it
    std::vector<Saved> saved_;
    // Beside `saved_`, never shrinking, to keep its memory.
    std::vector<std::vector<Stop>> saved_stops_;

    std::uint64_t offer_ = 0;
    std::vector<std::uint64_t> offered_;  // by trip, from −1: the last offer that saw it
    std::vector<int> offers_, roomy_;
    std::vector<int> all_;  // 0, 1, 2, … for as many trips as there ever were

    // Contents remembered per customer, a power of two: enough for the trips of small plans several
    // times over, and for the trips near a customer in large ones (10,000 customers: 10 MB).
    static constexpr std::size_t cache_width = 64;
    std::uint64_t stamp_ = 0;
    std::vector<Cached> cache_;  // by customer, then by the stamp's low bits
};

inline Place Plan::best_place(int customer, int trip) {
    const std::uint64_t stamp = slots_[trip].stamp;
    Cached& cached = cache_[customer * cache_width + stamp % cache_width];
    if (cached.stamp != stamp) {
        const Place place = scan(customer, trip);
        cached = {place.delta, stamp, static_cast<std::uint64_t>(place.after)};
    }
    return {cached.delta, static_cast<int>(cached.after)};
}

}  // namespace hcvrp::sisr
