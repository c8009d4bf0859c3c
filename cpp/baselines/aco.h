// Ant colony with two pheromone trails, one for vehicles and one for nodes, after Palma-Blanco,
// González & Paternina-Arboleda (2019).
#pragma once

#include <cstdint>

#include "problem.h"
#include "record.h"

namespace hcvrp::baselines {

struct AcoParameters {
    int ants = 20;                // m
    double greed = 0.2;           // ω₀: how often an ant takes the best choice
    double learning_rate = 0.1;   // α
    double discount = 0.1;        // γ
    double trail_power = 3;       // δ
    double visibility_power = 3;  // β
};

// Improves `record` until its run is over.
void aco(const Problem& problem, Objective objective, const AcoParameters& parameters,
         std::uint64_t seed, Record& record);

}  // namespace hcvrp::baselines
