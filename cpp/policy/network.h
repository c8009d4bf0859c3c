// The weights of a `fleet` network (docs/methods/fleet.md), packed for products.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "matrix.h"

namespace hcvrp::policy {

// How many numbers describe a depot, a customer, a vehicle; a state, and a vehicle in it.
constexpr int depot_features = 7, customer_features = 12, vehicle_features = 9;
constexpr int state_numbers = 5, moving_numbers = 5;

// A tensor as the weights file has it, row by row.
struct Tensor {
    const float* data;
    std::vector<int> shape;
};
using Tensors = std::map<std::string, Tensor>;

struct Linear {
    Packed weight;
    Floats bias;  // zeros where there is none
};

struct Layer {
    Floats before_attention, before_feed_forward;  // gains of the norms
    Linear project, join, widen, narrow;
};

class Network {
public:
    // Throws std::invalid_argument where a tensor is missing or has another shape; `heads` divide
    // `dim`, and dim / heads, dim / 2 and `feed_forward` are whole blocks.
    Network(const Tensors& tensors, int dim, int heads, int layers, int feed_forward, float clip,
            bool trips);

    int dim, heads, head;  // head: the width of one
    int feed_forward;
    bool trips;  // whether a vehicle that is out goes on until it is home

    Linear depot, customer, vehicle;  // embeddings
    Matrix objective;                 // one row each
    std::vector<Layer> layers;
    Floats norm;

    struct {
        Linear query, context, key_value, vehicle, dynamic, glimpse, mix_own, mix_others;
        Floats out;
    } choice_of_vehicle;
    struct {
        Linear place, vehicle, dynamic, out, keys;
    } choice_of_node;
};

}  // namespace hcvrp::policy
