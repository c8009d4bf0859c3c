// The Python module hcvrp._core.
#include "bindings.h"

NB_MODULE(_core, m) {
    hcvrp::bind_problem(m);
    hcvrp::bind_exact(m);
    hcvrp::bind_policy(m);
    hcvrp::bind_savings(m);
    hcvrp::bind_sisr(m);
    hcvrp::bind_baselines(m);
}
