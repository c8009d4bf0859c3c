#include "encoder.h"

#include <algorithm>

namespace hcvrp::policy {

namespace {

// Queries whose scores are in memory at once.
constexpr int query_rows = 64;

// The tokens of one sequence on their way through the layers.
class Sequence {
public:
    Sequence(const Network& network, const Ground& ground, int view)
        : network_(network), count_(ground.nodes() + ground.vehicles()), h_(count_, network.dim),
          normed_(count_, network.dim), projected_(count_, 3 * network.dim),
          mixed_(count_, network.dim), wide_(count_, network.feed_forward),
          scores_(query_rows, count_), padding_(1, count_), keys_(network.head, count_),
          values_(count_, network.head) {
        std::fill(padding_[0] + count_, padding_[0] + padding_.stride(), forbidden);
        embed(ground, view);
    }

    // h + MHA(norm h), or false when the run is interrupted: with ten thousand customers a layer
    // takes a second.
    bool attend(const Layer& layer, Run& run) {
        normalise(layer.before_attention);
        multiply(normed_.all(), layer.project.weight, projected_.all(), count_);
        for (int k = 0; k < network_.heads; ++k) {
            if (run.interrupted()) return false;
            attend(k * network_.head);
        }
        multiply_add(mixed_.all(), layer.join.weight, h_.all(), count_);
        return true;
    }

    // h + FF(norm h).
    void feed_forward(const Layer& layer) {
        normalise(layer.before_feed_forward);
        fill_rows(wide_, layer.widen.bias);
        multiply_add(normed_.all(), layer.widen.weight, wide_.all(), count_);
        kernels().silu(wide_[0], count_ * wide_.stride());
        for (int t = 0; t < count_; ++t) add(h_[t], layer.narrow.bias.data());
        multiply_add(wide_.all(), layer.narrow.weight, h_.all(), count_);
    }

    Matrix finished() {
        normalise(network_.norm);
        return std::move(normed_);
    }

private:
    void embed(const Ground& ground, int view) {
        Matrix depot(1, depot_features), customers = ground.customers(view), fleet = ground.fleet();
        const auto row = ground.depot(view);
        std::copy(row.begin(), row.end(), depot[0]);
        const float* goal = network_.objective[static_cast<int>(ground.objective)];
        int token = 0;
        for (auto [features, linear] :
             {std::pair{&depot, &network_.depot}, std::pair{&customers, &network_.customer},
              std::pair{&fleet, &network_.vehicle}}) {
            const Slice rows{h_[token], h_.stride(), h_.stride()};
            for (int t = 0; t < features->rows(); ++t) {
                std::copy_n(linear->bias.data(), network_.dim, rows[t]);
                add(rows[t], goal);
            }
            multiply_add(features->all(), linear->weight, rows, features->rows());
            token += features->rows();
        }
    }

    // One head, whose columns begin at `first`.
    void attend(int first) {
        const int dim = network_.dim, head = network_.head;
        for (int t = 0; t < count_; ++t)
            for (int k = 0; k < head; ++k) {
                keys_.at(k, t) = projected_[t][dim + first + k];
                values_.at(t, k) = projected_[t][2 * dim + first + k];
            }
        for (int t = 0; t < count_; t += query_rows) {
            const int rows = std::min(query_rows, count_ - t);
            multiply({projected_[t] + first, projected_.stride(), head}, keys_, scores_.all(),
                     rows);
            kernels().softmax(scores_[0], scores_.stride(), padding_[0], 0, rows,
                              scores_.stride());
            multiply(scores_.all(), values_, {mixed_[t] + first, mixed_.stride(), head}, rows);
        }
    }

    void normalise(const Floats& gain) {
        kernels().rms_norm(h_[0], gain.data(), normed_[0], count_, network_.dim);
    }

    void add(float* row, const float* more) const {
        for (int k = 0; k < network_.dim; ++k) row[k] += more[k];
    }

    static void fill_rows(Matrix& matrix, const Floats& row) {
        for (int t = 0; t < matrix.rows(); ++t)
            std::copy_n(row.data(), matrix.columns(), matrix[t]);
    }

    const Network& network_;
    const int count_;
    Matrix h_, normed_, projected_, mixed_, wide_, scores_, padding_;
    Packed keys_, values_;
};

}  // namespace

Matrix encode(const Network& network, const Ground& ground, int view, Run& run) {
    Sequence sequence(network, ground, view);
    for (const Layer& layer : network.layers) {
        if (!sequence.attend(layer, run)) return {};
        sequence.feed_forward(layer);
    }
    return sequence.finished();
}

}  // namespace hcvrp::policy
