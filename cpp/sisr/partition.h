// Set partitioning in the small: the cheapest way to make up a few dozen elements of given sets.
#pragma once

#include <cstdint>
#include <vector>

namespace hcvrp::sisr {

// A set of elements 0 … 63 as bits, and what it costs.
struct Part {
    std::uint64_t members;
    double price;
    int index;
};

// The indices of parts that make up the elements 0 … duals.size() − 1, each once, for less than
// `limit`: the cheapest found in so many comparisons. None where there is nothing cheaper, or where
// the comparisons ran out first.
//
// A Lagrangian relaxation comes first: prices `duals` of the elements whose sum is a lower bound
// (Held & Karp 1971; for such programmes Caprara, Fischetti & Toth 1999). They are raised from those
// given, which may be anything. Parts that no solution below the limit can contain are left out; a
// depth-first search over the others ends each branch where the bound meets the limit.
std::vector<int> cheaper_partition(std::vector<Part> parts, std::vector<double>& duals,
                                   double limit, std::int64_t comparisons);

}  // namespace hcvrp::sisr
