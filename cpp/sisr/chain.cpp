#include "chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "max_cost.h"
#include "plan.h"
#include "recombination.h"
#include "rng.h"
#include "ruin.h"
#include "sum_cost.h"

namespace hcvrp::sisr {

namespace {

constexpr int adjacent_customers = 100;
constexpr int scale_neighbours = 5;
constexpr double least_improvement = 1e-12;
constexpr std::int64_t refresh_interval = 1 << 16;
// Plans within this much of the best lend their trips to the pool.
constexpr double pool_window = 0.03;
// Iterations between two looks at remembered trips: few at first, when there is little to look
// through, then so many that it takes about a millisecond in ten.
constexpr std::int64_t first_interval = 500, last_interval = 4000;

// Mean distance to the nearest few customers, or to the depot where all of those coincide.
double mean_step(const Problem& problem, const Neighbours& neighbours) {
    double near = 0, far = 0;
    int count = 0;
    for (int c = 1; c <= problem.customers(); ++c) {
        far += problem.distance(0, c) / problem.customers();
        int left = scale_neighbours;
        for (int other : neighbours.of(c)) {
            if (left-- == 0) break;
            near += problem.distance(c, other);
            ++count;
        }
    }
    return near > 0 ? near / count : far;
}

// Overlooks one candidate in 1/rate, by counting down to the next one.
class Blinks {
public:
    Blinks(double rate, Rng& rng)
        : rng_(rng), scale_(rate > 0 ? 1 / std::log1p(-rate) : 0), left_(draw()) {}

    bool operator()() {
        if (--left_ > 0) return false;
        left_ = draw();
        return true;
    }

private:
    std::int64_t draw() {
        if (scale_ == 0) return std::numeric_limits<std::int64_t>::max();
        return 1 + static_cast<std::int64_t>(std::log1p(-rng_.uniform()) * scale_);
    }

    Rng& rng_;
    double scale_;
    std::int64_t left_;
};

template <class Cost>
class CostedChain final : public Chain {
public:
    CostedChain(const SisrGround& ground, Cost cost, std::uint64_t seed)
        : ground_(ground), cost_(std::move(cost)), rng_(seed),
          blinks_(ground.parameters.blink, rng_),
          plan_(ground.problem, ground.distances, ground.neighbours, ground.parameters.near,
                cost_.limits()) {
        const int n = ground.problem.customers();
        if (ground.parameters.pool > 0 && ground.objective == Objective::min_sum) {
            pool_ = std::make_unique<Pool>(n, ground.parameters.pool);
            recombination_ = std::make_unique<Recombination>(n, ground.neighbours, *pool_);
        }
    }

    void adopt(const Routes& routes) override {
        plan_.load(routes);
        cost_.reset(plan_);
        if (is_best()) improve_best();
        for (int t = 0; pool_ && t < plan_.trips(); ++t) pool_trip(t);
    }

    void iterate(double temperature) override {
        plan_.begin();
        ruin(plan_, ground_, rng_, removed_);
        for (const auto& saved : plan_.touched()) cost_.changed(plan_, saved.trip, saved.slot);
        recreate();
        const double allowance = -temperature * std::log(1 - rng_.uniform());
        const bool accepted = cost_.acceptable(plan_, allowance) || is_best();
        if (pool_ && cost_.objective() < best_cost_ * (1 + pool_window)) pool_changed();
        if (accepted) {
            plan_.keep();
            cost_.keep();
            if (is_best()) improve_best();
        } else {
            plan_.undo();
            cost_.undo();
        }
        if (++iteration_ % refresh_interval == 0) cost_.reset(plan_);
        if (recombination_ && iteration_ >= next_recombination_) recombine();
    }

    double best_cost() const override { return best_cost_; }
    Routes best() const override { return cost_.routes(best_); }

private:
    void recreate() {
        sort_removed();
        for (int customer : removed_) {
            Choice choice = cost_.choose(plan_, customer, blinks_);
            if (choice.trip < 0) choice.trip = plan_.open(choice.vehicle);
            const Slot before = plan_.slot(choice.trip);
            plan_.insert(customer, choice.trip, choice.place);
            cost_.changed(plan_, choice.trip, before);
        }
    }

