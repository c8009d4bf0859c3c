// The ruin of SISR: adjacent strings (Christiaens & Vanden Berghe 2020, §5.1).
#pragma once

#include <vector>

#include "chain.h"
#include "plan.h"
#include "rng.h"

namespace hcvrp {

// Removes strings from trips near a random customer; `removed` lists their customers afterwards.
void ruin(Plan& plan, const SisrGround& ground, Rng& rng, std::vector<int>& removed);

}  // namespace hcvrp
