#include "aco.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "moves.h"
#include "plan.h"
#include "rng.h"

namespace hcvrp::baselines {

namespace {

// No leg is taken for shorter than this share of the mean one, so that coincident customers do not
// have infinite visibility.
constexpr double shortest_leg = 1e-3;
// Every choice that fits keeps some weight, however far its trail has faded.
constexpr double least_weight = 1e-200;

// One pheromone trail over a table of choices, in units of Q₀, and each choice's weight
// trail^δ · visibility^β.
class Trail {
public:
    Trail(int rows, int columns, const AcoParameters& parameters)
        : columns_(columns), parameters_(parameters) {
        for (auto* table : {&trail_, &visibility_, &weight_})
            table->reserve(static_cast<std::size_t>(rows) * columns);
    }

    // The next choice, row by row.
    void add(double visibility) {
        trail_.push_back(1.0);
        visibility_.push_back(std::pow(visibility, parameters_.visibility_power));
        weight_.push_back(0.0);
        weigh(weight_.size() - 1);
    }
    double weight(int row, int column) const { return weight_[at(row, column)]; }

    // Q ← (1 − α) Q + α · reward.
    void learn(int row, int column, double reward) {
        const std::size_t k = at(row, column);
        trail_[k] += parameters_.learning_rate * (reward - trail_[k]);
        weigh(k);
    }

private:
    std::size_t at(int row, int column) const {
        return static_cast<std::size_t>(row) * columns_ + column;
    }
    void weigh(std::size_t k) {
        weight_[k] =
            std::max(std::pow(trail_[k], parameters_.trail_power) * visibility_[k], least_weight);
    }

    int columns_;
    AcoParameters parameters_;
    std::vector<double> trail_, visibility_, weight_;
};

class Colony {
public:
    Colony(const Problem& problem, Objective objective, const AcoParameters& parameters,
           std::uint64_t seed, Record& record)
        : problem_(problem), objective_(objective), parameters_(parameters), rng_(seed),
          record_(record), descent_(problem, Moves::relocate_and_two_opt, record),
          nodes_(problem.customers() + 1, problem.customers() + 1, parameters),
          vehicles_(problem.customers() + 1, problem.vehicles(), parameters),
          weights_(std::max(problem.customers(), problem.vehicles())) {
        const int n = problem.customers();
        for (int i = 0; i <= n; ++i) {
            record.run().check();
            for (int j = 0; j <= n; ++j) all_legs_ += problem.distance(i, j);
        }
        if (all_legs_ > 0) mean_leg_ = all_legs_ / n / (n + 1);
        for (int i = 0; i <= n; ++i) {
            record.run().check();
            for (int j = 0; j <= n; ++j)
                nodes_.add(mean_leg_ /
                           std::max(problem.distance(i, j), shortest_leg * mean_leg_));
            for (int v = 0; v < problem.vehicles(); ++v) vehicles_.add(1.0);
        }
        for (int v = 0; v < problem.vehicles(); ++v)
            best_visibility_ = std::max(
                best_visibility_, objective == Objective::min_max
                                      ? problem.speed(v) : problem.capacity(v) * problem.speed(v));
    }

    void run() {
        for (; !record_.over(); record_.next_iteration()) {
            const std::optional<Routes> found = best_of_ants();
            if (!found) return;
            Plan plan(problem_, objective_, *found);
            descent_.improve(plan, record_, rng_);
            record_.offer(plan);
            strengthen(record_.routes());
        }
    }

private:
    // None when the run was over before the first ant was done.
    std::optional<Routes> best_of_ants() {
        std::optional<Routes> best;
        double least = std::numeric_limits<double>::infinity();
        for (int ant = 0; ant < parameters_.ants; ++ant) {
            Routes routes(problem_.vehicles());
            if (!build(routes)) break;
            const double cost = problem_.cost(routes, objective_);
            if (best && cost >= least) continue;
            least = cost;
            best = std::move(routes);
        }
        return best;
    }

