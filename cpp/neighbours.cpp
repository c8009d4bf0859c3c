#include "neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hcvrp {

namespace {

using Near = std::vector<std::pair<double, int>>;

// The first `count`, in order; the others are of no interest.
void sort_nearest(Near& near, int count) {
    std::nth_element(near.begin(), near.begin() + count, near.end());
    std::sort(near.begin(), near.begin() + count);
}

// Customers by square cells of the plane, about two in each.
class Grid {
public:
    explicit Grid(const Problem& problem) : problem_(problem) {
        const int n = problem.customers();
        const double *x = problem.x(), *y = problem.y();
        const auto [left, right] = std::minmax_element(x + 1, x + n + 1);
        const auto [low, high] = std::minmax_element(y + 1, y + n + 1);
        left_ = *left;
        low_ = *low;
        const double extent = std::max({*right - *left, *high - *low, 1e-300});
        side_ = std::max(1, static_cast<int>(std::sqrt(n / 2.0)));
        cell_ = extent / side_ * (1 + 1e-9);
        cells_.resize(static_cast<std::size_t>(side_) * side_);
        for (int c = 1; c <= n; ++c) at(column(c), row(c)).push_back(c);
    }

    // Gathers rings of cells around the customer until nobody outside can be among the nearest.
    void gather(int customer, int count, Near& near) const {
        near.clear();
        for (int ring = 0; ring <= side_; ++ring) {
            add_ring(customer, ring, near);
            if (static_cast<int>(near.size()) <= count) continue;
            std::nth_element(near.begin(), near.begin() + count, near.end());
            if (near[count].first < ring * cell_) break;
        }
    }

private:
    int column(int c) const { return static_cast<int>((problem_.x()[c] - left_) / cell_); }
    int row(int c) const { return static_cast<int>((problem_.y()[c] - low_) / cell_); }
    std::vector<int>& at(int i, int j) { return cells_[static_cast<std::size_t>(j) * side_ + i]; }

    void add_ring(int customer, int ring, Near& near) const {
        const int i0 = column(customer), j0 = row(customer);
        for (int j = std::max(0, j0 - ring); j <= std::min(side_ - 1, j0 + ring); ++j) {
            const int step = std::abs(j - j0) == ring ? 1 : std::max(1, 2 * ring);
            for (int i = i0 - ring; i <= i0 + ring; i += step)
                if (i >= 0 && i < side_) add_cell(customer, i, j, near);
        }
    }
    void add_cell(int customer, int i, int j, Near& near) const {
        for (int c : cells_[static_cast<std::size_t>(j) * side_ + i])
            if (c != customer) near.emplace_back(problem_.distance(customer, c), c);
    }

    const Problem& problem_;
    double left_, low_, cell_;
    int side_;
    std::vector<std::vector<int>> cells_;
};

}  // namespace

Neighbours::Neighbours(const Problem& problem, int per_customer)
    : count_(std::min(per_customer, problem.customers() - 1)) {
    const int n = problem.customers();
    list_.reserve(static_cast<std::size_t>(n) * count_);
    Near near;
    const auto keep_nearest = [&] {
        sort_nearest(near, count_);
        for (int r = 0; r < count_; ++r) list_.push_back(near[r].second);
    };
    if (!problem.table()) {
        const Grid grid(problem);
        for (int i = 1; i <= n; ++i) {
            grid.gather(i, count_, near);
            keep_nearest();
        }
        return;
    }
    for (int i = 1; i <= n; ++i) {
        near.clear();
        for (int j = 1; j <= n; ++j)
            if (j != i)
                near.emplace_back(std::min(problem.distance(i, j), problem.distance(j, i)), j);
        keep_nearest();
    }
}

bool Neighbours::contains(int customer, int other) const {
    const auto list = of(customer);
    return std::find(list.begin(), list.end(), other) != list.end();
}

}  // namespace hcvrp
