// Distances by row, so that a scan of one customer against a trip reads one stretch of memory.
#pragma once

#include <vector>

#include "problem.h"

namespace hcvrp::sisr {

class Distances {
public:
    Distances(const Problem& problem, Run& run)
        : nodes_(static_cast<std::size_t>(problem.customers()) + 1), table_(problem.table()),
          reverse_(table_), points_(problem.points().data()), metric_(problem.metric()) {
        if (table_ && !problem.symmetric()) transpose(run);
    }
    Distances(const Distances&) = delete;
    Distances& operator=(const Distances&) = delete;

    // From or to a node, read from that node's row.
    double from(int node, int other) const {
        return table_ ? table_[node * nodes_ + other] : metric_(points_[other], points_[node]);
    }
    double to(int node, int other) const {
        return table_ ? reverse_[node * nodes_ + other] : metric_(points_[other], points_[node]);
    }

    // What `scan(to, from)` makes of a node's two rows. Where there is a table it is compiled for
    // plain rows, and again for the one row of symmetric distances.
    template <class Scan>
    auto with_rows(int node, Scan&& scan) const {
        if (!table_) return scan(PointRow{*this, node}, PointRow{*this, node});
        const double *to = reverse_ + node * nodes_, *from = table_ + node * nodes_;
        return to == from ? scan(from, from) : scan(to, from);
    }

private:
    struct PointRow {
        const Distances& distances;
        int node;
        double operator[](int other) const {
            return distances.metric_(distances.points_[other], distances.points_[node]);
        }
    };

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
