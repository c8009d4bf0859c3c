#include "rollout.h"

#include <algorithm>
#include <memory>

#include "encoder.h"

namespace hcvrp::policy {

namespace {

// Samples made side by side. More would not make the products quicker, and a limit on time would
// cut more of them off unfinished.
constexpr int group = 16;

int best_of(const float* scores, int count) {
    return static_cast<int>(std::max_element(scores, scores + count) - scores);
}

// An index by its probability; those of probability 0 are never drawn.
int drawn(const float* probability, int count, double uniform) {
    int last = 0;
    for (int j = 0; j < count; ++j) {
        if (probability[j] == 0) continue;
        last = j;
        uniform -= probability[j];
        if (uniform < 0) break;
    }
    return last;
}

Form form_of(const Problem& problem, Routes routes) {
    Form form;
    for (int v = 0; v < problem.vehicles(); ++v) {
        std::vector<Trip>& trips = routes[v];
        for (Trip& trip : trips)
            if (problem.symmetric() && trip.front() > trip.back())
                std::reverse(trip.begin(), trip.end());
        std::sort(trips.begin(), trips.end());
        form.emplace_back(problem.capacity(v), problem.pace(v), std::move(trips));
    }
    std::sort(form.begin(), form.end());
    return form;
}

class Rollouts {
public:
    Rollouts(const Network& network, const Ground& ground, const Decoding& decoding, Run& run)
        : network_(network), ground_(ground), decoding_(decoding), run_(run),
          scorer_(network, ground, group), tables_(decoding.views),
          no_penalty_(1, std::max(ground.nodes(), ground.vehicles())) {}

    // Round by round a group of every view, so that a clock cuts all views alike.
    void make() {
        std::int64_t turn = 0;
        for (std::int64_t first = 0; first < decoding_.samples; first += group)
            for (int view = 0; view < decoding_.views; ++view) {
                if (turn++ % decoding_.parts != decoding_.part) continue;
                const auto most = std::max<std::int64_t>(1, run_.iterations() - made);
                const auto size = std::min({std::int64_t{group}, decoding_.samples - first, most});
                if (!look(view) || !roll(view, first, static_cast<int>(size))) return;
            }
    }

    std::vector<Answer> best;
    std::int64_t made = 0;

private:
    struct Sample {
        State state;
        Rng rng;
    };

    bool look(int view) {
        if (tables_[view]) return true;
        Matrix embedded = encode(network_, ground_, view, run_);
        if (embedded.rows() == 0) return false;
        tables_[view] = std::make_unique<Tables>(network_, ground_, embedded);
        return true;
    }

    // One group of samples to their ends; false when it is time to stop.
    bool roll(int view, std::int64_t first, int size) {
        std::vector<Sample> samples;
        for (int i = 0; i < size; ++i)
            samples.push_back({State(ground_, network_.trips), generator(view, first + i)});
        std::vector<Sample*> open;
        for (Sample& sample : samples) open.push_back(&sample);
        while (!open.empty()) {
            if (over()) return false;
            step(*tables_[view], open);
            std::erase_if(open, [](const Sample* s) { return s->state.finished(); });
        }
        for (const Sample& sample : samples) collect(sample.state);
        return !over();
    }

    bool over() {
        return best.empty() ? run_.interrupted() : run_.over(made, best.front().cost);
    }

    Rng generator(int view, std::int64_t number) const {
        const auto count = static_cast<std::uint64_t>(8 * number + view);
        return Rng(Rng(decoding_.seed).next() + count);
    }

    void step(const Tables& tables, const std::vector<Sample*>& open) {
        const std::vector<int> vehicles = choose_vehicles(tables, open);
        std::vector<State*> states;
        for (Sample* sample : open) states.push_back(&sample->state);
        const Slice scores = scorer_.nodes(tables, states, vehicles);
        for (std::size_t i = 0; i < open.size(); ++i)
            states[i]->move(vehicles[i], choose(scores[i], ground_.nodes(), open[i]->rng));
    }

    // Where only one vehicle may move there is nothing to score.
    std::vector<int> choose_vehicles(const Tables& tables, const std::vector<Sample*>& open) {
        std::vector<int> chosen(open.size());
        std::vector<std::size_t> asked;
        std::vector<State*> states;
        std::vector<std::vector<int>> movable;
        for (std::size_t i = 0; i < open.size(); ++i) {
            std::vector<int> may = open[i]->state.movable();
            chosen[i] = may.front();
            if (may.size() == 1) continue;
            asked.push_back(i);
            states.push_back(&open[i]->state);
            movable.push_back(std::move(may));
        }
        if (asked.empty()) return chosen;
        const Slice scores = scorer_.vehicles(tables, states, movable);
        for (std::size_t k = 0; k < asked.size(); ++k)
            chosen[asked[k]] =
                choose(scores[static_cast<int>(k)], ground_.vehicles(), open[asked[k]]->rng);
        return chosen;
    }

    int choose(float* scores, int count, Rng& rng) {
        if (decoding_.greedy) return best_of(scores, count);
        for (int j = 0; j < count; ++j) scores[j] /= decoding_.temperature;
        kernels().softmax(scores, padded(count), no_penalty_[0], 0, 1, padded(count));
        return drawn(scores, count, rng.uniform());
    }

    // Keeps the answer if it is among the best and unlike them. Sums in another order may make the
    // same plan a hair cheaper: then it takes the other's place.
    void collect(const State& state) {
        ++made;
        const double cost = state.cost();
        const bool full = static_cast<int>(best.size()) == decoding_.keep;
        if (full && cost >= best.back().cost) return;
        Form form = form_of(ground_.problem, state.routes());
        const auto twin = std::find_if(best.begin(), best.end(),
                                       [&](const Answer& other) { return other.form == form; });
        if (twin != best.end()) {
            if (cost >= twin->cost) return;
            best.erase(twin);
        } else if (full) {
            best.pop_back();
        }
        const auto place = std::upper_bound(
            best.begin(), best.end(), cost,
            [](double value, const Answer& other) { return value < other.cost; });
        const bool leads = place == best.begin();
        best.insert(place, {cost, state.routes(), std::move(form)});
        if (leads) run_.improved(cost, made, best.front().routes);
    }

    const Network& network_;
    const Ground& ground_;
    const Decoding& decoding_;
    Run& run_;
    Scorer scorer_;
    std::vector<std::unique_ptr<Tables>> tables_;  // by view, made when first needed
    Matrix no_penalty_;
};

}  // namespace

std::vector<Answer> rollouts(const Network& network, const Ground& ground, const Decoding& decoding,
                             Run& run, std::int64_t& made) {
    Rollouts all(network, ground, decoding, run);
    all.make();
    made = all.made;
    return std::move(all.best);
}

}  // namespace hcvrp::policy
