// Rollouts: the policy's choices, step after step, for many samples of one instance at once.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "decoder.h"
#include "rng.h"
#include "run.h"

namespace hcvrp::policy {

// A plan without what is arbitrary in its routes: the order of a vehicle's trips, which of equal
// vehicles drives them and, where distances are symmetric, their directions. By capacity and pace.
using Form = std::vector<std::tuple<double, double, std::vector<Trip>>>;

struct Answer {
    double cost;
    Routes routes;
    Form form;
};

struct Decoding {
    bool greedy;           // the best choice each time, or one drawn by its probability
    std::int64_t samples;  // of each view
    int views;             // symmetries of the square that the instance is seen under
    float temperature;     // that scores are divided by before one is drawn
    std::uint64_t seed;
    int keep;              // how many answers of distinct forms
    int part, parts;       // all groups of samples, or one of so many parts made side by side
};

// The best answers, best first; empty only when the run is interrupted before there is one.
// Every sample has a random generator of its own, so that how many are made side by side changes
// nothing, and fewer samples are the first of more. The run's limits are looked at between steps
// once there is an answer; its iterations are samples, `made` of them.
std::vector<Answer> rollouts(const Network& network, const Ground& ground, const Decoding& decoding,
                             Run& run, std::int64_t& made);

}  // namespace hcvrp::policy
