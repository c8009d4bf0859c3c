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

// How much may need a large vehicle: trips whose load is above `size[k]`, the sizes in ascending
// order, measure at most `most[k]` in all; no load is above the last.
struct Sizes {
    std::vector<double> size;
    std::vector<double> most;  // of all sizes but the last
};

// Trips under construction: each customer knows its trip; merged trips leave an empty one behind.
class Merger {
public:
    Merger(const Problem& problem, Objective objective, const Sizes& sizes)
        : problem_(problem), objective_(objective), sizes_(sizes), larger_(sizes.most.size()),
          trips_(problem.customers() + 1), load_(problem.customers() + 1),
          length_(problem.customers() + 1), home_(problem.customers() + 1) {
        for (int c = 1; c <= problem.customers(); ++c) {
            trips_[c] = {c};
            load_[c] = problem.demand(c);
            length_[c] = problem.length(trips_[c]);
            home_[c] = c;
            count(load_[c], length_[c]);
        }
    }

    // Joins the trips of the two customers by the leg from → to, if that is possible and pays.
    void join(const Saving& saving) {
        int a = home_[saving.from], b = home_[saving.to];
        if (a == b || !fits(a, b, saving.value)) return;
        if (problem_.symmetric()) {
            if (!is_end(a, saving.from) || !is_end(b, saving.to)) return;
            if (!pays(a, b, saving.value)) return;
            if (trips_[a].back() != saving.from) std::reverse(trips_[a].begin(), trips_[a].end());
            if (trips_[b].front() != saving.to) std::reverse(trips_[b].begin(), trips_[b].end());
        } else {
            if (trips_[a].back() != saving.from || trips_[b].front() != saving.to) return;
            if (!pays(a, b, saving.value)) return;
        }
        count(load_[a], -length_[a]);
        count(load_[b], -length_[b]);
        for (int c : trips_[b]) home_[c] = a;
        trips_[a].insert(trips_[a].end(), trips_[b].begin(), trips_[b].end());
        load_[a] += load_[b];
        length_[a] += length_[b] - saving.value;
        count(load_[a], length_[a]);
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

    // Whether the vehicles that could carry both trips as one have the time for it.
    bool fits(int a, int b, double saved) const {
        const double load = load_[a] + load_[b], length = length_[a] + length_[b] - saved;
        if (load > sizes_.size.back()) return false;
        for (std::size_t k = 0; k < sizes_.most.size() && load > sizes_.size[k]; ++k) {
            const double before = (load_[a] > sizes_.size[k] ? length_[a] : 0) +
                                  (load_[b] > sizes_.size[k] ? length_[b] : 0);
            if (length > before && larger_[k] - before + length > sizes_.most[k]) return false;
        }
        return true;
    }

    void count(double load, double length) {
        for (std::size_t k = 0; k < larger_.size() && load > sizes_.size[k]; ++k)
            larger_[k] += length;
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
    const Sizes& sizes_;
    std::vector<double> larger_;  // the length of all trips whose load is above each size
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
    std::vector<int> carriers;
    for (const Trip& trip : trips) {
        length.push_back(problem.length(trip));
        const double load = problem.load(trip);
        int count = 0;
        if (objective == Objective::min_max)
            for (int v = 0; v < problem.vehicles(); ++v) count += load <= problem.capacity(v);
        carriers.push_back(count);
    }
    std::vector<std::size_t> order(trips.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (carriers[a] != carriers[b]) return carriers[a] < carriers[b];
        return length[a] > length[b];
    });

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

namespace {

// The distinct capacities, ascending.
std::vector<double> capacities(const Problem& problem) {
    std::vector<double> distinct;
    for (int v = 0; v < problem.vehicles(); ++v) distinct.push_back(problem.capacity(v));
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    return distinct;
}

// Joins by one list of savings under one rule for the sizes of trips after another.
class Search {
public:
    Search(const Problem& problem, Objective objective, Run& run)
        : problem_(problem), objective_(objective), run_(run), list_(list_savings(problem, run)) {}

    // The mean time of the vehicles.
    double attempt(const Sizes& sizes) {
        Merger merger(problem_, objective_, sizes);
        for (const Saving& saving : list_) {
            run_.check();
            merger.join(saving);
        }
        Routes routes = assign_longest_first(problem_, merger.take(), objective_);
        double sum = 0;
        for (int v = 0; v < problem_.vehicles(); ++v) sum += problem_.vehicle_time(v, routes[v]);
        const double cost = problem_.cost(routes, objective_);
        if (cost < cost_) {
            cost_ = cost;
            best = std::move(routes);
        }
        return sum / problem_.vehicles();
    }

    // Small trips take long in all and large ones are for few vehicles. In between lies the time
    // that the trips take on average if the vehicles of each size have just that time for them.
    void share_evenly() {
        const std::vector<double> sizes = capacities(problem_);
        double low = attempt({{sizes.back()}, {}});
        if (sizes.size() == 1) return;
        double high = attempt({{sizes.front()}, {}});
        for (int step = 0; step < halvings; ++step) {
            const double time = (low + high) / 2;
            (attempt(within(time, sizes)) > time ? low : high) = time;
        }
    }

    Routes best;

private:
    // What vehicles larger than each size can drive in that time.
    Sizes within(double time, const std::vector<double>& sizes) const {
        Sizes limited{sizes, {}};
        for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
            double speed = 0;
            for (int v = 0; v < problem_.vehicles(); ++v)
                if (problem_.capacity(v) > sizes[k]) speed += problem_.speed(v);
            limited.most.push_back(time * speed);
        }
        return limited;
    }

    static constexpr int halvings = 7;

    const Problem& problem_;
    Objective objective_;
    Run& run_;
    std::vector<Saving> list_;
    double cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Routes savings(const Problem& problem, Objective objective, Run& run) {
    Search search(problem, objective, run);
    if (objective == Objective::min_sum) {
        for (double limit : load_limits(problem)) search.attempt({{limit}, {}});
    } else {
        search.share_evenly();
    }
    return std::move(search.best);
}

}  // namespace hcvrp
