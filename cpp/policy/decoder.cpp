#include "decoder.h"

#include <algorithm>

namespace hcvrp::policy {

namespace {

// The lowest scores below the best.
constexpr float vehicle_range = 6, node_range = 20;
// Of the mean demand: what a full vehicle is taken to have left.
constexpr double least_load = 1e-3;

void copy_rows(const float* row, Matrix& to, int rows) {
    for (int r = 0; r < rows; ++r) std::copy_n(row, to.columns(), to[r]);
}

void add(const float* more, float* row, int count) {
    for (int k = 0; k < count; ++k) row[k] += more[k];
}

// W x + b for every row x of `from`.
Matrix applied(const Linear& linear, const Slice& from, int rows, int columns) {
    Matrix made(rows, columns);
    copy_rows(linear.bias.data(), made, rows);
    multiply_add(from, linear.weight, made.all(), rows);
    return made;
}

Packed transposed(const Slice& from, int rows) {
    Packed made(from.columns, rows);
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < from.columns; ++k) made.at(k, r) = from[r][k];
    return made;
}

Packed packed(const Slice& from, int rows) {
    Packed made(rows, from.columns);
    for (int r = 0; r < rows; ++r)
        for (int k = 0; k < from.columns; ++k) made.at(r, k) = from[r][k];
    return made;
}

// From rows of keys and values side by side.
Memory memory(const Network& network, Matrix& keys_values) {
    Memory made;
    for (int h = 0; h < network.heads; ++h) {
        const int first = h * network.head;
        made.keys.push_back(
            transposed(keys_values.slice(first, network.head), keys_values.rows()));
        made.values.push_back(
            packed(keys_values.slice(network.dim + first, network.head), keys_values.rows()));
    }
    return made;
}

}  // namespace

Tables::Tables(const Network& network, const Ground& ground, Matrix& embedded) {
    const int dim = network.dim, nodes = ground.nodes(), vehicles = ground.vehicles();
    const Slice node = embedded.all(), fleet{embedded[nodes], node.stride, node.columns};
    const auto& who = network.choice_of_vehicle;
    query = applied(who.query, node, 1, dim);
    hidden_vehicle = applied(who.vehicle, fleet, vehicles, dim / 2);
    Matrix seen = applied(who.key_value, node, nodes, 2 * dim);
    for_vehicles = memory(network, seen);

    const auto& where = network.choice_of_node;
    place = applied(where.place, node, nodes, dim);
    vehicle = applied(where.vehicle, fleet, vehicles, dim);
    Matrix keys = applied(where.keys, node, nodes, 3 * dim);
    for_nodes = memory(network, keys);
    compare = transposed(keys.slice(2 * dim, dim), nodes);
}

Scorer::Scorer(const Network& network, const Ground& ground, int most)
    : network_(network), ground_(ground), numbers_(most, state_numbers + moving_numbers),
      penalty_(most, ground.nodes()), query_(most, network.dim), silu_(most, network.dim),
      out_(most, network.dim + pair_terms), attention_(most, ground.nodes()),
      seen_(most, network.dim), node_scores_(most, ground.nodes()), look_(most, network.dim / 2),
      pooled_(most, network.dim / 2), fleet_(most, network.dim / 2),
      vehicle_scores_(most, ground.vehicles()), vehicle_penalty_(most, ground.vehicles()),
      moving_(most * ground.vehicles(), moving_numbers),
      hidden_(most * ground.vehicles(), network.dim / 2),
      mixed_(most * ground.vehicles(), network.dim / 2) {}

Slice Scorer::vehicles(const Tables& tables, const std::vector<State*>& states,
                       const std::vector<std::vector<int>>& movable) {
    const int rows = static_cast<int>(states.size());
    for (int i = 0; i < rows; ++i) {
        const auto numbers = states[i]->numbers();
        std::copy(numbers.begin(), numbers.end(), numbers_[i]);
        for (int v = 0; v < ground_.vehicles(); ++v)
            states[i]->describe(v, numbers, moving_[i * ground_.vehicles() + v]);
        std::copy_n(states[i]->waiting(), penalty_.stride(), penalty_[i]);
        std::fill_n(vehicle_penalty_[i], vehicle_penalty_.stride(), forbidden);
        for (int v : movable[i]) vehicle_penalty_[i][v] = 0;
    }
    copy_rows(tables.query[0], query_, rows);
    multiply_add(numbers_.all(), network_.choice_of_vehicle.context.weight, query_.all(), rows);
    glimpse(tables.for_vehicles, rows);
    judge_fleets(tables, rows);
    for (int i = 0; i < rows; ++i)
        kernels().squash(vehicle_scores_[i], vehicle_range, vehicle_penalty_[i],
                         vehicle_scores_.stride());
    return vehicle_scores_.all();
}

