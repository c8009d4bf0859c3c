#include "start.h"

#include <numeric>
#include <utility>

#include "savings.h"

namespace hcvrp::baselines {

Routes random_routes(const Problem& problem, Objective objective, Rng& rng) {
    std::vector<int> order(problem.customers());
    std::iota(order.begin(), order.end(), 1);
    for (int k = problem.customers() - 1; k > 0; --k) std::swap(order[k], order[rng.below(k + 1)]);
    std::vector<Trip> trips;
    double room = 0;
    for (int c : order) {
        if (trips.empty() || problem.demand(c) > room) {
            trips.emplace_back();
            room = problem.capacity(rng.below(problem.vehicles()));
        }
        trips.back().push_back(c);
        room -= problem.demand(c);
    }
    return assign_longest_first(problem, std::move(trips), objective);
}

}  // namespace hcvrp::baselines
