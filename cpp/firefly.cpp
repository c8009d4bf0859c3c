#include "firefly.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "moves.h"
#include "plan.h"
#include "rng.h"
#include "savings.h"

namespace hcvrp {

namespace {

class Swarm {
public:
    Swarm(const Problem& problem, Objective objective, const FireflyParameters& parameters,
          std::uint64_t seed, const std::vector<Routes>& starts, Record& record)
        : problem_(problem), objective_(objective), parameters_(parameters), rng_(seed),
          record_(record), descent_(problem, {}) {
        for (int k = 0; k < parameters.fireflies && !record.over(); ++k) {
            const bool given = k < static_cast<int>(starts.size());
            swarm_.emplace_back(problem, objective, given ? starts[k] : random_routes());
            polish(swarm_.back());
        }
    }

    void run() {
        for (; !record_.over(); record_.next_iteration())
            for (std::size_t k = 0; k < swarm_.size() && !record_.over(); ++k) fly(k);
    }

private:
    // Towards every brighter firefly in turn. One that sees none wanders, and returns unless the
    // new place is brighter.
    void fly(std::size_t k) {
        Plan flight = swarm_[k];
        bool attracted = false;
        for (const Plan& other : swarm_)
            if (other.cost() < flight.cost() && approach(flight, other)) attracted = true;
        wander(flight);
        polish(flight);
        if (attracted || flight.cost() < swarm_[k].cost()) swarm_[k] = std::move(flight);
    }

    // Takes over each leg of `bright` that `flight` lacks with probability β·exp(−γ r²), where r
    // is the share of customers reached by another leg. Whether there were any.
    bool approach(Plan& flight, const Plan& bright) {
        missing_.clear();
        for (int t = 0; t < bright.trips(); ++t)
            for (int p = 1; p <= bright.trip(t).size(); ++p) {
                const int c = bright.trip(t).stops[p].node;
                if (flight.previous(c) != bright.previous(c)) missing_.push_back(c);
            }
        const double r = static_cast<double>(missing_.size()) / problem_.customers();
        const double probability = parameters_.attraction * std::exp(-parameters_.absorption * r * r);
        for (int c : missing_)
            if (rng_.uniform() < probability) follow(flight, bright, c);
        return !missing_.empty();
    }

    // c goes behind the node that it follows in `bright`; behind the depot, a trip of its own.
    void follow(Plan& flight, const Plan& bright, int c) {
        const int before = bright.previous(c);
        if (before != 0) {
            shift_if_it_fits(flight, c, flight.trip_of(before), flight.position_of(before) + 1);
        } else {
            const int vehicle = bright.trip(bright.trip_of(c)).vehicle;
            shift_if_it_fits(flight, c, flight.spare_trip(vehicle), 1);
        }
    }

    // ⌈α·n⌉ random customers go to beside near ones.
    void wander(Plan& flight) {
        const double shifts = std::ceil(parameters_.randomness * problem_.customers());
        for (int k = 0; k < shifts; ++k) {
            const int c = 1 + rng_.below(problem_.customers());
            const auto near = descent_.near().of(c);
            if (near.empty()) return;
            const int j = near[rng_.below(static_cast<int>(near.size()))];
            shift_if_it_fits(flight, c, flight.trip_of(j), flight.position_of(j) + rng_.below(2));
        }
    }

    void shift_if_it_fits(Plan& flight, int c, int trip, int position) {
        const double load = flight.trip(trip).load() + problem_.demand(c);
        if (flight.trip_of(c) == trip || load <= problem_.capacity(flight.trip(trip).vehicle))
            flight.shift(c, trip, position);
    }

    void polish(Plan& plan) {
        descent_.improve(plan, record_, rng_);
        record_.offer(plan);
    }

    // Customers in random order, cut into trips that each fill a random vehicle.
    Routes random_routes() {
        std::vector<int> order(problem_.customers());
        std::iota(order.begin(), order.end(), 1);
        for (int k = problem_.customers() - 1; k > 0; --k)
            std::swap(order[k], order[rng_.below(k + 1)]);
        std::vector<Trip> trips;
        double room = 0;
        for (int c : order) {
            if (trips.empty() || problem_.demand(c) > room) {
                trips.emplace_back();
                room = problem_.capacity(rng_.below(problem_.vehicles()));
            }
            trips.back().push_back(c);
            room -= problem_.demand(c);
        }
        return assign_longest_first(problem_, std::move(trips), objective_);
    }

    const Problem& problem_;
    Objective objective_;
    FireflyParameters parameters_;
    Rng rng_;
    Record& record_;
    Descent descent_;
    std::vector<Plan> swarm_;
    std::vector<int> missing_;
};

}  // namespace

void firefly(const Problem& problem, Objective objective, const FireflyParameters& parameters,
             std::uint64_t seed, const std::vector<Routes>& starts, Record& record) {
    Swarm(problem, objective, parameters, seed, starts, record).run();
}

}  // namespace hcvrp
