// The best solution of one run, told to the run's listener as it is found.
#pragma once

#include <cstdint>
#include <utility>

#include "plan.h"
#include "run.h"

namespace hcvrp::baselines {

class Record {
public:
    Record(const Problem& problem, Objective objective, Run& run, Routes start)
        : problem_(problem), objective_(objective), run_(run), routes_(std::move(start)),
          cost_(problem.cost(routes_, objective)) {
        run_.improved(cost_, 0, routes_);
    }

    // Keeps the plan if it is feasible and truly better, and says whether it was.
    bool offer(const Plan& plan) {
        if (!plan.feasible() || plan.cost() >= cost_ * (1 - margin)) return false;
        routes_ = plan.routes();
        cost_ = problem_.cost(routes_, objective_);
        run_.improved(cost_, iteration_, routes_);
        return true;
    }

    // Whether the run is over; to be asked every few microseconds of work.
    bool over() { return run_.over(iteration_, cost_); }
    // For what has to be made before the first iteration.
    Run& run() { return run_; }
    void next_iteration() { ++iteration_; }

    double cost() const { return cost_; }
    const Routes& routes() const { return routes_; }
    std::int64_t iteration() const { return iteration_; }

private:
    // A gain below this share of the cost is rounding.
    static constexpr double margin = 1e-11;

    const Problem& problem_;
    Objective objective_;
    Run& run_;
    Routes routes_;
    double cost_;
    std::int64_t iteration_ = 0;
};

}  // namespace hcvrp::baselines
