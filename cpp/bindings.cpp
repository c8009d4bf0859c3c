// The Python module hcvrp._core.
#include "bindings.h"

NB_MODULE(_core, m) {
    hcvrp::bind_problem(m);
    hcvrp::bind_savings(m);
    hcvrp::bind_sisr(m);
}
