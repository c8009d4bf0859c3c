// A plain loop of fixed work, against which benchmarks measure the search on a noisy machine.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "problem.h"

namespace hcvrp {

// Builds a tour through all customers, nearest first, `repeats` times from customers in turn;
// the total length. No capacity, no cleverness: n² / 2 distances a tour.
inline double nearest_neighbour_tours(const Problem& problem, std::int64_t repeats) {
    const int n = problem.customers();
    std::vector<int> left;
    double total = 0;
    for (std::int64_t r = 0; r < repeats; ++r) {
        left.clear();
        for (int c = 1; c <= n; ++c) left.push_back(c);
        int at = static_cast<int>(r % n) + 1;
        while (!left.empty()) {
            std::size_t nearest = 0;
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t k = 0; k < left.size(); ++k) {
                const double d = problem.distance(at, left[k]);
                if (d < least) {
                    least = d;
                    nearest = k;
                }
            }
            total += least;
            at = left[nearest];
            left[nearest] = left.back();
            left.pop_back();
        }
        total += problem.distance(at, 0);
    }
    return total;
}

}  // namespace hcvrp
