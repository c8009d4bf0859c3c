// Firefly algorithm (Yang 2009) on routes, after Matthopoulos & Sofianopoulou (2019).
#pragma once

#include <cstdint>
#include <vector>

#include "problem.h"
#include "record.h"

namespace hcvrp::baselines {

struct FireflyParameters {
    int fireflies;      // n
    double attraction;  // β
    double absorption;  // γ
    double randomness;  // α
};

// Improves `record` until its run is over; `starts` are the first fireflies.
void firefly(const Problem& problem, Objective objective, const FireflyParameters& parameters,
             std::uint64_t seed, const std::vector<Routes>& starts, Record& record);

}  // namespace hcvrp::baselines
