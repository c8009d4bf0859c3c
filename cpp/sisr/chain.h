// One chain of SISR: ruin, recreate, accept or take back.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "distances.h"
#include "neighbours.h"
#include "problem.h"

namespace hcvrp::sisr {

// Names as in Christiaens & Vanden Berghe (2020), §5 and §6, unless said.
struct SisrParameters {
    double mean_removed;    // c̄: customers removed per iteration, on average
    double longest_string;  // L_max
    double split_rate;      // how often a string keeps some customers in its middle
    double split_depth;     // α: probability of keeping one more
    double blink;           // β: probability of overlooking a trip
    int log2_power;         // min-max: the power mean's p = 2^k; 0 is the plain maximum
    int near;               // offer customers to the trips of so many nearest; 0: to all
    int pool;               // min-sum: trips to remember per chain; 0: none
};

// What all chains of a run share, read-only. Throws RunOver when `run` ends before it is made.
struct SisrGround {
    SisrGround(const Problem& problem, Objective objective, const SisrParameters& parameters,
               Run& run);

    const Problem& problem;
    Objective objective;
    SisrParameters parameters;
    Distances distances;
    Neighbours neighbours;
    std::array<std::vector<double>, 3> ranks;  // by customer: sort keys demand, far, close
    double scale;  // mean distance to the nearest few customers: the length of a small change
};

class Chain {
public:
    static std::unique_ptr<Chain> make(const SisrGround& ground, std::uint64_t seed);
    virtual ~Chain() = default;

    // Goes on from these routes; they count as a new best if they are one.
    virtual void adopt(const Routes& routes) = 0;
    // One ruin, one recreate. A worse plan is accepted while its cost stays below the present
    // one's − temperature · ln U(0, 1).
    virtual void iterate(double temperature) = 0;
    virtual double best_cost() const = 0;
    virtual Routes best() const = 0;
};

}  // namespace hcvrp::sisr
