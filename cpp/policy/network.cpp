#include "network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hcvrp::policy {

namespace {

class Reader {
public:
    explicit Reader(const Tensors& tensors) : tensors_(tensors) {}

    const float* read(const std::string& name, const std::vector<int>& shape) const {
        const auto found = tensors_.find(name);
        if (found == tensors_.end() || found->second.shape != shape)
            throw std::invalid_argument(name);
        return found->second.data;
    }

    Floats vector(const std::string& name, int length) const {
        Floats values(length);
        std::copy_n(read(name, {length}), length, values.data());
        return values;
    }

    // W of torch's y = W x, as the right factor of rows x.
    Linear linear(const std::string& name, int inner, int columns, bool bias) const {
        Linear made = part(name, inner, columns, 0, inner);
        if (bias) made.bias = vector(name + ".bias", columns);
        return made;
    }

    // Those columns of W that meet the entries `first` … `first + inner` of x.
    Linear part(const std::string& name, int inner, int columns, int first, int whole) const {
        const float* weight = read(name + ".weight", {columns, whole});
        Linear made{Packed(inner, columns), Floats(columns)};
        for (int j = 0; j < columns; ++j)
            for (int k = 0; k < inner; ++k)
                made.weight.at(k, j) = weight[j * whole + first + k];
        return made;
    }

private:
    const Tensors& tensors_;
};

void scale(Linear& linear, int first, int columns, float factor) {
    for (int k = 0; k < linear.weight.inner(); ++k)
        for (int j = first; j < first + columns; ++j) linear.weight.at(k, j) *= factor;
}

}  // namespace

Network::Network(const Tensors& tensors, int dim, int heads, int count, int feed_forward,
                 float clip, bool trips)
    : dim(dim), heads(heads), head(dim / heads), feed_forward(feed_forward), trips(trips) {
    const Reader reader(tensors);
    // Attention divides by the root of the head's width: here the keys are divided, once.
    const float by_head = 1 / std::sqrt(static_cast<float>(head));

    depot = reader.linear("encoder.depot", depot_features, dim, true);
    customer = reader.linear("encoder.customer", customer_features, dim, true);
    vehicle = reader.linear("encoder.vehicle", vehicle_features, dim, true);
    objective = Matrix(2, dim);
    std::copy_n(reader.read("encoder.objective.weight", {2, dim}), 2 * dim, objective[0]);
    for (int l = 0; l < count; ++l) {
        const std::string name = "encoder.layers." + std::to_string(l) + ".";
        layers.push_back({reader.vector(name + "before_attention.weight", dim),
                          reader.vector(name + "before_feed_forward.weight", dim),
                          reader.linear(name + "project", dim, 3 * dim, false),
                          reader.linear(name + "join", dim, dim, false),
                          reader.linear(name + "widen", dim, feed_forward, true),
                          reader.linear(name + "narrow", feed_forward, dim, true)});
        scale(layers.back().project, dim, dim, by_head);
    }
    norm = reader.vector("encoder.norm.weight", dim);

    const int hidden = dim / 2;
    auto& who = choice_of_vehicle;
    who.query = reader.linear("vehicle_decoder.query", dim, dim, true);
    who.context = reader.linear("vehicle_decoder.context", state_numbers, dim, false);
    who.key_value = reader.linear("vehicle_decoder.key_value", dim, 2 * dim, false);
    scale(who.key_value, 0, dim, by_head);
    who.vehicle = reader.linear("vehicle_decoder.vehicle", dim, hidden, true);
    who.dynamic = reader.linear("vehicle_decoder.dynamic", moving_numbers, hidden, false);
    who.glimpse = reader.linear("vehicle_decoder.glimpse", dim, hidden, false);
    who.mix_own = reader.part("vehicle_decoder.mix", hidden, hidden, 0, dim);
    who.mix_others = reader.part("vehicle_decoder.mix", hidden, hidden, hidden, dim);
    who.mix_others.bias = reader.vector("vehicle_decoder.mix.bias", hidden);
    who.out = Floats(hidden);
    std::copy_n(reader.read("vehicle_decoder.out.weight", {1, hidden}), hidden, who.out.data());

    auto& where = choice_of_node;
    where.place = reader.linear("node_decoder.place", dim, dim, true);
    where.vehicle = reader.linear("node_decoder.vehicle", dim, dim, false);
    where.dynamic =
        reader.linear("node_decoder.dynamic", state_numbers + moving_numbers, dim, false);
    where.out = reader.linear("node_decoder.out", dim, dim + pair_terms, true);
    where.keys = reader.linear("node_decoder.keys", dim, 3 * dim, false);
    scale(where.keys, 0, dim, by_head);
    scale(where.keys, 2 * dim, dim, clip / std::sqrt(static_cast<float>(dim)));
}

}  // namespace hcvrp::policy
