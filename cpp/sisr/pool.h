// Trips worth remembering: the parts from which recombination builds a better plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem.h"

namespace hcvrp::sisr {

// One entry per set of customers, with the shortest order seen, its price and the lowest cost of a
// plan that contained it. When the pool is full, the half from the costliest plans is forgotten.
class Pool {
public:
    Pool(int customers, std::size_t capacity);

    void note(std::span<const int> trip, double length, double price, double plan_cost);

    std::size_t size() const { return entries_.size(); }
    // Changes when entries are forgotten and the others get new numbers.
    std::uint64_t edition() const { return edition_; }
    std::span<const int> trip(std::size_t entry) const {
        return {customers_.data() + entries_[entry].begin,
                static_cast<std::size_t>(entries_[entry].size)};
    }
    double price(std::size_t entry) const { return entries_[entry].price; }
    // The entry with these customers, from 1; 0: there is none.
    std::size_t number_of(std::span<const int> trip) const { return table_[find(key_of(trip))]; }

private:
    struct Entry {
        std::uint64_t key;
        double length, price, plan_cost;
        std::size_t begin;
        int size;
    };
    void forget_half();
    std::uint64_t key_of(std::span<const int> trip) const;
    std::size_t find(std::uint64_t key) const;
    std::vector<std::size_t> by_cost() const;

    std::size_t capacity_;
    std::uint64_t edition_ = 0;
    std::vector<std::uint64_t> word_;  // by customer; a set's key is the exclusive-or of its words
    std::vector<Entry> entries_;
    std::vector<int> customers_;
    std::vector<std::uint32_t> table_;  // open addressing: entry + 1, or 0
};

}  // namespace hcvrp::sisr
