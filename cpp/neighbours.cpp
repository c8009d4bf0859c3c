#include "neighbours.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace hcvrp {

namespace {

using Near = std::vector<std::pair<double, int>>;

// Customers in a k-d tree (Bentley 1975). A node is a stretch of `order_`, cut in the middle
// along the longest side of its box; stretches of at most `leaf` customers are searched.
class Tree {
public:
    Tree(const Problem& problem, Run& run) : problem_(problem), order_(problem.customers()) {
        std::iota(order_.begin(), order_.end(), 1);
        split(0, problem.customers(), run);
    }

    // The `count` nearest, in no particular order.
    void gather(int customer, int count, Near& near) const {
        near.clear();
        if (count > 0) visit(0, customer, static_cast<std::size_t>(count), near);
    }

private:
    using Corner = std::array<double, 3>;
    struct Node {
        Corner low, high;
        int begin, end;
        int right = 0;  // its left child is the next node; 0: a leaf
    };
    static constexpr int leaf = 8;

    static Corner corner(const Point& p) { return {p.x, p.y, p.z}; }

    void split(int begin, int end, Run& run) {
        if (end - begin > 64) run.check();
        const std::size_t at = nodes_.size();
        nodes_.push_back(bound(begin, end));
        if (end - begin <= leaf) return;
        const int middle = begin + (end - begin) / 2, axis = longest_side(nodes_[at]);
        std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                         [&](int a, int b) {
                             return corner(problem_.points()[a])[axis] <
                                    corner(problem_.points()[b])[axis];
                         });
        split(begin, middle, run);
        nodes_[at].right = static_cast<int>(nodes_.size());
        split(middle, end, run);
    }

    Node bound(int begin, int end) const {
        Node node{.low = corner(problem_.points()[order_[begin]]), .high = {}, .begin = begin,
                  .end = end};
        node.high = node.low;
        for (int k = begin; k < end; ++k) {
            const Corner at = corner(problem_.points()[order_[k]]);
            for (int axis = 0; axis < 3; ++axis) {
                node.low[axis] = std::min(node.low[axis], at[axis]);
                node.high[axis] = std::max(node.high[axis], at[axis]);
            }
        }
        return node;
    }

    static int longest_side(const Node& node) {
        int longest = 0;
        for (int axis = 1; axis < 3; ++axis)
            if (node.high[axis] - node.low[axis] > node.high[longest] - node.low[longest])
                longest = axis;
        return longest;
    }

    // `near` is a heap with the farthest of the nearest on top, once it is full.
    void visit(int at, int customer, std::size_t count, Near& near) const {
        const Node& node = nodes_[at];
        if (node.right == 0) {
            for (int k = node.begin; k < node.end; ++k) offer(order_[k], customer, count, near);
            return;
        }
        const std::array<int, 2> children{at + 1, node.right};
        const double left = gap(children[0], customer), right = gap(children[1], customer);
        const int first = right < left ? 1 : 0;
        if (!out_of_reach(std::min(left, right), count, near))
            visit(children[first], customer, count, near);
        if (!out_of_reach(std::max(left, right), count, near))
            visit(children[1 - first], customer, count, near);
    }

    void offer(int other, int customer, std::size_t count, Near& near) const {
        if (other == customer) return;
        const std::pair found(problem_.distance(customer, other), other);
        if (near.size() == count) {
            if (!(found < near.front())) return;
            std::pop_heap(near.begin(), near.end());
            near.pop_back();
        }
        near.push_back(found);
        std::push_heap(near.begin(), near.end());
    }

    // The distance from the customer to the box, less a hair for rounding.
    double gap(int at, int customer) const {
        const Node& node = nodes_[at];
        const Corner here = corner(problem_.points()[customer]);
        Corner away;
        for (int axis = 0; axis < 3; ++axis)
            away[axis] =
                std::max({0.0, node.low[axis] - here[axis], here[axis] - node.high[axis]});
        return problem_.metric()(away[0], away[1], away[2]) * (1 - 1e-9);
    }

    static bool out_of_reach(double gap, std::size_t count, const Near& near) {
        return near.size() == count && gap > near.front().first;
    }

    const Problem& problem_;
    std::vector<int> order_;
    std::vector<Node> nodes_;
};

}  // namespace

Neighbours::Neighbours(const Problem& problem, int per_customer, Run& run)
    : count_(std::min(per_customer, problem.customers() - 1)) {
    const int n = problem.customers();
    list_.reserve(static_cast<std::size_t>(n) * count_);
    Near near;
    const auto keep = [&] {
        std::sort(near.begin(), near.begin() + count_);
        for (int r = 0; r < count_; ++r) list_.push_back(near[r].second);
    };
    if (!problem.points().empty()) {
        const Tree tree(problem, run);
        for (int i = 1; i <= n; ++i) {
            run.check();
            tree.gather(i, count_, near);
            keep();
        }
        return;
    }
    for (int i = 1; i <= n; ++i) {
        run.check();
        near.clear();
        for (int j = 1; j <= n; ++j)
            if (j != i)
                near.emplace_back(std::min(problem.distance(i, j), problem.distance(j, i)), j);
        std::nth_element(near.begin(), near.begin() + count_, near.end());
        keep();
    }
}

bool Neighbours::contains(int customer, int other) const {
    const auto list = of(customer);
    return std::find(list.begin(), list.end(), other) != list.end();
}

}  // namespace hcvrp
