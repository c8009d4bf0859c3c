// Trips worth remembering: the columns from which set partitioning builds a better plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem.h"

namespace hcvrp {

// One entry per set of customers, with the shortest order seen and the lowest cost of a plan that
// contained it. When the pool is full, the half from the costliest plans is forgotten.
class Pool {
public:
    Pool(int customers, std::size_t capacity);

    void note(std::span<const int> trip, double length, double plan_cost);
    // Takes over what another pool knows.
    void merge(const Pool& other);

    struct Columns {
        std::vector<int> customers;  // of all trips, one after another
        std::vector<int> sizes;
        std::vector<double> lengths;
    };
    // The trips from the cheapest plans first, at most so many.
    Columns columns(std::size_t most) const;

private:
    struct Entry {
        std::uint64_t key;
        double length, plan_cost;
        std::size_t begin;
        int size;
    };
    void forget_half();
    std::size_t find(std::uint64_t key) const;
    std::vector<std::size_t> by_cost() const;

    std::size_t capacity_;
    std::vector<std::uint64_t> word_;  // by customer; a set's key is the exclusive-or of its words
    std::vector<Entry> entries_;
    std::vector<int> customers_;
    std::vector<std::uint32_t> table_;  // open addressing: entry + 1, or 0
};

}  // namespace hcvrp
