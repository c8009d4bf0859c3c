#include "ruin.h"

#include <algorithm>

namespace hcvrp::sisr {

namespace {

// Uniform in 1 … bound (a real), as in eq. 7 and 9.
int draw_up_to(double bound, Rng& rng) { return 1 + static_cast<int>(rng.uniform() * bound); }

// The first stop of a random string of `length` stops that contains the stop `at`.
int draw_first(int at, int length, int size, Rng& rng) {
    const int low = std::max(1, at - length + 1), high = std::min(at, size - length + 1);
    return low + rng.below(high - low + 1);
}

void remove_string(Plan& plan, int customer, double longest, const SisrParameters& parameters,
                   Rng& rng, std::vector<int>& removed) {
    const int trip = plan.trip_of(customer), size = plan.slot(trip).size;
    // Trips are short: looking for the stop costs less than keeping every customer's up to date.
    const std::vector<Stop>& stops = plan.stops(trip);
    int at = 1;
    while (stops[at].node != customer) ++at;
    const int length = draw_up_to(std::min<double>(size, longest), rng);
    if (length == 1 || length == size || rng.uniform() >= parameters.split_rate) {
        plan.remove(trip, draw_first(at, length, size, rng), length, removed);
        return;
    }
    // Split: a longer string keeps `kept` customers in its middle.
    int kept = 1;
    while (length + kept < size && rng.uniform() < parameters.split_depth) ++kept;
    const int first = draw_first(at, length + kept, size, rng);
    const int head = 1 + rng.below(length - 1);
    plan.remove(trip, first + head + kept, length - head, removed);
    plan.remove(trip, first, head, removed);
}

}  // namespace

void ruin(Plan& plan, const SisrGround& ground, Rng& rng, std::vector<int>& removed) {
    removed.clear();
    const SisrParameters& parameters = ground.parameters;
    const int n = ground.problem.customers();
    const double longest =
        std::min(parameters.longest_string, static_cast<double>(n) / plan.trips());
    const double most = std::max(1.0, 4 * parameters.mean_removed / (1 + longest) - 1);
    int strings = draw_up_to(most, rng);

    const int seed = 1 + rng.below(n);
    remove_string(plan, seed, longest, parameters, rng, removed);
    for (int customer : ground.neighbours.of(seed)) {
        if (--strings == 0) break;
        const int trip = plan.trip_of(customer);
        if (trip < 0 || plan.is_touched(trip)) {
            ++strings;
            continue;
        }
        remove_string(plan, customer, longest, parameters, rng, removed);
    }
}

}  // namespace hcvrp::sisr
