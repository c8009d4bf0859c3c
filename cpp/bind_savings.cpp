#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "savings.h"

namespace nb = nanobind;
using namespace nb::literals;

void hcvrp::bind_savings(nb::module_& m) {
    m.def("savings", &savings, "problem"_a, "objective"_a, "run"_a,
          nb::call_guard<nb::gil_scoped_release>());
    m.def("assign_longest_first", &assign_longest_first, "problem"_a, "trips"_a, "objective"_a);
}
