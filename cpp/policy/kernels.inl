// The kernels, written once for vectors of `lanes` floats. A file that includes this has said for
// which processor (`HCVRP_PROCESSOR`, a namespace), how wide its vectors are and how many rows of
// a product fill its registers. Nothing from the standard library is used here: an inline
// function compiled for a newer processor might be the copy that the linker keeps for all.
#include "kernels.h"

#if HCVRP_LANES > 4
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace hcvrp::policy::HCVRP_PROCESSOR {
namespace {

constexpr int lanes = HCVRP_LANES, tile_rows = HCVRP_TILE_ROWS;

typedef float Vector __attribute__((vector_size(4 * lanes)));
typedef int Whole __attribute__((vector_size(4 * lanes)));
typedef float Loose __attribute__((vector_size(4 * lanes), aligned(4), may_alias));

inline Vector load(const float* from) { return *reinterpret_cast<const Loose*>(from); }
inline void store(float* to, Vector x) { *reinterpret_cast<Loose*>(to) = x; }
inline Vector all(float x) { return x - Vector{}; }

// a b + c, rounded once.
#if HCVRP_LANES == 16
inline Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
#elif HCVRP_LANES == 8
inline Vector fused(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
#elif defined(__aarch64__)
inline Vector fused(Vector a, Vector b, Vector c) { return vfmaq_f32(c, a, b); }
#else
// The product of two floats is exact as a double. Where the sum is not (its error by Knuth's
// TwoSum), rounding it to odd makes the second rounding come out as if it were the only one
// (Boldo & Melquiond 2008).
inline Vector fused(Vector a, Vector b, Vector c) {
    typedef double Wide __attribute__((vector_size(8 * lanes)));
    typedef long long Bits __attribute__((vector_size(8 * lanes)));
    const Wide product = __builtin_convertvector(a, Wide) * __builtin_convertvector(b, Wide);
    const Wide addend = __builtin_convertvector(c, Wide), sum = product + addend;
    const Wide part = sum - product, error = (product - (sum - part)) + (addend - part);
    const Bits bits = (Bits)sum;
    const Bits even = (error != 0) & ((bits & 1) == 0);
    const Bits away = (error > 0) == (sum > 0);  // −1 where the true sum is larger in size
    const Bits odd = bits + (even & (-2 * away - 1));
    return __builtin_convertvector((Wide)odd, Vector);
}
#endif

// e^x = 2^n e^r with n whole and |r| ≤ ½ ln 2, where seven terms of the series suffice.
// 0 below −87, where the result would leave the normal numbers.
inline Vector exponential(Vector x) {
    const Vector round = all(12582912.0f);  // 1.5 · 2²³: adding it leaves no digits after the point
    x = x < 88.0f ? x : all(88.0f);
    const Vector bounded = x > -87.0f ? x : all(-87.0f);
    const Vector shifted = fused(bounded, all(1.44269504f), round);
    const Vector n = shifted - round;
    // ln 2 in two parts
    const Vector r = fused(n, all(-1.42860677e-6f), fused(n, all(-0.693145752f), bounded));
    Vector sum = all(1.0f / 5040);
    const float terms[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
    for (float term : terms) sum = fused(sum, r, all(term));
    const Whole power = ((Whole)shifted - (Whole)round + 127) << 23;
    const Vector result = sum * (Vector)power;
    return x > -87.0f ? result : Vector{};
}

inline Vector tangent(Vector x) { return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f); }

// Sixteen running values, folded in one order for every width of vector.
struct Folded {
    Vector part[block / lanes];

    explicit Folded(float start) {
        for (Vector& p : part) p = all(start);
    }
    void raise(int p, Vector x) { part[p] = x > part[p] ? x : part[p]; }
    float sum() const {
        float x[block];
        spread(x);
        for (int i = 0; i < 8; ++i) x[i] += x[i + 8];
        for (int i = 0; i < 4; ++i) x[i] += x[i + 4];
        return (x[0] + x[2]) + (x[1] + x[3]);
    }
    float largest() const {
        float x[block];
        spread(x);
        for (int i = 0; i < 8; ++i) x[i] = larger(x[i], x[i + 8]);
        for (int i = 0; i < 4; ++i) x[i] = larger(x[i], x[i + 4]);
        return larger(larger(x[0], x[2]), larger(x[1], x[3]));
    }
    static float larger(float a, float b) { return a > b ? a : b; }
    void spread(float* x) const {
        for (int p = 0; p < block / lanes; ++p) store(x + p * lanes, part[p]);
    }
};

// Products that are summed up before their sum is added to those before it: the error of a sum
// grows with the number of its terms (Blanchard, Higham & Mary 2020).
constexpr int depth = 64;

// R rows by W vectors of c, which stay in registers; `b_panel` is the size of a panel of b.
template <int R, int W>
inline void tile(const float* a, long a_stride, const float* b, long b_row, long b_panel, float* c,
                 long c_stride, int inner, bool add) {
    constexpr int per_panel = panel / lanes;
    for (int from = 0; from < inner; from += depth, add = true) {
        const int to = from + depth < inner ? from + depth : inner;
        Vector sum[R][W] = {};
        for (int k = from; k < to; ++k) {
            Vector row[W];
            for (int w = 0; w < W; ++w)
                row[w] = load(b + w / per_panel * b_panel + k * b_row + w % per_panel * lanes);
            for (int r = 0; r < R; ++r) {
                const Vector x = all(a[r * a_stride + k]);
                for (int w = 0; w < W; ++w) sum[r][w] = fused(x, row[w], sum[r][w]);
            }
        }
        for (int r = 0; r < R; ++r)
            for (int w = 0; w < W; ++w) {
                float* into = c + r * c_stride + w * lanes;
                store(into, add ? load(into) + sum[r][w] : sum[r][w]);
            }
    }
}

// W vectors of columns for all rows.
template <int W>
inline void stripe(const float* a, long a_stride, const float* b, long b_row, long b_panel,
                   float* c, long c_stride, int rows, int inner, bool add) {
    int r = 0;
    for (; r + tile_rows <= rows; r += tile_rows)
        tile<tile_rows, W>(a + r * a_stride, a_stride, b, b_row, b_panel, c + r * c_stride,
                           c_stride, inner, add);
    if constexpr (tile_rows > 4)
        for (; r + 4 <= rows; r += 4)
            tile<4, W>(a + r * a_stride, a_stride, b, b_row, b_panel, c + r * c_stride, c_stride,
                       inner, add);
    for (; r < rows; ++r)
        tile<1, W>(a + r * a_stride, a_stride, b, b_row, b_panel, c + r * c_stride, c_stride,
                   inner, add);
}

void product(const float* a, int a_stride, const float* b, float* c, int c_stride, int rows,
             int inner, int columns, bool add) {
    constexpr int wide = HCVRP_TILE_VECTORS, single = 8;  // vectors of a tile
    static_assert(single * lanes % panel == 0 && panel % (wide * lanes) == 0);
    const long whole = static_cast<long>(panel) * inner;
    int j = 0;
    if (rows == 1)  // one row by two vectors would wait for its own sums
        for (; j + single * lanes <= columns; j += single * lanes)
            tile<1, single>(a, a_stride, b + static_cast<long>(j) * inner, panel, whole, c + j,
                            c_stride, inner, add);
    for (; j + panel <= columns; j += panel)
        for (int part = 0; part < panel; part += wide * lanes)
            stripe<wide>(a, a_stride, b + static_cast<long>(j) * inner + part, panel, whole,
                         c + j + part, c_stride, rows, inner, add);
    for (int part = 0; j + part < columns; part += lanes)
        stripe<1>(a, a_stride, b + static_cast<long>(j) * inner + part, block, whole, c + j + part,
                  c_stride, rows, inner, add);
}

void rms_norm(const float* x, const float* gain, float* y, int rows, int width) {
    constexpr float epsilon = 1.1920929e-7f;  // of float, as torch takes it
    for (int r = 0; r < rows; ++r, x += width, y += width) {
        Folded squares(0);
        for (int j = 0; j < width; j += block)
            for (int p = 0; p < block / lanes; ++p) {
                const Vector v = load(x + j + p * lanes);
                squares.part[p] += v * v;
            }
        const float factor =
            1.0f / __builtin_sqrtf(squares.sum() / static_cast<float>(width) + epsilon);
        for (int j = 0; j < width; j += lanes)
            store(y + j, load(x + j) * factor * load(gain + j));
    }
}

void silu(float* x, int count) {
    for (int j = 0; j < count; j += lanes) {
        const Vector v = load(x + j);
        store(x + j, v / (1.0f + exponential(-v)));
    }
}

void softmax(float* x, int stride, const float* penalty, int penalty_stride, int rows,
             int columns) {
    for (int r = 0; r < rows; ++r, x += stride, penalty += penalty_stride) {
        Folded best(forbidden);
        for (int j = 0; j < columns; j += block)
            for (int p = 0; p < block / lanes; ++p) {
                const int at = j + p * lanes;
                const Vector v = load(x + at) + load(penalty + at);
                store(x + at, v);
                best.raise(p, v);
            }
        const float largest = best.largest();
        Folded total(0);
        for (int j = 0; j < columns; j += block)
            for (int p = 0; p < block / lanes; ++p) {
                const int at = j + p * lanes;
                const Vector v = exponential(load(x + at) - largest);
                store(x + at, v);
                total.part[p] += v;
            }
        const float factor = 1.0f / total.sum();
        for (int j = 0; j < columns; j += lanes) store(x + j, load(x + j) * factor);
    }
}

void add_terms(float* x, const PairTerms& terms, int columns) {
    const float* weight = terms.weight;
    for (int j = 0; j < columns; j += lanes) {
        Vector sum = fused(all(weight[0]), load(terms.near + j), load(x + j));
        sum = fused(all(weight[1]), load(terms.far + j), sum);
        for (int f = 0; f < fixed_terms; ++f)
            sum = fused(all(weight[2 + f]), load(terms.fixed + f * terms.stride + j), sum);
        store(x + j, sum);
    }
}

void squash(float* x, float range, const float* penalty, int columns) {
    Folded best(forbidden);
    for (int j = 0; j < columns; j += block)
        for (int p = 0; p < block / lanes; ++p)
            best.raise(p, load(x + j + p * lanes) + load(penalty + j + p * lanes));
    const float largest = best.largest();
    for (int j = 0; j < columns; j += lanes) {
        const Vector below = tangent((load(x + j) - largest) / range);
        store(x + j, range * below + load(penalty + j));
    }
}

}  // namespace

extern const Kernels table;
const Kernels table = {HCVRP_NAME, product, rms_norm, silu, softmax, add_terms, squash};

}  // namespace hcvrp::policy::HCVRP_PROCESSOR
