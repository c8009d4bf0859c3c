// A solution that local moves change, with all that they need to be judged in constant time.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "problem.h"

namespace hcvrp::baselines {

class Plan {
public:
    static constexpr double forbidden = std::numeric_limits<double>::infinity();

    // Load over capacity costs `overload_price` per unit on top of the objective.
    Plan(const Problem& problem, Objective objective, const Routes& routes,
         double overload_price = forbidden);

    // Sums along the trip, from the depot up to and including this node.
    struct Stop {
        int node;
        double load, length;
    };

    // stops: the depot, the customers, the depot; an empty trip has the depot twice.
    struct Journey {
        int vehicle;
        std::vector<Stop> stops;
        double penalty = 0;
        bool overloaded = false;
        std::int64_t changed = 0;  // the plan's clock when it last changed

        int size() const { return static_cast<int>(stops.size()) - 2; }
        double length() const { return stops.back().length; }
        double load() const { return stops.back().load; }
    };

    // What a trip would become.
    struct Edit {
        int trip;
        double length, load;
    };

    const Problem& problem() const { return *problem_; }
    Objective objective() const { return objective_; }
    int trips() const { return static_cast<int>(trips_.size()); }
    const Journey& trip(int t) const { return trips_[t]; }
    int trip_of(int customer) const { return place_[customer].trip; }
    int position_of(int customer) const { return place_[customer].position; }
    int previous(int customer) const { return neighbour(customer, -1); }
    int next(int customer) const { return neighbour(customer, +1); }
    // An empty trip of the vehicle; there always is one.
    int spare_trip(int vehicle) const { return spare_[vehicle]; }
    // Counts the changes so far. A descent notes here when it last tried a customer, so that it
    // need not try again what has not changed.
    std::int64_t clock() const { return clock_; }
    std::int64_t last_tried(int customer) const { return place_[customer].tried; }
    void note_try(int customer) { place_[customer].tried = clock_; }

    bool feasible() const { return overloaded_ == 0; }
    double cost() const;
    double overload_cost() const;
    // What moves are judged by: the cost, a little of the mean time for min-max (so that slack is
    // worth something on every vehicle), and the price of overload.
    double value() const;

    // By how much the value would change; infinity where overload is forbidden.
    double change(const Edit& a) const;
    double change(const Edit& a, const Edit& b) const;
    double change_of_vehicle(int trip, int vehicle) const;
    double change_of_exchange(int trip, int other) const;

    void set_trip(int trip, std::span<const int> customers);
    void set_vehicle(int trip, int vehicle);
    void exchange_vehicles(int trip, int other);
    void set_overload_price(double price);
    // Takes the customer out of its trip and puts it at `position` (from 1) of `trip`, counted
    // before the removal.
    void shift(int customer, int trip, int position);

    // What a difference of penalties may owe to rounding alone.
    double rounding() const;

    Routes routes() const;
    Trip customers(int trip) const;

private:
    struct Place {
        int trip, position;
        std::int64_t tried = -1;
    };

    int neighbour(int customer, int step) const {
        const Place& place = place_[customer];
        return trips_[place.trip].stops[place.position + step].node;
    }
    bool overloads(double load, int vehicle) const { return load > problem_->capacity(vehicle); }
    double penalty(double load, int vehicle) const {
        return overloads(load, vehicle)
                   ? overload_price_ * (load - problem_->capacity(vehicle)) : 0.0;
    }
    double change_of_times(int a, double more_a, int b, double more_b) const;
    double longest_without(int a, int b) const;
    void settle_time(int vehicle);
    void rank();
    void settle_penalty(Journey& trip);
    int take_empty_trip(int vehicle);

    const Problem* problem_;
    Objective objective_;
    double overload_price_;
    double mean_share_;  // weight of the sum of times in the value of a min-max plan
    std::vector<Journey> trips_;
    std::vector<Place> place_;     // by customer
    std::vector<int> spare_;       // by vehicle
    std::vector<int> unused_;      // further empty trips, of no vehicle in particular
    std::vector<double> time_;     // by vehicle
    std::array<int, 3> longest_;   // the vehicles with the longest times, −1 where there is none
    int overloaded_ = 0;
    std::int64_t clock_ = 0;
};

}  // namespace hcvrp::baselines
