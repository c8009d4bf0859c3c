// Variable neighbourhood search (Mladenović & Hansen 1997) after Xu & Cai (2018).
#pragma once

#include <cstdint>

#include "problem.h"
#include "record.h"

namespace hcvrp::baselines {

struct VnsParameters {
    double least_shake;       // r_n: share of the customers that the first shake shifts
    double most_shake;        // r_m: share that the last one shifts
    double overload_penalty;  // p_ol
    double max_tolerance;     // MaxTolerance
};

// Improves `record` until its run is over.
void vns(const Problem& problem, Objective objective, const VnsParameters& parameters,
         std::uint64_t seed, Record& record);

}  // namespace hcvrp::baselines
