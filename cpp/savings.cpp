#include "savings.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "neighbours.h"

namespace hcvrp {

namespace {

struct Saving {
    double value;
    int from, to;
};

// Beyond this many customers only savings between near neighbours are listed.
constexpr int full_list_limit = 250;
constexpr int neighbours_per_customer = 100;

// s_ij = d_i0 + d_0j − d_ij, for every ordered pair worth merging, largest first.
std::vector<Saving> list_savings(const Problem& problem, Run& run) {
    const int n = problem.customers();
    std::vector<Saving> list;
    const auto add = [&](int i, int j) {
        if (problem.symmetric() && i > j) return;
        const double value =
            problem.distance(i, 0) + problem.distance(0, j) - problem.distance(i, j);
        if (value > 0) list.push_back({value, i, j});
    };
    if (n <= full_list_limit) {
        for (int i = 1; i <= n; ++i) {
            run.check();
            for (int j = 1; j <= n; ++j)
                if (i != j) add(i, j);
        }
    } else {
        const Neighbours near(problem, neighbours_per_customer, run);
        for (int i = 1; i <= n; ++i) {
            run.check();
            for (int j : near.of(i)) {
                add(i, j);
                // Nearness is not mutual: the pair (j, i) is listed here unless i is near j.
                if (problem.symmetric() && j < i && !near.contains(j, i)) add(j, i);
            }
        }
    }
    // A million savings take a tenth of a second to sort: the comparison listens, too.
    std::sort(list.begin(), list.end(), [&run](const Saving& a, const Saving& b) {
        run.check();
        if (a.value != b.value) return a.value > b.value;
        return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
    return list;
}

// Trips under construction: each customer knows its trip; merged trips leave an empty one behind.
class Merger {
public:
    Merger(const Problem& problem, Objective objective, double limit)
        : problem_(problem), objective_(objective), limit_(limit),
          trips_(problem.customers() + 1), load_(problem.customers() + 1),
          length_(problem.customers() + 1), home_(problem.customers() + 1) {
        for (int c = 1; c <= problem.customers(); ++c) {
            trips_[c] = {c};
            load_[c] = problem.demand(c);
            length_[c] = problem.length(trips_[c]);
            home_[c] = c;
        }
    }

    // Joins the trips of the two customers by the leg from → to, if that is possible and pays.
    void join(const Saving& saving) {
        int a = home_[saving.from], b = home_[saving.to];
        if (a == b || load_[a] + load_[b] > limit_) return;
        if (problem_.symmetric()) {
            if (!is_end(a, saving.from) || !is_end(b, saving.to)) return;
            if (!pays(a, b, saving.value)) return;
            if (trips_[a].back() != saving.from) std::reverse(trips_[a].begin(), trips_[a].end());
            if (trips_[b].front() != saving.to) std::reverse(trips_[b].begin(), trips_[b].end());
        } else {
            if (trips_[a].back() != saving.from || trips_[b].front() != saving.to) return;
            if (!pays(a, b, saving.value)) return;
        }
        for (int c : trips_[b]) home_[c] = a;
        trips_[a].insert(trips_[a].end(), trips_[b].begin(), trips_[b].end());
        load_[a] += load_[b];
        length_[a] += length_[b] - saving.value;
        trips_[b].clear();
    }

    std::vector<Trip> take() {
        std::vector<Trip> out;
        for (Trip& trip : trips_)
            if (!trip.empty()) out.push_back(std::move(trip));
        return out;
    }

private:
    bool is_end(int trip, int customer) const {
        return trips_[trip].front() == customer || trips_[trip].back() == customer;
    }

    // A saved distance always helps min-max; for min-sum the heavier trip may need a slower
    // vehicle and cost more than the two it replaces.
    bool pays(int a, int b, double saved) const {
        if (objective_ == Objective::min_max) return true;
        const double merged = (length_[a] + length_[b] - saved) * best_pace(load_[a] + load_[b]);
        return merged < length_[a] * best_pace(load_[a]) + length_[b] * best_pace(load_[b]);
    }

    double best_pace(double load) const {
        double best = std::numeric_limits<double>::infinity();
        for (int v = 0; v < problem_.vehicles(); ++v)
            if (load <= problem_.capacity(v)) best = std::min(best, problem_.pace(v));
        return best;
    }

    const Problem& problem_;
    Objective objective_;
    double limit_;
    std::vector<Trip> trips_;
    std::vector<double> load_, length_;
    std::vector<int> home_;
};

// The distinct capacities; of more than `most_limits`, that many spread evenly up to the largest.
constexpr std::size_t most_limits = 8;

std::vector<double> load_limits(const Problem& problem) {
    std::vector<double> limits;
    for (int v = 0; v < problem.vehicles(); ++v) limits.push_back(problem.capacity(v));
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    if (limits.size() <= most_limits) return limits;
    std::vector<double> spread;
    for (std::size_t k = 1; k <= most_limits; ++k)
        spread.push_back(limits[k * limits.size() / most_limits - 1]);
    return spread;
}

}  // namespace

Routes assign_longest_first(const Problem& problem, std::vector<Trip> trips,
                            Objective objective) {
    std::vector<double> length;
    for (const Trip& trip : trips) length.push_back(problem.length(trip));
    std::vector<std::size_t> order(trips.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return length[a] > length[b]; });

    int largest = 0;
    for (int v = 1; v < problem.vehicles(); ++v)
        if (problem.capacity(v) > problem.capacity(largest)) largest = v;

    Routes routes(problem.vehicles());
    std::vector<double> busy(problem.vehicles(), 0.0);
    for (std::size_t t : order) {
        const double load = problem.load(trips[t]);
        int chosen = -1;
        const auto better = [&](int v) {
            if (chosen < 0) return true;
            const double finish_v = busy[v] + length[t] * problem.pace(v);
            const double finish_c = busy[chosen] + length[t] * problem.pace(chosen);
            if (objective == Objective::min_sum && problem.pace(v) != problem.pace(chosen))
                return problem.pace(v) < problem.pace(chosen);
            return finish_v < finish_c;
        };
        for (int v = 0; v < problem.vehicles(); ++v)
            if (load <= problem.capacity(v) && better(v)) chosen = v;
        // A given trip may use up the referee's tolerance, twice the core's.
        if (chosen < 0) chosen = largest;
        busy[chosen] += length[t] * problem.pace(chosen);
        routes[chosen].push_back(std::move(trips[t]));
    }
    return routes;
}

Routes savings(const Problem& problem, Objective objective, Run& run) {
    const std::vector<Saving> list = list_savings(problem, run);
    Routes best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (double limit : load_limits(problem)) {
        Merger merger(problem, objective, limit);
        for (const Saving& saving : list) {
            run.check();
            merger.join(saving);
        }
        Routes routes = assign_longest_first(problem, merger.take(), objective);
        const double cost = problem.cost(routes, objective);
        if (best.empty() || cost < best_cost) {
            best_cost = cost;
            best = std::move(routes);
        }
    }
    return best;
}

}  // namespace hcvrp
