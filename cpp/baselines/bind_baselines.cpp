#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "aco.h"
#include "bindings.h"
#include "firefly.h"
#include "rng.h"
#include "start.h"
#include "vns.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace hcvrp;
using namespace hcvrp::baselines;

// The best routes and the number of iterations.
using Answer = std::pair<Routes, std::int64_t>;

// Lets `search` improve the record; one that is over before it began leaves the record as it is.
template <class Search>
Answer improved(Record& record, Search search) {
    try {
        search();
    } catch (const RunOver&) {
    }
    return {record.routes(), record.iteration()};
}

// The first of `starts`, best first, or a random solution where there is none.
Routes first(const Problem& problem, Objective objective, std::uint64_t seed,
             const std::vector<Routes>& starts) {
    Rng rng(seed);
    return starts.empty() ? random_routes(problem, objective, rng) : starts.front();
}

Answer run_vns(const Problem& problem, Objective objective, Run& run, std::uint64_t seed,
               const std::vector<Routes>& starts, double least_shake, double most_shake,
               double overload_penalty, double max_tolerance) {
    nb::gil_scoped_release release;
    Record record(problem, objective, run, first(problem, objective, seed, starts));
    return improved(record, [&] {
        vns(problem, objective, {least_shake, most_shake, overload_penalty, max_tolerance}, seed,
            record);
    });
}

Answer run_aco(const Problem& problem, Objective objective, Run& run, std::uint64_t seed,
               const std::vector<Routes>& starts, int ants, double greed, double learning_rate,
               double discount, double trail_power, double visibility_power) {
    nb::gil_scoped_release release;
    Record record(problem, objective, run, first(problem, objective, seed, starts));
    return improved(record, [&] {
        aco(problem, objective,
            {ants, greed, learning_rate, discount, trail_power, visibility_power}, seed, record);
    });
}

Answer run_firefly(const Problem& problem, Objective objective, Run& run, std::uint64_t seed,
                   const std::vector<Routes>& starts, int fireflies, double attraction,
                   double absorption, double randomness) {
    nb::gil_scoped_release release;
    Record record(problem, objective, run, first(problem, objective, seed, starts));
    return improved(record, [&] {
        firefly(problem, objective, {fireflies, attraction, absorption, randomness}, seed, starts,
                record);
    });
}

}  // namespace

void hcvrp::bind_baselines(nb::module_& m) {
    m.def("vns", &run_vns, "problem"_a, "objective"_a, "run"_a, "seed"_a, "starts"_a,
          "least_shake"_a, "most_shake"_a, "overload_penalty"_a, "max_tolerance"_a);
    m.def("aco", &run_aco, "problem"_a, "objective"_a, "run"_a, "seed"_a, "starts"_a, "ants"_a,
          "greed"_a, "learning_rate"_a, "discount"_a, "trail_power"_a, "visibility_power"_a);
    m.def("firefly", &run_firefly, "problem"_a, "objective"_a, "run"_a, "seed"_a, "starts"_a,
          "fireflies"_a, "attraction"_a, "absorption"_a, "randomness"_a);
}
