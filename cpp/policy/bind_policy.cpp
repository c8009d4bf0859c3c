#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <stdexcept>

#include "bindings.h"
#include "encoder.h"
#include "rollout.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hcvrp::policy;

namespace {

using Array = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Points = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Embeddings = nb::ndarray<float, nb::numpy, nb::ndim<2>>;
using Scores = std::pair<std::vector<float>, std::vector<float>>;

Tensors tensors(const std::map<std::string, Array>& arrays) {
    Tensors found;
    for (const auto& [name, array] : arrays) {
        Tensor& tensor = found[name];
        tensor.data = array.data();
        for (std::size_t axis = 0; axis < array.ndim(); ++axis)
            tensor.shape.push_back(static_cast<int>(array.shape(axis)));
    }
    return found;
}

std::vector<float> told(const float* scores, int count) {
    std::vector<float> row(scores, scores + count);
    for (float& x : row)
        if (x <= forbidden / 2) x = -std::numeric_limits<float>::infinity();
    return row;
}

Matrix embedded(const Network& network, const Ground& ground, int view) {
    hcvrp::Run unlimited;  // nobody can interrupt it
    return encode(network, ground, view, unlimited);
}

Embeddings embed(const Network& network, const Ground& ground, int view) {
    const Matrix h = embedded(network, ground, view);
    const auto rows = static_cast<std::size_t>(h.rows());
    const auto columns = static_cast<std::size_t>(h.columns());
    auto* data = new float[rows * columns];
    std::copy_n(h[0], rows * columns, data);
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    return Embeddings(data, {rows, columns}, owner);
}

void check_move(const Ground& ground, int vehicle, int node) {
    if (vehicle < 0 || vehicle >= ground.vehicles() || node < 0 || node >= ground.nodes())
        throw std::invalid_argument("a move must be a vehicle and a node of the instance");
}

// The scores of vehicles and of nodes before each of the given moves.
std::vector<Scores> forced_scores(const Network& network, const Ground& ground,
                                  const std::vector<std::pair<int, int>>& moves) {
    Matrix h = embedded(network, ground, 0);
    const Tables tables(network, ground, h);
    Scorer scorer(network, ground, 1);
    State state(ground, network.trips);
    std::vector<Scores> found;
    for (const auto& [vehicle, node] : moves) {
        check_move(ground, vehicle, node);
        Scores& scores = found.emplace_back();
        scores.first = told(scorer.vehicles(tables, {&state}, {state.movable()})[0],
                            ground.vehicles());
        scores.second = told(scorer.nodes(tables, {&state}, {vehicle})[0], ground.nodes());
        state.move(vehicle, node);
    }
    return found;
}

}  // namespace

void hcvrp::bind_policy(nb::module_& m) {
    m.def("processor", [] { return kernels().name; });

    nb::class_<Ground>(m, "FleetGround")
        .def(
            "__init__",
            [](Ground* self, const Problem& problem, Objective objective, const Points& points,
               std::optional<double> scale) {
                new (self) Ground(problem, objective, points.data(), scale);
            },
            "problem"_a, "objective"_a, "points"_a, "scale"_a.none(), nb::keep_alive<1, 2>(),
            nb::call_guard<nb::gil_scoped_release>());

    nb::class_<policy::Decoding>(m, "FleetDecoding")
        .def(
            "__init__",
            [](policy::Decoding* self, bool greedy, std::int64_t samples, int views,
               float temperature, std::uint64_t seed, int keep, int part, int parts) {
                new (self) policy::Decoding{greedy, samples, views, temperature,
                                            seed,   keep,    part,  parts};
            },
            nb::kw_only(), "greedy"_a, "samples"_a, "views"_a, "temperature"_a, "seed"_a,
            "keep"_a, "part"_a, "parts"_a);

    nb::class_<Network>(m, "FleetNetwork")
        .def(
            "__init__",
            [](Network* self, const std::map<std::string, Array>& arrays, int dim, int heads,
               int layers, int feed_forward, float clip, bool trips) {
                new (self)
                    Network(tensors(arrays), dim, heads, layers, feed_forward, clip, trips);
            },
            "tensors"_a, "dim"_a, "heads"_a, "layers"_a, "feed_forward"_a, "clip"_a, "trips"_a)
        .def("embed", &embed, "ground"_a, "view"_a)
        .def("scores", &forced_scores, "ground"_a, "moves"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def(
            "rollouts",
            [](const Network& network, const Ground& ground, const policy::Decoding& decoding,
               Run& run) {
                std::int64_t made = 0;
                std::vector<Routes> found;
                {
                    nb::gil_scoped_release release;
                    for (Answer& answer : rollouts(network, ground, decoding, run, made))
                        found.push_back(std::move(answer.routes));
                }
                return std::pair{std::move(found), made};
            },
            "ground"_a, "decoding"_a, "run"_a);
}
