// Distances by row, so that a scan of one customer against a trip reads one stretch of memory.
#pragma once

#include <vector>

#include "problem.h"

namespace hcvrp::sisr {

class Distances {
public:
    // All distances from (or to) one node: a row of the table, or points where there is none.
    class Row {
    public:
        explicit Row(const double* row) : row_(row) {}
        Row(const Point* points, int node, Metric metric)
            : points_(points), here_(points[node]), metric_(metric) {}

        double operator[](int node) const {
            return row_ ? row_[node] : metric_(points_[node], here_);
        }

    private:
        const double* row_ = nullptr;
        const Point* points_ = nullptr;
        Point here_{};
        Metric metric_{};
    };

    Distances(const Problem& problem, Run& run)
        : nodes_(static_cast<std::size_t>(problem.customers()) + 1), table_(problem.table()),
          reverse_(table_), points_(problem.points().data()), metric_(problem.metric()) {
        if (table_ && !problem.symmetric()) transpose(run);
    }
    Distances(const Distances&) = delete;
    Distances& operator=(const Distances&) = delete;

    Row from(int node) const {
        return table_ ? Row(table_ + node * nodes_) : Row(points_, node, metric_);
    }
    Row to(int node) const {
        return reverse_ ? Row(reverse_ + node * nodes_) : Row(points_, node, metric_);
    }

private:
    void transpose(Run& run) {
        transposed_.reserve(nodes_ * nodes_);
        for (std::size_t j = 0; j < nodes_; ++j) {
            run.check();
            for (std::size_t i = 0; i < nodes_; ++i) transposed_.push_back(table_[i * nodes_ + j]);
        }
        reverse_ = transposed_.data();
    }

    std::size_t nodes_;
    const double* table_;
    const double* reverse_;
    const Point* points_;
    Metric metric_;
    std::vector<double> transposed_;
};

}  // namespace hcvrp::sisr
