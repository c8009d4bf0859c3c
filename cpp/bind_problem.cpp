#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "bindings.h"
#include "problem.h"
#include "run.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<double> copy(const Vector& v) { return {v.data(), v.data() + v.shape(0)}; }

// (x, y), or (latitude, longitude) in degrees as points on a sphere of that diameter.
std::vector<hcvrp::Point> as_points(const Matrix& coordinates, double diameter) {
    constexpr double degree = std::numbers::pi / 180;
    std::vector<hcvrp::Point> points;
    for (std::size_t i = 0; i < coordinates.shape(0); ++i) {
        const double a = coordinates(i, 0), b = coordinates(i, 1);
        if (diameter == 0) {
            points.push_back({a, b, 0});
        } else {
            const double ring = diameter / 2 * std::cos(a * degree);
            points.push_back({ring * std::cos(b * degree), ring * std::sin(b * degree),
                              diameter / 2 * std::sin(a * degree)});
        }
    }
    return points;
}

}  // namespace

void hcvrp::bind_problem(nb::module_& m) {
    nb::exception<RunOver>(m, "RunOver");

    nb::enum_<Objective>(m, "Objective")
        .value("min_max", Objective::min_max)
        .value("min_sum", Objective::min_sum);

    // Arrays come from a validated hcvrp.Instance; `matrix` is kept alive, not copied.
    // `diameter` is that of the sphere on which the coordinates lie, 0 for the plane.
    nb::class_<Problem>(m, "Problem")
        .def(
            "__init__",
            [](Problem* self, std::optional<Matrix> coordinates, double diameter,
               std::optional<Matrix> matrix, const Vector& demand, const Vector& capacity,
               const Vector& speed, Run& run) {
                std::vector<Point> points;
                if (coordinates) points = as_points(*coordinates, diameter);
                const double* distances = matrix ? matrix->data() : nullptr;
                nb::gil_scoped_release release;
                new (self) Problem(std::move(points), {diameter}, distances, copy(demand),
                                   copy(capacity), copy(speed), run);
            },
            "coordinates"_a.none(), "diameter"_a, "matrix"_a.none(), "demand"_a, "capacity"_a,
            "speed"_a, "run"_a, nb::keep_alive<1, 4>())
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
