// Every elementary trip whose reduced cost is below a gap, by cardinality: the trips that a
// solution within the gap of a lower bound can use (Baldacci, Christofides & Mingozzi 2008).
#pragma once

#include <cstdint>
#include <vector>

#include "ng_route.h"
#include "problem.h"
#include "run.h"

namespace hcvrp::exact {

struct TripRange {
    double above_load;  // trips this light or lighter are left out: another vehicle has them
    double most_load;
    int above_level;    // the same floor in load levels
    double gap;         // largest reduced cost
};

struct TripPool {
    enum class End { complete, too_many, interrupted };
    End end = End::complete;
    std::vector<std::int32_t> customers{};  // of all trips, one after the other
    std::vector<std::int64_t> first{0};     // where each trip starts, one more at the end
    std::vector<double> lengths{};
};

// The shortest trip for each set of customers. `table` has been filled reversed with `prices`;
// its completions prune partial trips. Gives up when the partial trips would need more than
// `memory` bytes.
TripPool enumerate_trips(const Problem& problem, const NgRoutes& table, const Prices& prices,
                         const TripRange& range, double memory, Run& run);

}  // namespace hcvrp::exact
