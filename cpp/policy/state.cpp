#include "state.h"

#include <algorithm>
#include <limits>

namespace hcvrp::policy {

State::State(const Ground& ground, bool trips)
    : ground_(&ground), trips_(trips), waiting_(ground.problem.customers()),
      position_(ground.vehicles()), time_(ground.vehicles()), penalty_(padded(ground.nodes())),
      routes_(ground.vehicles()) {
    for (int v = 0; v < ground.vehicles(); ++v) remaining_.push_back(ground.problem.capacity(v));
    std::fill(penalty_.begin() + ground.nodes(), penalty_.end(), forbidden);
    for (const auto& share : ground.shares)
        for (int k = 0; k < 3; ++k) left_[k] += share[k];
}

std::vector<int> State::movable() const {
    if (trips_ && out_ >= 0) return {out_};
    const Problem& problem = ground_->problem;
    double smallest = std::numeric_limits<double>::infinity();
    for (int i = 1; i <= problem.customers(); ++i)
        if (penalty_[i] == 0) smallest = std::min(smallest, problem.demand(i));
    std::vector<int> found;
    for (int v = 0; v < problem.vehicles(); ++v)
        if (position_[v] != 0 || smallest <= problem.capacity(v)) found.push_back(v);
    return found;
}

void State::mark_candidates(int vehicle, float* penalty) const {
    const Problem& problem = ground_->problem;
    const double left = remaining_[vehicle];
    const double* demand = ground_->demand.data();
    const float* waiting = penalty_.data();
    float best = forbidden;
    for (int i = 1; i <= problem.customers(); ++i) {
        penalty[i] = demand[i] <= left ? waiting[i] : forbidden;
        best = std::max(best, penalty[i]);
    }
    penalty[0] = position_[vehicle] != 0 || best == forbidden ? 0 : forbidden;
    std::fill(penalty + problem.customers() + 1, penalty + penalty_.size(), forbidden);
}

void State::move(int vehicle, int node) {
    const Problem& problem = ground_->problem;
    const int from = position_[vehicle];
    time_[vehicle] += problem.distance(from, node) * problem.pace(vehicle);
    position_[vehicle] = node;
    out_ = node == 0 ? -1 : vehicle;
    if (node == 0) {
        remaining_[vehicle] = problem.capacity(vehicle);
        return;
    }
    remaining_[vehicle] -= problem.demand(node);
    penalty_[node] = forbidden;
    --waiting_;
    for (int k = 0; k < 3; ++k) left_[k] -= ground_->shares[node][k];
    if (from == 0) routes_[vehicle].emplace_back();
    routes_[vehicle].back().push_back(node);
}

double State::time_home(int vehicle) const {
    const Problem& problem = ground_->problem;
    return time_[vehicle] + problem.distance(position_[vehicle], 0) * problem.pace(vehicle);
}

double State::cost() const {
    double worst = 0, sum = 0;
    for (int v = 0; v < ground_->vehicles(); ++v) {
        worst = std::max(worst, time_home(v));
        sum += time_home(v);
    }
    return ground_->objective == Objective::min_max ? worst : sum;
}

std::array<double, state_numbers> State::numbers() const {
    const double unit = ground_->time * ground_->scale;
    double latest = 0, level = left_[1];
    for (int v = 0; v < ground_->vehicles(); ++v) {
        const double time = time_home(v) / unit;
        latest = std::max(latest, time);
        level += time * ground_->strength[v];
    }
    return {left_[0], left_[1], left_[2], latest, level};
}

void State::describe(int vehicle, const std::array<double, state_numbers>& state,
                     float* row) const {
    const double time = time_home(vehicle) / (ground_->time * ground_->scale);
    const double numbers[moving_numbers] = {
        time, state[4] - time, state[3] - time,
        remaining_[vehicle] / ground_->problem.capacity(vehicle),
        position_[vehicle] != 0 ? 1.0 : 0.0};
    std::copy_n(numbers, moving_numbers, row);
}

}  // namespace hcvrp::policy
