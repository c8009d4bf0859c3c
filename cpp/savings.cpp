#include "savings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "neighbours.h"

namespace hcvrp {

namespace {

struct Saving {
    double value;
    int from, to;
};

// Of many customers only savings between near neighbours are listed. Fewer will do for min-max,
// where each list is gone through more often and its order matters less.
constexpr int near_for_sum = 100, near_for_max = 40;
constexpr double many = 2.5;  // times the neighbours

// s_ij = d_i0 + d_0j − d_ij, for every ordered pair worth merging, largest first.
std::vector<Saving> list_savings(const Problem& problem, Objective objective, Run& run) {
    const int n = problem.customers();
    const int nearest = objective == Objective::min_max ? near_for_max : near_for_sum;
    std::vector<Saving> list;
    const auto add = [&](int i, int j) {
        if (problem.symmetric() && i > j) return;
        const double value =
            problem.distance(i, 0) + problem.distance(0, j) - problem.distance(i, j);
        if (value > 0) list.push_back({value, i, j});
    };
    if (n <= many * nearest) {
        for (int i = 1; i <= n; ++i) {
            run.check();
            for (int j = 1; j <= n; ++j)
                if (i != j) add(i, j);
        }
    } else {
        const Neighbours near(problem, nearest, run);
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

// The trips that there may be by size: the sizes in ascending order, no load above the last.
struct Sizes {
    std::vector<double> size;
    std::vector<double> longest;  // a trip that needs no more than the size
    std::vector<double> above;    // all trips together that need more
};

// Trips under construction: each customer knows its trip; merged trips leave an empty one behind.
class Merger {
public:
    Merger(const Problem& problem, Objective objective, const Sizes& sizes)
        : problem_(problem), objective_(objective), sizes_(sizes), above_(sizes.size.size()),
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
        const auto& [size, longest, above] = sizes_;
        if (load > size.back()) return false;
        std::size_t k = 0;
        for (; load > size[k]; ++k) {
            const double before = (load_[a] > size[k] ? length_[a] : 0) +
                                  (load_[b] > size[k] ? length_[b] : 0);
            if (above_[k] - before + length > above[k]) return false;
        }
        return length <= longest[k];
    }

    void count(double load, double length) {
        for (std::size_t k = 0; k < above_.size() && load > sizes_.size[k]; ++k)
            above_[k] += length;
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
    std::vector<double> above_;  // the length of all trips that need more than each size
    std::vector<Trip> trips_;
    std::vector<double> load_, length_;
    std::vector<int> home_;
};

}  // namespace

Routes assign_longest_first(const Problem& problem, std::vector<Trip> trips,
                            Objective objective) {
    struct Job {
        std::size_t trip;
        double load, length;
        int carriers;  // that could make the trip, where that decides the order
    };
    std::vector<Job> jobs;
    for (std::size_t t = 0; t < trips.size(); ++t) {
        Job job{t, problem.load(trips[t]), problem.length(trips[t]), 0};
        if (objective == Objective::min_max)
            for (int v = 0; v < problem.vehicles(); ++v)
                job.carriers += job.load <= problem.capacity(v);
        jobs.push_back(job);
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
        return a.carriers != b.carriers ? a.carriers < b.carriers : a.length > b.length;
    });

    int largest = 0;
    for (int v = 1; v < problem.vehicles(); ++v)
        if (problem.capacity(v) > problem.capacity(largest)) largest = v;

    Routes routes(problem.vehicles());
    std::vector<double> busy(problem.vehicles(), 0.0);
    for (const auto& [trip, load, length, carriers] : jobs) {
        int chosen = -1;
        const auto better = [&](int v) {
            if (chosen < 0) return true;
            const double finish_v = busy[v] + length * problem.pace(v);
            const double finish_c = busy[chosen] + length * problem.pace(chosen);
            if (objective == Objective::min_sum && problem.pace(v) != problem.pace(chosen))
                return problem.pace(v) < problem.pace(chosen);
            return finish_v < finish_c;
        };
        for (int v = 0; v < problem.vehicles(); ++v)
            if (load <= problem.capacity(v) && better(v)) chosen = v;
        // A given trip may use up the referee's tolerance, twice the core's.
        if (chosen < 0) chosen = largest;
        busy[chosen] += length * problem.pace(chosen);
        routes[chosen].push_back(std::move(trips[trip]));
    }
    return routes;
}

namespace {

// The distinct capacities, ascending; of more than `most`, that many spread evenly up to the
// largest.
std::vector<double> capacities(const Problem& problem, std::size_t most) {
    std::vector<double> distinct;
    for (int v = 0; v < problem.vehicles(); ++v) distinct.push_back(problem.capacity(v));
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() <= most) return distinct;
    std::vector<double> spread;
    for (std::size_t k = 1; k <= most; ++k)
        spread.push_back(distinct[k * distinct.size() / most - 1]);
    return spread;
}

// What the vehicles can drive in a unit of time.
Sizes reach(const Problem& problem, const std::vector<double>& sizes) {
    Sizes made{sizes, {}, {}};
    for (double size : sizes) {
        double fastest = 0, together = 0;
        for (int v = 0; v < problem.vehicles(); ++v) {
            if (problem.capacity(v) >= size) fastest = std::max(fastest, problem.speed(v));
            if (problem.capacity(v) > size) together += problem.speed(v);
        }
        made.longest.push_back(fastest);
        made.above.push_back(together);
    }
    return made;
}

Sizes within(double time, Sizes reach) {
    for (double& length : reach.longest) length *= time;
    for (double& length : reach.above) length *= time;
    return reach;
}

// Of a trip to one customer, there and back, on the fastest of its size.
double longest_single(const Problem& problem, const Sizes& reach) {
    double longest = 0;
    for (int c = 1; c <= problem.customers(); ++c) {
        std::size_t k = 0;
        while (problem.demand(c) > reach.size[k]) ++k;
        longest = std::max(longest, problem.length({c}) / reach.longest[k]);
    }
    return longest;
}

// Joins by one list of savings, under one rule for the sizes of trips after another.
class Attempts {
public:
    Attempts(const Problem& problem, Objective objective, Run& run)
        : problem_(problem), objective_(objective), run_(run),
          list_(list_savings(problem, objective, run)) {}

