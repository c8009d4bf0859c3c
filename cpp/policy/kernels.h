// The loops that take the time, compiled once for each kind of processor.
#pragma once

namespace hcvrp::policy {

// Lengths are counted in blocks: rows of matrices are padded with zeros to whole ones.
constexpr int block = 16;
// Right factors are kept in panels of so many columns, each panel row by row; the last may be
// half as wide.
constexpr int panel = 2 * block;
// Added to a score, it leaves nothing of its probability.
constexpr float forbidden = -1e30f;

constexpr int padded(int length) { return (length + block - 1) / block * block; }

// What a candidate's score has beside its compatibility.
struct PairTerms {
    const float* near;    // log(1 + distance / gap) from where the vehicle stands
    const float* far;     // distance / length
    const float* fixed;   // `fixed_terms` rows of `stride` numbers
    int stride;
    const float* weight;  // of near, far and each row
};
constexpr int fixed_terms = 6, pair_terms = 2 + fixed_terms;

// Every sum is made in one order, whatever the processor and however many rows there are: a row's
// numbers have the same bits on every machine and in any company.
struct Kernels {
    const char* name;
    // c = a · b, or c += a · b with `add`: a (rows × inner), b in panels, c (rows × columns),
    // `columns` in whole blocks.
    void (*product)(const float* a, int a_stride, const float* b, float* c, int c_stride, int rows,
                    int inner, int columns, bool add);
    // y = x / √(mean x² + ε) · gain (Zhang & Sennrich 2019).
    void (*rms_norm)(const float* x, const float* gain, float* y, int rows, int width);
    // x = x / (1 + e^−x).
    void (*silu)(float* x, int count);
    // Row by row, x = softmax(x + penalty); a `penalty_stride` of 0 has one penalty for all rows.
    void (*softmax)(float* x, int stride, const float* penalty, int penalty_stride, int rows,
                    int columns);
    // x += Σ weight · term.
    void (*add_terms)(float* x, const PairTerms& terms, int columns);
    // x = range · tanh((x − max (x + penalty)) / range) + penalty: bounded below the best allowed.
    void (*squash)(float* x, float range, const float* penalty, int columns);
};

// Those for this processor.
const Kernels& kernels();

}  // namespace hcvrp::policy