    // Random, largest demand, farthest and closest first, with weights 4, 4, 2 and 1 (§5.2).
    void sort_removed() {
        const int draw = rng_.below(11);
        if (draw < 4) {
            for (std::size_t k = removed_.size(); k > 1; --k)
                std::swap(removed_[k - 1], removed_[rng_.below(static_cast<int>(k))]);
            return;
        }
        const std::vector<double>& rank = ground_.ranks[draw < 8 ? 0 : draw < 10 ? 1 : 2];
        for (std::size_t k = 1; k < removed_.size(); ++k) {
            const int customer = removed_[k];
            std::size_t at = k;
            for (; at > 0 && rank[removed_[at - 1]] > rank[customer]; --at)
                removed_[at] = removed_[at - 1];
            removed_[at] = customer;
        }
    }

    bool is_best() const { return cost_.objective() < best_cost_ * (1 - least_improvement); }

    // A move that lowers the power mean may raise the maximum: the best of all steps counts.
    void improve_best() {
        record_best();
        plan_.begin();
        while (cost_.relieve(plan_)) {
            cost_.keep();
            if (is_best()) record_best();
        }
    }

    // Costs are summed afresh, so that what is recorded is true to the last digits; what only
    // seemed better is not.
    void record_best() {
        cost_.reset(plan_);
        if (cost_.objective() >= best_cost_) return;
        best_cost_ = cost_.objective();
        plan_.copy_to(best_);
    }

    // A cheaper best is where the search goes on from.
    void recombine() {
        next_recombination_ =
            iteration_ + std::clamp(iteration_ / 8, first_interval, last_interval);
        std::vector<Trip> trips = best_.trips;
        for (std::size_t t = 0; t < trips.size(); ++t)
            pool_->note(trips[t], best_.slots[t].length, best_.slots[t].price, best_cost_);
        const int centre = 1 + rng_.below(ground_.problem.customers());
        if (recombination_->improve(trips, centre)) adopt({trips});
    }

    void pool_changed() {
        for (const auto& saved : plan_.touched()) pool_trip(saved.trip);
        for (int t = plan_.first_opened(); t < plan_.trips(); ++t) pool_trip(t);
    }

    void pool_trip(int trip) {
        const Slot& slot = plan_.slot(trip);
        if (slot.size == 0) return;
        pooled_.clear();
        for (int k = 1; k <= slot.size; ++k) pooled_.push_back(plan_.stops(trip)[k].node);
        pool_->note(pooled_, slot.length, slot.price, cost_.objective());
    }

    const SisrGround& ground_;
    Cost cost_;
    Rng rng_;
    Blinks blinks_;
    Plan plan_;
    std::vector<int> removed_;
    std::int64_t iteration_ = 0, next_recombination_ = first_interval;
    double best_cost_ = std::numeric_limits<double>::infinity();
    Snapshot best_;
    std::unique_ptr<Pool> pool_;
    std::unique_ptr<Recombination> recombination_;
    std::vector<int> pooled_;  // the trip being noted
};

}  // namespace

SisrGround::SisrGround(const Problem& problem, Objective objective,
                       const SisrParameters& parameters, Run& run)
    : problem(problem), objective(objective), parameters(parameters), distances(problem, run),
      neighbours(problem, std::max(adjacent_customers, parameters.near), run),
      scale(mean_step(problem, neighbours)) {
    const int n = problem.customers();
    for (auto& rank : ranks) rank.resize(n + 1);
    for (int c = 1; c <= n; ++c) {
        const double away = problem.distance(0, c) + problem.distance(c, 0);
        ranks[0][c] = -problem.demand(c);
        ranks[1][c] = -away;
        ranks[2][c] = away;
    }
}

std::unique_ptr<Chain> Chain::make(const SisrGround& ground, std::uint64_t seed) {
    if (ground.objective == Objective::min_sum)
        return std::make_unique<CostedChain<SumCost>>(ground, SumCost(ground.problem), seed);
    return std::make_unique<CostedChain<MaxCost>>(
        ground, MaxCost(ground.problem, ground.parameters.log2_power), seed);
}

}  // namespace hcvrp::sisr