    // One ant: the first customer of a trip, the vehicle for it, the rest of the trip, and so on
    // until all customers are served. False when the run was over before that.
    bool build(Routes& routes) {
        unserved_.resize(problem_.customers());
        std::iota(unserved_.begin(), unserved_.end(), 1);
        time_.assign(problem_.vehicles(), 0.0);
        while (!unserved_.empty()) {
            if (record_.over()) return false;
            const int first = choose_customer(0, problem_.largest_capacity());
            const int vehicle = choose_vehicle(first);
            routes[vehicle].push_back(build_trip(first, problem_.capacity(vehicle)));
            time_[vehicle] += problem_.length(routes[vehicle].back()) * problem_.pace(vehicle);
        }
        return true;
    }

    Trip build_trip(int first, double room) {
        Trip trip{first};
        while (true) {
            room -= problem_.demand(trip.back());
            const int next = choose_customer(trip.back(), room);
            if (next == 0) break;
            trip.push_back(next);
        }
        nodes_.learn(trip.back(), 0, parameters_.discount);
        return trip;
    }

    // The customer to visit after `at`, among the unserved who fit; 0 if none does.
    int choose_customer(int at, double room) {
        const int count = static_cast<int>(unserved_.size());
        double total = 0;
        for (int k = 0; k < count; ++k) {
            const int c = unserved_[k];
            weights_[k] = problem_.demand(c) <= room ? nodes_.weight(at, c) : 0;
            total += weights_[k];
        }
        if (total == 0) return 0;
        const int chosen = choose(count, total);
        const int next = std::exchange(unserved_[chosen], unserved_.back());
        unserved_.pop_back();
        nodes_.learn(at, next, parameters_.discount);
        return next;
    }

    // The vehicle for a trip that begins with `first`.
    int choose_vehicle(int first) {
        double total = 0;
        for (int v = 0; v < problem_.vehicles(); ++v) {
            const bool fits = problem_.demand(first) <= problem_.capacity(v);
            weights_[v] = fits ? vehicles_.weight(first, v) * visibility_to_power(v) : 0;
            total += weights_[v];
        }
        const int vehicle = choose(problem_.vehicles(), total);
        vehicles_.learn(first, vehicle, parameters_.discount);
        return vehicle;
    }

    // Min-max favours the vehicle that would be back first from a mean customer, min-sum the one
    // that carries most per time.
    double visibility_to_power(int vehicle) const {
        const double out_and_back = 2 * mean_leg_ * problem_.pace(vehicle);
        const double visibility = objective_ == Objective::min_max
                                      ? 2 * mean_leg_ / (time_[vehicle] + out_and_back)
                                      : problem_.capacity(vehicle) * problem_.speed(vehicle);
        return std::pow(visibility / best_visibility_, parameters_.visibility_power);
    }

    // An index into the weights: the heaviest with probability ω₀, else by its share of the total.
    int choose(int count, double total) {
        if (rng_.uniform() < parameters_.greed)
            return static_cast<int>(
                std::max_element(weights_.begin(), weights_.begin() + count) - weights_.begin());
        double left = rng_.uniform() * total;
        int chosen = 0;
        for (int k = 0; k < count; ++k) {
            if (weights_[k] == 0) continue;
            chosen = k;
            if ((left -= weights_[k]) < 0) break;
        }
        return chosen;
    }

    // The strong update along the best solution, 1 / (its length · Q₀).
    void strengthen(const Routes& routes) {
        double length = 0;
        for (const auto& trips : routes)
            for (const Trip& trip : trips) length += problem_.length(trip);
        const double reward =
            length > 0 ? all_legs_ / (length * std::max(1, problem_.customers() - 1)) : 1;
        for (int v = 0; v < problem_.vehicles(); ++v)
            for (const Trip& trip : routes[v]) {
                vehicles_.learn(trip.front(), v, reward);
                int at = 0;
                for (int c : trip) nodes_.learn(std::exchange(at, c), c, reward);
                nodes_.learn(at, 0, reward);
            }
    }

    const Problem& problem_;
    Objective objective_;
    AcoParameters parameters_;
    Rng rng_;
    Record& record_;
    Descent descent_;
    Trail nodes_, vehicles_;
    double all_legs_ = 0, mean_leg_ = 1, best_visibility_ = 0;
    std::vector<int> unserved_;
    std::vector<double> weights_, time_;
};

}  // namespace

void aco(const Problem& problem, Objective objective, const AcoParameters& parameters,
         std::uint64_t seed, Record& record) {
    Colony(problem, objective, parameters, seed, record).run();
}

}  // namespace hcvrp::baselines
