// Matrices of floats as the kernels want them: aligned, zero-padded, right factors in panels.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels.h"

namespace hcvrp::policy {

// Floats that begin at a cache line, at first all zero.
class Floats {
public:
    Floats() = default;
    explicit Floats(std::size_t count) : lines_((count + block - 1) / block) {}
    float* data() { return reinterpret_cast<float*>(lines_.data()); }
    const float* data() const { return reinterpret_cast<const float*>(lines_.data()); }

private:
    struct alignas(64) Line {
        float values[block] = {};
    };
    std::vector<Line> lines_;
};

// Part of the columns of a matrix, all of its rows.
struct Slice {
    float* data;
    int stride;
    int columns;

    float* operator[](int row) const { return data + static_cast<std::size_t>(row) * stride; }
};

// Row by row; every row is padded to whole blocks.
class Matrix {
public:
    Matrix() = default;
    Matrix(int rows, int columns)
        : rows_(rows), columns_(columns), stride_(padded(columns)),
          values_(static_cast<std::size_t>(rows) * stride_) {}

    int rows() const { return rows_; }
    int columns() const { return columns_; }
    int stride() const { return stride_; }
    float* operator[](int row) { return values_.data() + offset(row); }
    const float* operator[](int row) const { return values_.data() + offset(row); }
    Slice slice(int first, int columns) { return {values_.data() + first, stride_, columns}; }
    Slice all() { return slice(0, stride_); }

private:
    std::size_t offset(int row) const { return static_cast<std::size_t>(row) * stride_; }

    int rows_ = 0, columns_ = 0, stride_ = 0;
    Floats values_;
};

// A right factor, inner × columns, in the panels that `Kernels::product` reads.
class Packed {
public:
    Packed() = default;
    Packed(int inner, int columns)
        : inner_(inner), columns_(padded(columns)),
          values_(static_cast<std::size_t>(inner) * columns_) {}

    int inner() const { return inner_; }
    int columns() const { return columns_; }
    const float* data() const { return values_.data(); }
    float& at(int row, int column) {
        const int first = column / panel * panel;
        const int width = columns_ - first < panel ? block : panel;
        return values_.data()[static_cast<std::size_t>(first) * inner_ +
                              static_cast<std::size_t>(row) * width + (column - first)];
    }

private:
    int inner_ = 0, columns_ = 0;
    Floats values_;
};

// The first `rows` rows of c become a · b.
inline void multiply(const Slice& a, const Packed& b, const Slice& c, int rows) {
    kernels().product(a.data, a.stride, b.data(), c.data, c.stride, rows, b.inner(), b.columns(),
                      false);
}

// The first `rows` rows of c grow by a · b.
inline void multiply_add(const Slice& a, const Packed& b, const Slice& c, int rows) {
    kernels().product(a.data, a.stride, b.data(), c.data, c.stride, rows, b.inner(), b.columns(),
                      true);
}

}  // namespace hcvrp::policy
