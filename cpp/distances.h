// Distances by row, so that a scan of one customer against a trip reads one stretch of memory.
#pragma once

#include <cmath>
#include <vector>

#include "problem.h"

namespace hcvrp {

class Distances {
public:
    // All distances from (or to) one node: a row of the table, or coordinates where there is none.
    class Row {
    public:
        explicit Row(const double* row) : row_(row), x_(nullptr), y_(nullptr) {}
        Row(const double* x, const double* y, int node)
            : row_(nullptr), x_(x), y_(y), at_x_(x[node]), at_y_(y[node]) {}

        double operator[](int node) const {
            if (row_) return row_[node];
            const double dx = x_[node] - at_x_, dy = y_[node] - at_y_;
            return std::sqrt(dx * dx + dy * dy);
        }

    private:
        const double* row_;
        const double *x_, *y_;
        double at_x_ = 0, at_y_ = 0;
    };

    explicit Distances(const Problem& problem)
        : nodes_(static_cast<std::size_t>(problem.customers()) + 1), table_(problem.table()),
          reverse_(table_), x_(problem.x()), y_(problem.y()) {
        if (table_ && !problem.symmetric()) transpose();
    }
    Distances(const Distances&) = delete;
    Distances& operator=(const Distances&) = delete;

    Row from(int node) const {
        return table_ ? Row(table_ + node * nodes_) : Row(x_, y_, node);
    }
    Row to(int node) const {
        return reverse_ ? Row(reverse_ + node * nodes_) : Row(x_, y_, node);
    }

private:
    void transpose() {
        transposed_.resize(nodes_ * nodes_);
        for (std::size_t i = 0; i < nodes_; ++i)
            for (std::size_t j = 0; j < nodes_; ++j)
                transposed_[j * nodes_ + i] = table_[i * nodes_ + j];
        reverse_ = transposed_.data();
    }

    std::size_t nodes_;
    const double* table_;
    const double* reverse_;
    const double *x_, *y_;
    std::vector<double> transposed_;
};

}  // namespace hcvrp
