// A partial solution: what may be done and what it leads to (src/hcvrp/env/README.md).
#pragma once

#include <array>
#include <vector>

#include "ground.h"

namespace hcvrp::policy {

class State {
public:
    // All vehicles at the depot, nobody served. With `trips`, one that is out goes on until it is
    // home before any other may move.
    State(const Ground& ground, bool trips);

    bool finished() const { return waiting_ == 0; }
    // Vehicles that may move: those away, and those at the depot that somebody fits.
    std::vector<int> movable() const;
    // For each node, padding included, 0 where `vehicle` may go next and `forbidden` elsewhere.
    void mark_candidates(int vehicle, float* penalty) const;
    // The same for those that wait, and the depot.
    const float* waiting() const { return penalty_.data(); }
    void move(int vehicle, int node);

    int position(int vehicle) const { return position_[vehicle]; }
    double load_left(int vehicle) const { return remaining_[vehicle]; }
    const Routes& routes() const { return routes_; }
    // Of the vehicles once home.
    double cost() const;

    // What the network is told of the state: shares left of demand, work and customers; the
    // latest time; and the level at which all would end if what is left were shared evenly.
    std::array<double, state_numbers> numbers() const;
    // And of a vehicle in it: its time once home, what it should still do, what it can do for
    // nothing, its load, and whether it is out.
    void describe(int vehicle, const std::array<double, state_numbers>& state, float* row) const;

private:
    double time_home(int vehicle) const;

    const Ground* ground_;
    bool trips_;
    int waiting_;
    int out_ = -1;  // the vehicle that moved last, if it is away
    std::array<double, 3> left_{};  // shares
    std::vector<int> position_;
    std::vector<double> remaining_, time_;
    std::vector<float> penalty_;
    Routes routes_;
};

}  // namespace hcvrp::policy
