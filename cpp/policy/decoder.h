// The two decoders: who makes the next move, and where it goes (docs/methods/fleet.md).
#pragma once

#include <vector>

#include "state.h"

namespace hcvrp::policy {

// What attention to the nodes needs of each head.
struct Memory {
    std::vector<Packed> keys, values;  // keys transposed
};

// All that the decoders know of an embedded instance before the first step.
struct Tables {
    Tables(const Network& network, const Ground& ground, Matrix& embedded);

    Matrix query;           // of the choice of a vehicle, one row
    Matrix hidden_vehicle;  // what a vehicle is, to that choice
    Matrix place, vehicle;  // what standing at a node, and being a vehicle, adds to a node's query
    Packed compare;         // what query and glimpse are compared with
    Memory for_vehicles, for_nodes;
};

// Scores many states of one instance side by side.
class Scorer {
public:
    Scorer(const Network& network, const Ground& ground, int most_states);

    // Row i: the scores of the vehicles in state i, `forbidden` and less where it may not move.
    Slice vehicles(const Tables& tables, const std::vector<State*>& states,
                   const std::vector<std::vector<int>>& movable);
    // Row i: those of the nodes for the vehicle chosen in state i.
    Slice nodes(const Tables& tables, const std::vector<State*>& states,
                const std::vector<int>& vehicle);

private:
    void glimpse(const Memory& memory, int rows);
    void judge_fleets(const Tables& tables, int rows);
    void write_queries(const Tables& tables, const std::vector<State*>& states,
                       const std::vector<int>& vehicle);
    void add_pair_terms(const State& state, int vehicle, int row);

    const Network& network_;
    const Ground& ground_;
    // By state; `seen_` is what a glimpse brings home.
    Matrix numbers_, penalty_, query_, silu_, out_, attention_, seen_, node_scores_;
    Matrix look_, pooled_, fleet_, vehicle_scores_, vehicle_penalty_;
    Matrix moving_, hidden_, mixed_;  // by state and vehicle
};

}  // namespace hcvrp::policy
