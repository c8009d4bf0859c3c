#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.h"
#include "problem.h"
#include "run.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> copy(const Vector& v) { return {v.data(), v.data() + v.shape(0)}; }

}  // namespace

void hcvrp::bind_problem(nb::module_& m) {
    nb::enum_<Objective>(m, "Objective")
        .value("min_max", Objective::min_max)
        .value("min_sum", Objective::min_sum);

    // Arrays come from a validated hcvrp.Instance; `matrix` is kept alive, not copied.
    nb::class_<Problem>(m, "Problem")
        .def(
            "__init__",
            [](Problem* self, std::optional<Matrix> points, std::optional<Matrix> matrix,
               const Vector& demand, const Vector& capacity, const Vector& speed) {
                new (self) Problem(demand.shape(0), points ? points->data() : nullptr,
                                   matrix ? matrix->data() : nullptr, copy(demand),
                                   copy(capacity), copy(speed));
            },
            "points"_a.none(), "matrix"_a.none(), "demand"_a, "capacity"_a, "speed"_a,
            nb::keep_alive<1, 3>())
        .def_prop_ro("symmetric", &Problem::symmetric)
        .def("distance", &Problem::distance, "origin"_a, "destination"_a)
        .def("length", &Problem::length, "trip"_a)
        .def("cost", &Problem::cost, "routes"_a, "objective"_a);

    // Methods run without the GIL; both callbacks take it back. Asking `cancelled` also lets
    // Python's signal handlers run, so that Ctrl-C is heard inside a long run.
    nb::class_<Run>(m, "Run")
        .def(
            "__init__",
            [](Run* self, double time_limit, std::int64_t iterations, double target,
               nb::callable cancelled, std::optional<nb::callable> improved) {
                Run::Improved listener;
                if (improved)
                    listener = [improved = *improved](double cost, double seconds,
                                                      std::int64_t iteration,
                                                      const Routes& routes) {
                        nb::gil_scoped_acquire gil;
                        improved(cost, seconds, iteration, routes);
                    };
                new (self) Run(
                    time_limit, iterations, target,
                    [cancelled] {
                        nb::gil_scoped_acquire gil;
                        if (PyErr_CheckSignals() != 0) throw nb::python_error();
                        return nb::cast<bool>(cancelled());
                    },
                    std::move(listener));
            },
            "time_limit"_a, "iterations"_a, "target"_a, "cancelled"_a, "improved"_a.none())
        .def_prop_ro("seconds", &Run::seconds);
}
