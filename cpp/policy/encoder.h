// The encoder: depot, customers and vehicles look at each other as tokens of one sequence.
#pragma once

#include "ground.h"
#include "network.h"
#include "run.h"

namespace hcvrp::policy {

// Embeddings (n + 1 + m rows) of the nodes, then of the vehicles, under one of the eight
// symmetries. Empty when the run is interrupted.
Matrix encode(const Network& network, const Ground& ground, int view, Run& run);

}  // namespace hcvrp::policy
