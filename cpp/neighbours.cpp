#include "neighbours.h"

#include <algorithm>
#include <utility>

namespace hcvrp {

Neighbours::Neighbours(const Problem& problem, int per_customer)
    : count_(std::min(per_customer, problem.customers() - 1)) {
    const int n = problem.customers();
    list_.resize(static_cast<std::size_t>(n) * count_);
    std::vector<std::pair<double, int>> near(n - 1);
    for (int i = 1; i <= n; ++i) {
        std::size_t k = 0;
        for (int j = 1; j <= n; ++j)
            if (j != i)
                near[k++] = {std::min(problem.distance(i, j), problem.distance(j, i)), j};
        std::nth_element(near.begin(), near.begin() + count_, near.end());
        std::sort(near.begin(), near.begin() + count_);
        for (int r = 0; r < count_; ++r)
            list_[static_cast<std::size_t>(i - 1) * count_ + r] = near[r].second;
    }
}

bool Neighbours::contains(int customer, int other) const {
    const auto list = of(customer);
    return std::find(list.begin(), list.end(), other) != list.end();
}

}  // namespace hcvrp
