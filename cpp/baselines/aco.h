// Ant colony with two pheromone trails, one for vehicles and one for nodes, after Palma-Blanco,
// González & Paternina-Arboleda (2019).
#pragma once

#include <cstdint>

#include "problem.h"
#include "record.h"

namespace hcvrp::baselines {

struct AcoParameters {
    int ants;                 // m
    double greed;             // ω₀: how often an ant takes the best choice
    double learning_rate;     // α
    double discount;          // γ
    double trail_power;       // δ
    double visibility_power;  // β
};

// Improves `record` until its run is over.
void aco(const Problem& problem, Objective objective, const AcoParameters& parameters,
         std::uint64_t seed, Record& record);

}  // namespace hcvrp::baselines