    // Each capacity as the limit of all trips.
    void limit() {
        for (double limit : capacities(problem_, most_limits)) make({{limit}, {endless}, {endless}});
    }

    // Trips as large as they can be take the least time in all, but few vehicles can make them;
    // trips that all can make take the most. In between lies the time that is as long as the
    // vehicles need on average if those of each size have just that time for trips of their own.
    void share() {
        const Sizes hourly = reach(problem_, capacities(problem_, most_sizes));
        double low = std::max(make({{hourly.size.back()}, {endless}, {endless}}),
                              longest_single(problem_, hourly));
        double high = make({{hourly.size.front()}, {endless}, {endless}});
        for (int k = 0; k < halvings; ++k) {
            const double time = (low + high) / 2;
            (make(within(time, hourly)) > time ? low : high) = time;
        }
    }

    Routes best;

private:
    // The mean time of the vehicles; the best outcome is kept.
    double make(const Sizes& sizes) {
        Merger merger(problem_, objective_, sizes);
        for (const Saving& saving : list_) {
            run_.check();
            merger.join(saving);
        }
        Routes routes = assign_longest_first(problem_, merger.take(), objective_);
        const double cost = problem_.cost(routes, objective_);
        const double mean = problem_.cost(routes, Objective::min_sum) / problem_.vehicles();
        if (best.empty() || cost < cost_) {
            cost_ = cost;
            best = std::move(routes);
        }
        return mean;
    }

    static constexpr double endless = std::numeric_limits<double>::infinity();
    static constexpr std::size_t most_limits = 8, most_sizes = 64;
    static constexpr int halvings = 7;

    const Problem& problem_;
    Objective objective_;
    Run& run_;
    std::vector<Saving> list_;
    double cost_ = 0;
};

}  // namespace

Routes savings(const Problem& problem, Objective objective, Run& run) {
    Attempts attempts(problem, objective, run);
    objective == Objective::min_sum ? attempts.limit() : attempts.share();
    return std::move(attempts.best);
}

}  // namespace hcvrp
