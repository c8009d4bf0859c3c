#include "ng_route.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "neighbours.h"

namespace hcvrp::exact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_bits = 8;                             // a memory is one byte
constexpr std::size_t map_limit = std::size_t{1} << 26;  // bytes for the memory map
constexpr double negative = -1e-9;                       // a reduced cost worth a column

}  // namespace

Legs::Legs(int customers) : into_(customers + 1), from_(customers + 1) {
    for (int i = 1; i <= customers; ++i)
        for (int j = 1; j <= customers; ++j)
            if (i != j) {
                into_[j].push_back(i);
                from_[i].push_back(j);
            }
}

std::size_t Legs::count() const {
    std::size_t total = 0;
    for (const auto& sources : into_) total += sources.size();
    return total;
}

void Legs::drop(const std::vector<double>& start, const std::vector<double>& finish,
                const Prices& prices, double gap) {
    const std::size_t nodes = into_.size();
    const std::size_t levels = start.size() / nodes;
    // home[q][j]: the best finish from j with a load of at most q.
    std::vector<double> home = finish;
    for (std::size_t k = nodes; k < home.size(); ++k) home[k] = std::min(home[k], home[k - nodes]);
    const auto useless = [&](std::size_t i, std::size_t j) {
        const double leg = prices.leg(i, j);
        for (std::size_t q = 0; q < levels; ++q)
            if (start[q * nodes + i] + leg + home[(levels - 1 - q) * nodes + j] <= gap) return false;
        return true;
    };
    for (auto& sources : from_) sources.clear();
    for (std::size_t j = 1; j < nodes; ++j) {
        std::erase_if(into_[j], [&](int i) { return useless(i, j); });
        for (int i : into_[j]) from_[i].push_back(static_cast<int>(j));
    }
}

NgRoutes::NgRoutes(const Problem& problem, std::vector<int> level, int neighbourhood,
                   double memory)
    : n_(problem.customers()), level_(std::move(level)),
      // Twice over while the vector grows.
      most_labels_(static_cast<std::size_t>(std::min(memory / (2.0 * sizeof(Label)), 2e9))) {
    int size = std::clamp(neighbourhood, 1, std::min(n_, most_bits));
    while (size > 1 && (static_cast<std::size_t>(n_) * n_ << size) > map_limit) --size;
    list_neighbourhoods(problem, size);
    map_memories();
}

void NgRoutes::list_neighbourhoods(const Problem& problem, int size) {
    bits_ = size;
    neighbourhood_.assign(n_ + 1, {});
    const Neighbours near(problem, size - 1);
    for (int i = 1; i <= n_; ++i) {
        neighbourhood_[i] = {i};
        for (int j : near.of(i)) neighbourhood_[i].push_back(j);
    }
}

void NgRoutes::map_memories() {
    const unsigned memories = 1u << bits_;
    memory_map_.assign((static_cast<std::size_t>(n_) * n_) << bits_, 0);
    std::vector<int> place(n_ + 1);
    for (int j = 1; j <= n_; ++j) {
        std::fill(place.begin(), place.end(), -1);
        for (int b = 0; b < bits_; ++b) place[neighbourhood_[j][b]] = b;
        for (int i = 1; i <= n_; ++i) {
            std::uint8_t* map =
                &memory_map_[(static_cast<std::size_t>(j - 1) * n_ + (i - 1)) << bits_];
            for (unsigned memory = 0; memory < memories && i != j; ++memory) {
                unsigned kept = 1;
                bool returns = false;
                for (int b = 0; b < bits_; ++b) {
                    if (!(memory >> b & 1)) continue;
                    const int customer = neighbourhood_[i][b];
                    returns |= customer == j;
                    if (place[customer] >= 0) kept |= 1u << place[customer];
                }
                map[memory] = returns ? 0 : static_cast<std::uint8_t>(kept);
            }
        }
    }
}

bool NgRoutes::fill(const Prices& prices, const Legs& legs, int width, bool reversed,
                    Run& run) {
    const std::size_t nodes = n_ + 1;
    capacity_ = prices.capacity;
    reversed_ = reversed;
    leg_costs_.resize(nodes * nodes);
    for (std::size_t j = 0; j < nodes; ++j)
        for (std::size_t i = 0; i < nodes; ++i)
            leg_costs_[j * nodes + i] =
                (reversed ? prices.leg(j, i) : prices.leg(i, j)) - prices.duals[j];
    const SubsetRows cuts(prices.cuts, n_ + 1, false);
    labels_.clear();
    first_.assign(1, 0);
    first_.reserve(bucket(capacity_, n_) + 2);
    for (int q = 0; q <= capacity_; ++q) {
        for (int j = 1; j <= n_; ++j) {
            collect(q, j, reversed ? legs.from(j) : legs.into(j), cuts);
            keep_undominated(cuts, width);
            first_.push_back(static_cast<std::int32_t>(labels_.size()));
            if (labels_.size() > most_labels_ || run.over(0, infinity)) return false;
        }
    }
    return true;
}

