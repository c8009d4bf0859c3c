#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "partition.h"
#include "sisr.h"
#include "yardstick.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace hcvrp::sisr;

namespace {

std::vector<int> partition(const std::vector<std::vector<int>>& sets,
                           const std::vector<double>& prices, int elements, double limit,
                           std::int64_t comparisons) {
    std::vector<Part> parts;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        std::uint64_t members = 0;
        for (int element : sets[k]) members |= std::uint64_t{1} << element;
        parts.push_back({members, prices[k], static_cast<int>(k)});
    }
    std::vector<double> duals(elements);
    return cheaper_partition(std::move(parts), duals, limit, comparisons);
}

}  // namespace

void hcvrp::bind_sisr(nb::module_& m) {
    nb::class_<SisrParameters>(m, "SisrParameters")
        .def(nb::init<double, double, double, double, double, int, int,
                      int>(),
             nb::kw_only(),
             "mean_removed"_a, "longest_string"_a, "split_rate"_a, "split_depth"_a, "blink"_a,
             "log2_power"_a, "near"_a, "pool"_a);

    m.def("nearest_neighbour_tours", &nearest_neighbour_tours, "problem"_a, "repeats"_a,
          nb::call_guard<nb::gil_scoped_release>());

    m.def("cheaper_partition", &partition, "sets"_a, "prices"_a, "elements"_a, "limit"_a,
          "comparisons"_a);

    nb::class_<Sisr>(m, "Sisr")
        .def(nb::init<const Problem&, Objective, const SisrParameters&, std::uint64_t,
                      std::vector<Routes>, int, Run&>(),
             "problem"_a, "objective"_a, "parameters"_a, "seed"_a, "starts"_a, "chains"_a,
             "preparation"_a, nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>())
        .def("search", &Sisr::search, "run"_a, "start_temperature"_a, "final_temperature"_a,
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("best", &Sisr::best)
        .def_prop_ro("scale", &Sisr::scale);
}
