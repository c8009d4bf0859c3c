// Routes of least reduced cost by dynamic programming over loads, with the ng-route relaxation of
// elementarity (Baldacci, Mingozzi & Roberti 2011): a route may return to a customer only after
// leaving that customer's neighbourhood.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.h"
#include "run.h"
#include "subset_row.h"

namespace hcvrp::exact {

// The reduced cost of a route: the prices of its legs − the duals of its visits + the cuts'
// penalties.
struct Prices {
    std::vector<double> legs;    // row by origin
    int capacity;                // in load levels
    std::vector<double> duals;   // by node; the depot's is 0
    std::vector<SubsetRow> cuts;

    double leg(std::size_t from, std::size_t to) const { return legs[from * duals.size() + to]; }
};

struct PricedRoutes {
    std::vector<Trip> routes;    // of negative reduced cost, least first
    double least = 0;            // reduced cost over all routes, at most 0
    double deficit = 0;          // largest −(reduced cost) / (load level) over all routes, at least 0
};

// The legs between customers that routes of one group of vehicles may still use.
class Legs {
public:
    explicit Legs(int customers);

    const std::vector<int>& into(int customer) const { return into_[customer]; }
    const std::vector<int>& from(int customer) const { return from_[customer]; }
    std::size_t count() const;

    // Drops every leg i → j that no route below `gap` uses: start[q][i] is the least reduced cost
    // of reaching i with load q in all, finish[q][j] that of going home from j likewise, both with
    // their customer paid (entry q × (n + 1) + i), the legs as in `prices`.
    void drop(const std::vector<double>& start, const std::vector<double>& finish,
              const Prices& prices, double gap);

private:
    std::vector<std::vector<int>> into_, from_;
};

class NgRoutes {
public:
    // `level` is a customer's load as a whole number of at least 1, by node. Very large instances
    // get smaller neighbourhoods, for the table of memories grows with n² × 2^neighbourhood.
    // The labels of a table take at most about `memory` bytes.
    NgRoutes(const Problem& problem, std::vector<int> level, int neighbourhood, double memory);

    // Fills the table of labels, at most `width` for each (load, last customer): with all of them
    // the least reduced cost is exact. `reversed` builds routes from their end. False: `run` ended,
    // or the table would be too large.
    bool fill(const Prices& prices, const Legs& legs, int width, bool reversed, Run& run);

    // What the table holds: the best routes with negative reduced cost, at most `most` in all and
    // `per_end` for the same last customer.
    PricedRoutes best(int most, int per_end) const;

    // From a reversed table: least reduced cost of leaving customer i, with load level u on board
    // (i included), for home with the whole route's level above `above` and within capacity.
    // Entry u × (n + 1) + i.
    std::vector<double> completions(int above) const;

    // Least reduced cost of each (load, last customer), entry q × (n + 1) + i.
    std::vector<double> least_costs() const;

    std::size_t labels() const { return labels_.size(); }
    int customers() const { return n_; }
    int level(int customer) const { return level_[customer]; }

private:
    struct Label {
        double cost;
        OpenCuts open;  // cuts with an unpaired visit
        std::int32_t previous;   // label, −1 at the depot
        std::uint16_t node;
        std::uint8_t memory;     // visited neighbours, as bits in the node's own order
    };

    void list_neighbourhoods(const Problem& problem, int size);
    void map_memories();
    void collect(int level, int node, const std::vector<int>& sources, const SubsetRows& cuts);
    void keep_undominated(const SubsetRows& cuts, int width);
    bool is_dominated(const Label& label, const SubsetRows& cuts, std::size_t first) const;
    double leg(int from, int to) const {
        return leg_costs_[static_cast<std::size_t>(to) * (n_ + 1) + from];
    }
    std::size_t bucket(int level, int node) const {
        return static_cast<std::size_t>(level) * n_ + node - 1;
    }
    Trip route(std::int32_t label) const;

    int n_;
    std::vector<int> level_;
    std::size_t most_labels_;
    int bits_ = 0;
    std::vector<std::vector<int>> neighbourhood_;  // the customer itself first
    // The memory at j of a route that comes from i with memory M: entry ((j·n + i) << bits) + M;
    // 0 forbids the step, since a memory always holds the customer itself.
    std::vector<std::uint8_t> memory_map_;

    // The table of the last fill.
    int capacity_ = 0;
    bool reversed_ = false;
    std::vector<double> leg_costs_;  // leg − dual, by destination, then origin
    std::vector<Label> labels_;
    std::vector<std::int32_t> first_;  // of each bucket, one more at the end
    std::vector<Label> candidates_;
};

}  // namespace hcvrp::exact
