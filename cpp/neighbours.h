// The nearest customers of each customer, nearest first.
#pragma once

#include <span>
#include <vector>

#include "problem.h"

namespace hcvrp {

class Neighbours {
public:
    // By the shorter of the two directions; ties by number, so that the order is fixed. Throws
    // RunOver when `run` ends first.
    Neighbours(const Problem& problem, int per_customer, Run& run);
    Neighbours(const Problem& problem, int per_customer, Run&& endless = Run())
        : Neighbours(problem, per_customer, endless) {}

    std::span<const int> of(int customer) const {
        return {list_.data() + static_cast<std::size_t>(customer - 1) * count_,
                static_cast<std::size_t>(count_)};
    }
    bool contains(int customer, int other) const;

private:
    int count_;
    std::vector<int> list_;
};

}  // namespace hcvrp
