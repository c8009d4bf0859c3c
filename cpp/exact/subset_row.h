// Subset-row cuts over three customers (Jepsen, Petersen, Spoorendonk & Pisinger 2008): of the
// trips that visit at least two of three customers, at most one is used. A route pays the cut's
// dual once for every second visit to its customers.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace hcvrp::exact {

struct SubsetRow {
    std::array<int, 3> customers;
    // Outside these customers a route forgets an unpaired visit: limited memory (Pecin, Pessoa,
    // Poggi & Uchoa 2017), weaker than the full cut but far cheaper in the dynamic programme.
    std::vector<int> memory;
    double penalty;  // minus the dual value, at least 0
};

// Which cuts have an unpaired visit, as bits.
struct OpenCuts {
    static constexpr int words = 4;
    std::array<std::uint64_t, words> bits{};

    bool none() const { return (bits[0] | bits[1] | bits[2] | bits[3]) == 0; }
};

class SubsetRows {
public:
    static constexpr std::size_t most = 64 * OpenCuts::words;

    // `full_memory`: never forget, which only elementary trips can afford.
    SubsetRows(const std::vector<SubsetRow>& cuts, int nodes, bool full_memory);

    // The state after a visit to `node`; the penalties that the visit costs are added to `cost`.
    OpenCuts visit(const OpenCuts& open, int node, double& cost) const {
        OpenCuts next;
        for (int w = 0; w < words_; ++w) {
            const std::uint64_t member = member_[node].bits[w];
            for (std::uint64_t paired = open.bits[w] & member; paired; paired &= paired - 1)
                cost += penalty_[64 * w + std::countr_zero(paired)];
            next.bits[w] = (open.bits[w] ^ member) & memory_[node].bits[w];
        }
        return next;
    }

    // Whether `cost` plus the penalties that only `open` is still exposed to is at most `limit`.
    bool within(double cost, const OpenCuts& open, const OpenCuts& other, double limit) const {
        for (int w = 0; w < words_; ++w)
            for (std::uint64_t more = open.bits[w] & ~other.bits[w]; more && cost <= limit;
                 more &= more - 1)
                cost += penalty_[64 * w + std::countr_zero(more)];
        return cost <= limit;
    }

private:
    int words_;  // in use
    std::vector<OpenCuts> member_, memory_;  // by node
    std::vector<double> penalty_;
};

}  // namespace hcvrp::exact
