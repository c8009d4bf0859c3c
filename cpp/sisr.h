// SISR: Slack Induction by String Removals (Christiaens & Vanden Berghe 2020) for mixed fleets
// with many trips per vehicle, either objective, one chain or several.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chain.h"
#include "run.h"

namespace hcvrp {

class Sisr {
public:
    // Chain k starts from the k-th best of `starts`, in turn; there must be at least one.
    Sisr(const Problem& problem, Objective objective, const SisrParameters& parameters,
         std::uint64_t seed, std::vector<Routes> starts);

    // Goes on until the run is over, cooling exponentially from the one temperature to the other
    // as the budget is spent. Returns the iterations made. New bests are reported at most every
    // millisecond, the last one always.
    std::int64_t search(Run& run, double start_temperature, double final_temperature);

    void adopt(const Routes& routes);
    double best_cost() const { return chain_->best_cost(); }
    Routes best() const { return chain_->best(); }
    // The length of a small change: temperatures are told in multiples of it.
    double scale() const { return ground_.scale; }

private:
    SisrGround ground_;
    std::unique_ptr<Chain> chain_;
};

}  // namespace hcvrp
