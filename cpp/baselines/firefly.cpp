#include "firefly.h"

#include <cmath>
#include <utility>

#include "moves.h"
#include "plan.h"
#include "rng.h"
#include "start.h"

namespace hcvrp::baselines {

namespace {

// A difference in cost below this share is rounding.
constexpr double just_visible = 1e-9;

class Swarm {
public:
    Swarm(const Problem& problem, Objective objective, const FireflyParameters& parameters,
          std::uint64_t seed, const std::vector<Routes>& starts, Record& record)
        : problem_(problem), objective_(objective), parameters_(parameters), rng_(seed),
          record_(record), descent_(problem, Moves::relocate_and_two_opt, record) {
        for (int k = 0; k < parameters.fireflies && !record.over(); ++k) {
            const bool given = k < static_cast<int>(starts.size());
            swarm_.emplace_back(problem, objective, given ? starts[k]
                                                         : random_routes(problem, objective, rng_));
            polish(swarm_.back());
        }
    }

    void run() {
        for (; !record_.over(); record_.next_iteration())
            for (std::size_t k = 0; k < swarm_.size() && !record_.over(); ++k) fly(k);
    }

private:
    // Towards the firefly that it sees brightest, if any is brighter than itself. One that sees
    // none wanders, and returns unless the new place is brighter.
    void fly(std::size_t k) {
        Plan flight = swarm_[k];
        const Plan* bright = brightest_seen(flight);
        if (bright) approach(flight, *bright);
        wander(flight);
        polish(flight);
        if (bright || flight.cost() < swarm_[k].cost()) swarm_[k] = std::move(flight);
    }

    // Light I = 1/cost fades as I·exp(−γ r²) over the distance r.
    const Plan* brightest_seen(const Plan& from) {
        const Plan* brightest = nullptr;
        double most = 0;
        for (const Plan& other : swarm_) {
            if (other.cost() >= from.cost() * (1 - just_visible)) continue;
            const double light = fading(from, other) / other.cost();
            if (light <= most) continue;
            most = light;
            brightest = &other;
        }
        return brightest;
    }

    // exp(−γ r²), where r is the share of customers who are reached by another leg.
    double fading(const Plan& from, const Plan& to) const {
        int differing = 0;
        for (int c = 1; c <= problem_.customers(); ++c)
            differing += from.previous(c) != to.previous(c);
        const double r = static_cast<double>(differing) / problem_.customers();
        return std::exp(-parameters_.absorption * r * r);
    }

    // Takes over each leg of `bright` that `flight` lacks with probability β·exp(−γ r²).
    void approach(Plan& flight, const Plan& bright) {
        const double probability = parameters_.attraction * fading(flight, bright);
        for (int t = 0; t < bright.trips(); ++t)
            for (int p = 1; p <= bright.trip(t).size(); ++p) {
                const int c = bright.trip(t).stops[p].node;
                if (flight.previous(c) != bright.previous(c) && rng_.uniform() < probability)
                    follow(flight, bright, c);
            }
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

    const Problem& problem_;
    Objective objective_;
    FireflyParameters parameters_;
    Rng rng_;
    Record& record_;
    Descent descent_;
    std::vector<Plan> swarm_;
};

}  // namespace

void firefly(const Problem& problem, Objective objective, const FireflyParameters& parameters,
             std::uint64_t seed, const std::vector<Routes>& starts, Record& record) {
    Swarm(problem, objective, parameters, seed, starts, record).run();
}

}  // namespace hcvrp::baselines
