// SISR: Slack Induction by String Removals (Christiaens & Vanden Berghe 2020) for mixed fleets
// with many trips per vehicle, either objective, one chain or several.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "chain.h"
#include "run.h"

namespace hcvrp::sisr {

// Chains search independently and meet a fixed number of times in the course of a run: then the
// worse half goes on from the best plan of all. Between meetings each has a thread of its own;
// the first works on the calling thread, which alone watches the clock and asks for cancellation.
// Where iterations limit the run (each chain makes as many), the outcome depends on the seed and
// the number of chains only.
class Sisr {
public:
    // Chain k starts from the k-th best of `starts`, in turn; there must be at least one. Throws
    // RunOver when `preparation` ends before the search can begin.
    Sisr(const Problem& problem, Objective objective, const SisrParameters& parameters,
         std::uint64_t seed, std::vector<Routes> starts, int chains, Run& preparation);

    // Goes on until the run is over, cooling exponentially from the one temperature to the other
    // as the budget is spent. Returns the iterations each chain made. New bests are reported at
    // most every millisecond, the last one always.
    std::int64_t search(Run& run, double start_temperature, double final_temperature);

    Routes best() const { return leader().best(); }
    // The length of a small change: temperatures are told in multiples of it.
    double scale() const { return ground_.scale; }

private:
    struct Round;

    const Chain& leader() const;
    bool advance(Run& run, Round& round);
    void follow(Chain& chain, Round& round) const;
    void exchange();
    void report(Run& run, const Chain& chain, std::int64_t iteration);

    SisrGround ground_;
    std::vector<std::unique_ptr<Chain>> chains_;
    double told_ = std::numeric_limits<double>::infinity();
    double told_at_ = 0;
};

}  // namespace hcvrp::sisr
