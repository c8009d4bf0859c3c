#include "vns.h"

#include <algorithm>
#include <cmath>

#include "moves.h"
#include "plan.h"
#include "rng.h"

namespace hcvrp::baselines {

namespace {

// Shakes of different strength, from the least share of shifted customers to the most.
constexpr int shakes = 4;
// How much dearer overload becomes when a promising plan must become feasible.
constexpr double repair_factor = 10;

// One mean customer of overload costs `penalty` mean legs on a vehicle of mean pace, so that the
// price does not depend on the units of distances and demands.
double overload_price(const Problem& problem, double penalty) {
    double legs = 0, demand = 0, pace = 0;
    for (int c = 1; c <= problem.customers(); ++c) {
        legs += problem.distance(0, c) + problem.distance(c, 0);
        demand += problem.demand(c);
    }
    for (int v = 0; v < problem.vehicles(); ++v) pace += problem.pace(v);
    if (demand == 0) return 0;
    return penalty * legs / 2 * (pace / problem.vehicles()) / demand;
}

class Vns {
public:
    Vns(const Problem& problem, Objective objective, const VnsParameters& parameters,
        std::uint64_t seed, Record& record)
        : problem_(problem), parameters_(parameters), rng_(seed), record_(record),
          descent_(problem, Moves::all, record),
          price_(overload_price(problem, parameters.overload_penalty)),
          current_(problem, objective, record.routes(), price_) {}

    void run() {
        descend(current_);
        for (int strength = 0; !record_.over(); record_.next_iteration()) {
            Plan candidate = current_;
            shake(candidate, strength);
            const bool better = descend(candidate);
            strength = better ? 0 : (strength + 1) % shakes;
            if (tolerable(candidate)) current_ = std::move(candidate);
        }
    }

private:
    // A local optimum; one that is overloaded but promising is descended once more at a higher
    // price, to become feasible. Whether it is a new best.
    bool descend(Plan& plan) {
        descent_.improve(plan, record_, rng_);
        if (!plan.feasible() && tolerable(plan)) {
            plan.set_overload_price(repair_factor * price_);
            descent_.improve(plan, record_, rng_);
            plan.set_overload_price(price_);
        }
        return record_.offer(plan);
    }

    bool tolerable(const Plan& plan) const {
        return plan.cost() + plan.overload_cost() <=
               (1 + parameters_.max_tolerance) * record_.cost();
    }

    // Shifts the customers of a random walk from near one to near one, each to beside the next,
    // whatever that does to cost and load.
    void shake(Plan& plan, int strength) {
        const double share = std::lerp(parameters_.least_shake, parameters_.most_shake,
                                       strength / (shakes - 1.0));
        const int shifts = std::max(1, static_cast<int>(std::lround(share * problem_.customers())));
        int i = 1 + rng_.below(problem_.customers());
        for (int k = 0; k < shifts; ++k) {
            const auto near = descent_.near().of(i);
            if (near.empty()) return;
            const int j = near[rng_.below(static_cast<int>(near.size()))];
            plan.shift(i, plan.trip_of(j), plan.position_of(j) + rng_.below(2));
            i = j;
        }
    }

    const Problem& problem_;
    VnsParameters parameters_;
    Rng rng_;
    Record& record_;
    Descent descent_;
    double price_;
    Plan current_;
};

}  // namespace

void vns(const Problem& problem, Objective objective, const VnsParameters& parameters,
         std::uint64_t seed, Record& record) {
    Vns(problem, objective, parameters, seed, record).run();
}

}  // namespace hcvrp::baselines