// Every vehicle by itself and against the fleet, from what the glimpse saw.
void Scorer::judge_fleets(const Tables& tables, int rows) {
    const auto& who = network_.choice_of_vehicle;
    const int m = ground_.vehicles(), hidden = network_.dim / 2;
    multiply(seen_.all(), who.glimpse.weight, look_.all(), rows);
    for (int i = 0; i < rows; ++i)
        for (int v = 0; v < m; ++v) {
            std::copy_n(tables.hidden_vehicle[v], hidden, hidden_[i * m + v]);
            add(look_[i], hidden_[i * m + v], hidden);
        }
    multiply_add(moving_.all(), who.dynamic.weight, hidden_.all(), rows * m);
    kernels().silu(hidden_[0], rows * m * hidden_.stride());
    for (int i = 0; i < rows; ++i) {
        std::fill_n(pooled_[i], hidden, 0.0f);
        for (int v = 0; v < m; ++v) add(hidden_[i * m + v], pooled_[i], hidden);
        for (int k = 0; k < hidden; ++k) pooled_[i][k] /= static_cast<float>(m);
    }
    copy_rows(who.mix_others.bias.data(), fleet_, rows);
    multiply_add(pooled_.all(), who.mix_others.weight, fleet_.all(), rows);
    for (int r = 0; r < rows * m; ++r) std::copy_n(fleet_[r / m], hidden, mixed_[r]);
    multiply_add(hidden_.all(), who.mix_own.weight, mixed_.all(), rows * m);
    kernels().silu(mixed_[0], rows * m * mixed_.stride());
    for (int r = 0; r < rows * m; ++r) {
        float score = 0;
        for (int k = 0; k < hidden; ++k) score += mixed_[r][k] * who.out.data()[k];
        vehicle_scores_[r / m][r % m] = score;
    }
}

Slice Scorer::nodes(const Tables& tables, const std::vector<State*>& states,
                    const std::vector<int>& vehicle) {
    const int rows = static_cast<int>(states.size());
    write_queries(tables, states, vehicle);
    for (int i = 0; i < rows; ++i) states[i]->mark_candidates(vehicle[i], penalty_[i]);
    glimpse(tables.for_nodes, rows);
    for (int i = 0; i < rows; ++i) add(query_[i], seen_[i], network_.dim);
    multiply(seen_.all(), tables.compare, node_scores_.all(), rows);
    for (int i = 0; i < rows; ++i) {
        add_pair_terms(*states[i], vehicle[i], i);
        kernels().squash(node_scores_[i], node_range, penalty_[i], node_scores_.stride());
    }
    return node_scores_.all();
}

// b = place + vehicle + W x, then the query b + W' silu(b); what else comes out weighs the terms.
void Scorer::write_queries(const Tables& tables, const std::vector<State*>& states,
                           const std::vector<int>& vehicle) {
    const auto& where = network_.choice_of_node;
    const int rows = static_cast<int>(states.size()), dim = network_.dim;
    for (int i = 0; i < rows; ++i) {
        const auto numbers = states[i]->numbers();
        std::copy(numbers.begin(), numbers.end(), numbers_[i]);
        states[i]->describe(vehicle[i], numbers, numbers_[i] + state_numbers);
        std::copy_n(tables.place[states[i]->position(vehicle[i])], dim, query_[i]);
        add(tables.vehicle[vehicle[i]], query_[i], dim);
    }
    multiply_add(numbers_.all(), where.dynamic.weight, query_.all(), rows);
    std::copy_n(query_[0], rows * dim, silu_[0]);
    kernels().silu(silu_[0], rows * dim);
    copy_rows(where.out.bias.data(), out_, rows);
    multiply_add(silu_.all(), where.out.weight, out_.all(), rows);
    for (int i = 0; i < rows; ++i) add(out_[i], query_[i], dim);
}

// Attention (Vaswani et al. 2017) of the queries to the nodes that `penalty_` allows.
void Scorer::glimpse(const Memory& memory, int rows) {
    const int head = network_.head;
    for (int h = 0; h < network_.heads; ++h) {
        multiply(query_.slice(h * head, head), memory.keys[h], attention_.all(), rows);
        kernels().softmax(attention_[0], attention_.stride(), penalty_[0], penalty_.stride(), rows,
                          attention_.stride());
        multiply(attention_.all(), memory.values[h], seen_.slice(h * head, head), rows);
    }
}

void Scorer::add_pair_terms(const State& state, int vehicle, int row) {
    const int place = state.position(vehicle);
    const double left = std::max(state.load_left(vehicle) / ground_.mean_demand, least_load);
    float weight[pair_terms];
    std::copy_n(out_[row] + network_.dim, pair_terms, weight);
    weight[2] = static_cast<float>(weight[2] / left);
    kernels().add_terms(node_scores_[row],
                        {ground_.near[place], ground_.far[place], ground_.fixed[0],
                         ground_.fixed.stride(), weight},
                        node_scores_.stride());
}

}  // namespace hcvrp::policy
