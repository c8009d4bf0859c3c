#include "enumerate.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hcvrp::exact {

namespace {

template <int Words>
using CustomerSet = std::array<std::uint64_t, Words>;

template <int Words>
std::uint64_t hash(const CustomerSet<Words>& set) {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (std::uint64_t word : set) {
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

// Positions in a vector kept elsewhere, found by hash; open addressing, at most half full.
class Positions {
public:
    // The position whose item `same` accepts; `fresh` is entered if there is none.
    template <class Same>
    std::int32_t find_or_add(std::uint64_t hash, std::int32_t fresh, const Same& same) {
        for (std::size_t k = hash & mask_;; k = (k + 1) & mask_) {
            if (slots_[k] < 0) {
                slots_[k] = fresh;
                ++count_;
                return fresh;
            }
            if (same(slots_[k])) return slots_[k];
        }
    }
    template <class HashOf>
    void make_room(const HashOf& hash_of) {
        if (2 * (count_ + 1) <= slots_.size()) return;
        std::vector<std::int32_t> old(2 * slots_.size(), -1);
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (std::int32_t position : old) {
            if (position < 0) continue;
            std::size_t k = hash_of(position) & mask_;
            while (slots_[k] >= 0) k = (k + 1) & mask_;
            slots_[k] = position;
        }
    }
    void clear() {
        slots_.assign(1024, -1);
        mask_ = slots_.size() - 1;
        count_ = 0;
    }

private:
    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(1024, -1);
    std::size_t mask_ = 1023, count_ = 0;
};

template <int Words>
class Enumerator {
public:
    Enumerator(const Problem& problem, const NgRoutes& table, const Prices& prices,
               const TripRange& range, double memory, Run& run)
        : problem_(problem), table_(table), prices_(prices), range_(range), run_(run),
          nodes_(problem.customers() + 1), completions_(table.completions(range.above_level)),
          cuts_(prices.cuts, static_cast<int>(nodes_), true),
          // Paths and their hash slots, twice over while a vector grows.
          most_paths_(static_cast<std::size_t>(std::min(memory / (2.0 * sizeof(Path) + 16), 2e9))) {
    }

    TripPool run() {
        using End = TripPool::End;
        extend({}, 0, -1);
        for (std::size_t layer = 0; layer < paths_.size();) {
            const std::size_t end = paths_.size();
            layer_.clear();
            for (; layer < end; ++layer) {
                const Path path = paths_[layer];
                finish(path, static_cast<std::int32_t>(layer));
                extend(path, path.last, static_cast<std::int32_t>(layer));
                if (paths_.size() > most_paths_) return TripPool{End::too_many};
                if (run_.over(0, infinity)) return TripPool{End::interrupted};
            }
        }
        return collect();
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    struct Path {
        CustomerSet<Words> set{};
        double cost = 0;  // reduced
        double length = 0;
        double load = 0;
        OpenCuts open;
        std::int32_t previous = -1;
        std::int32_t level = 0;
        std::int32_t last = 0;
    };
    struct Finished {
        double length;
        std::int32_t path;
    };

    void extend(const Path& path, int last, std::int32_t index) {
        for (int j = 1; j < static_cast<int>(nodes_); ++j) {
            const std::uint64_t bit = std::uint64_t{1} << (j & 63);
            if (path.set[j >> 6] & bit) continue;
            Path next = path;
            next.level += table_.level(j);
            next.load += problem_.demand(j);
            if (next.level > prices_.capacity || next.load > range_.most_load) continue;
            next.cost += prices_.leg(last, j) - prices_.duals[j];
            next.open = cuts_.visit(path.open, j, next.cost);
            if (next.cost + completions_[next.level * nodes_ + j] > range_.gap) continue;
            next.length += problem_.distance(last, j);
            next.set[j >> 6] |= bit;
            next.last = j;
            next.previous = index;
            add(next);
        }
    }

    // Of the paths through the same customers to the same last one, only the shortest counts: a
    // longer one is in no optimal solution, however its legs are priced.
    void add(const Path& path) {
        const auto hash_of = [&](std::int32_t p) {
            return hash<Words>(paths_[p].set) + static_cast<std::uint64_t>(paths_[p].last) * salt;
        };
        layer_.make_room(hash_of);
        const auto fresh = static_cast<std::int32_t>(paths_.size());
        paths_.push_back(path);
        const std::int32_t at = layer_.find_or_add(hash_of(fresh), fresh, [&](std::int32_t p) {
            return paths_[p].last == path.last && paths_[p].set == path.set;
        });
        if (at == fresh) return;
        paths_.pop_back();
        if (path.length < paths_[at].length) paths_[at] = path;
    }

    void finish(const Path& path, std::int32_t index) {
        const double cost = path.cost + prices_.leg(path.last, 0);
        if (cost > range_.gap || path.load <= range_.above_load) return;
        const double length = path.length + problem_.distance(path.last, 0);
        by_set_.make_room([&](std::int32_t f) { return hash<Words>(paths_[finished_[f].path].set); });
        const auto fresh = static_cast<std::int32_t>(finished_.size());
        finished_.push_back({length, index});
        const std::int32_t at =
            by_set_.find_or_add(hash<Words>(path.set), fresh, [&](std::int32_t f) {
                return paths_[finished_[f].path].set == path.set;
            });
        if (at == fresh) return;
        finished_.pop_back();
        if (length < finished_[at].length) finished_[at] = {length, index};
    }

    TripPool collect() const {
        TripPool pool;
        Trip trip;
        for (const Finished& finished : finished_) {
            trip.clear();
            for (std::int32_t p = finished.path; p >= 0; p = paths_[p].previous)
                trip.push_back(paths_[p].last);
            std::reverse(trip.begin(), trip.end());
            pool.customers.insert(pool.customers.end(), trip.begin(), trip.end());
            pool.first.push_back(static_cast<std::int64_t>(pool.customers.size()));
            pool.lengths.push_back(problem_.length(trip));
        }
        return pool;
    }

    static constexpr std::uint64_t salt = 0xc2b2ae3d27d4eb4fu;

    const Problem& problem_;
    const NgRoutes& table_;
    const Prices& prices_;
    const TripRange& range_;
    Run& run_;
    std::size_t nodes_;
    std::vector<double> completions_;
    SubsetRows cuts_;
    std::size_t most_paths_;
    std::vector<Path> paths_;
    Positions layer_, by_set_;
    std::vector<Finished> finished_;
};

template <int Words>
TripPool enumerate_with(const Problem& problem, const NgRoutes& table, const Prices& prices,
                        const TripRange& range, double memory, Run& run) {
    return Enumerator<Words>(problem, table, prices, range, memory, run).run();
}

}  // namespace

TripPool enumerate_trips(const Problem& problem, const NgRoutes& table, const Prices& prices,
                         const TripRange& range, double memory, Run& run) {
    const int words = problem.customers() / 64 + 1;
    if (words == 1) return enumerate_with<1>(problem, table, prices, range, memory, run);
    if (words == 2) return enumerate_with<2>(problem, table, prices, range, memory, run);
    if (words <= 4) return enumerate_with<4>(problem, table, prices, range, memory, run);
    if (words <= 16) return enumerate_with<16>(problem, table, prices, range, memory, run);
    return TripPool{TripPool::End::too_many};
}

}  // namespace hcvrp::exact
