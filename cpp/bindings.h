// What the method-by-method bindings share; each method has its own bind_*.cpp.
#pragma once

#include <nanobind/nanobind.h>

namespace hcvrp {

void bind_exact(nanobind::module_& m);
void bind_problem(nanobind::module_& m);
void bind_policy(nanobind::module_& m);
void bind_savings(nanobind::module_& m);
void bind_sisr(nanobind::module_& m);
void bind_baselines(nanobind::module_& m);

}  // namespace hcvrp