// Every way of reaching `node` with the load `level`, less those plainly worse than one that
// remembers nothing and owes nothing.
void NgRoutes::collect(int level, int node, const std::vector<int>& sources,
                       const SubsetRows& cuts) {
    candidates_.clear();
    const int before = level - level_[node];
    if (before < 0) return;
    if (before == 0) {
        double cost = leg(0, node);
        const auto open = cuts.visit({}, node, cost);
        candidates_.push_back({cost, open, -1, static_cast<std::uint16_t>(node), 1});
        return;
    }
    double clean = infinity;
    for (int i : sources) {
        const std::size_t from = bucket(before, i);
        const std::uint8_t* map =
            &memory_map_[(static_cast<std::size_t>(node - 1) * n_ + (i - 1)) << bits_];
        for (std::int32_t l = first_[from]; l < first_[from + 1]; ++l) {
            const std::uint8_t memory = map[labels_[l].memory];
            if (!memory) continue;
            double cost = labels_[l].cost + leg(i, node);
            if (cost >= clean) break;  // a bucket's labels are sorted by cost
            const auto open = cuts.visit(labels_[l].open, node, cost);
            candidates_.push_back({cost, open, l, static_cast<std::uint16_t>(node), memory});
            if (memory == 1 && open.none()) clean = std::min(clean, cost);
        }
    }
    std::erase_if(candidates_, [&](const Label& c) { return c.cost > clean; });
}

void NgRoutes::keep_undominated(const SubsetRows& cuts, int width) {
    std::sort(candidates_.begin(), candidates_.end(), [](const Label& a, const Label& b) {
        return a.cost != b.cost ? a.cost < b.cost : a.memory < b.memory;
    });
    const std::size_t first = labels_.size();
    for (const Label& label : candidates_) {
        if (labels_.size() - first >= static_cast<std::size_t>(width)) return;
        if (!is_dominated(label, cuts, first)) labels_.push_back(label);
    }
}

bool NgRoutes::is_dominated(const Label& label, const SubsetRows& cuts, std::size_t first) const {
    for (std::size_t k = first; k < labels_.size(); ++k) {
        const Label& other = labels_[k];
        if ((other.memory & ~label.memory) == 0 &&
            cuts.within(other.cost, other.open, label.open, label.cost))
            return true;
    }
    return false;
}

PricedRoutes NgRoutes::best(int most, int per_end) const {
    struct End {
        double cost;
        std::int32_t label;
    };
    PricedRoutes out;
    std::vector<End> ends;
    for (int q = 1; q <= capacity_; ++q)
        for (int i = 1; i <= n_; ++i) {
            const std::size_t b = bucket(q, i);
            if (first_[b] == first_[b + 1]) continue;
            const double cost = labels_[first_[b]].cost + leg(i, 0);
            out.least = std::min(out.least, cost);
            out.deficit = std::max(out.deficit, -cost / q);
            if (cost < negative) ends.push_back({cost, first_[b]});
        }
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
        return a.cost != b.cost ? a.cost < b.cost : a.label < b.label;
    });
    std::vector<int> taken(n_ + 1, 0);
    for (const End& end : ends) {
        if (out.routes.size() >= static_cast<std::size_t>(most)) break;
        if (taken[labels_[end.label].node]++ < per_end) out.routes.push_back(route(end.label));
    }
    return out;
}

std::vector<double> NgRoutes::completions(int above) const {
    const std::size_t nodes = n_ + 1;
    const std::vector<double> onward = least_costs();
    std::vector<double> out((capacity_ + 1) * nodes, infinity);
    std::vector<double> least(nodes);
    for (int u = 1; u <= capacity_; ++u) {
        std::fill(least.begin(), least.end(), infinity);
        for (int q = std::max(1, above + 1 - u); q + u <= capacity_; ++q)
            for (int j = 1; j <= n_; ++j)
                least[j] = std::min(least[j], onward[q * nodes + j]);
        if (u > above) least[0] = 0;
        // A label at j of the reversed table has paid for j and for what follows, so the leg
        // i → j remains: leg(j, i) without the dual of i, which is all that leg(i, i) holds.
        for (int i = 1; i <= n_; ++i) {
            double best = infinity;
            for (int j = 0; j <= n_; ++j)
                if (j != i) best = std::min(best, least[j] + leg(j, i) - leg(i, i));
            out[u * nodes + i] = best;
        }
    }
    return out;
}

std::vector<double> NgRoutes::least_costs() const {
    const std::size_t nodes = n_ + 1;
    std::vector<double> least((capacity_ + 1) * nodes, infinity);
    for (int q = 1; q <= capacity_; ++q)
        for (int i = 1; i <= n_; ++i) {
            const std::size_t b = bucket(q, i);
            if (first_[b] < first_[b + 1]) least[q * nodes + i] = labels_[first_[b]].cost;
        }
    return least;
}

Trip NgRoutes::route(std::int32_t label) const {
    Trip trip;
    for (; label >= 0; label = labels_[label].previous) trip.push_back(labels_[label].node);
    if (!reversed_) std::reverse(trip.begin(), trip.end());
    return trip;
}

}  // namespace hcvrp::exact
