// Min-sum as the search sees it: a trip costs its length on the cheapest vehicle that can carry
// it, so that no trip needs a vehicle of its own until the end.
#pragma once

#include <vector>

#include "plan.h"

namespace hcvrp::sisr {

class SumCost {
public:
    explicit SumCost(const Problem& problem);

    // The plan's "vehicles" are price classes.
    std::vector<double> limits() const;

    void reset(Plan& plan);
    void keep() { kept_ = total_; }
    void undo() { total_ = kept_; }
    void changed(Plan& plan, int trip, const Slot& before);

    template <class Blinks>
    Choice choose(Plan& plan, int customer, Blinks&& blinks);

    // Whether the changed plan costs less than the one before plus `allowance`.
    bool acceptable(Plan&, double allowance) const { return total_ < kept_ + allowance; }
    bool relieve(Plan&) { return false; }
    double objective() const { return total_; }

    Routes routes(const Snapshot& snapshot) const;

private:
    // Classes of loads by rising capacity; a larger one that is also faster hides a smaller one.
    struct Class {
        double capacity, pace;
    };
    int class_of(double load, int at_least) const {
        int k = at_least;
        while (k + 1 < static_cast<int>(classes_.size()) && load > classes_[k].capacity) ++k;
        return k;
    }

    const Problem& problem_;
    std::vector<Class> classes_;
    double largest_;
    double total_ = 0, kept_ = 0;
};

template <class Blinks>
Choice SumCost::choose(Plan& plan, int customer, Blinks&& blinks) {
    // A heavier class makes the whole trip dearer. Trips that keep theirs are looked at first;
    // the others only while that surcharge alone (a detour is never negative in a metric) is
    // below the best so far.
    const double demand = problem_.demand(customer), alone = plan.there_and_back(customer);
    Choice best{-1, {alone, 0}, 0};
    double least = alone * classes_[class_of(demand, 0)].pace;
    const auto consider = [&](int trip, double pace, double surcharge) {
        const Place place = plan.best_place(customer, trip);
        const double increase = surcharge + place.delta * pace;
        if (increase < least) {
            least = increase;
            best = {trip, place, 0};
        }
    };
    const std::span<const int> offers = plan.offers(customer);
    for (int trip : plan.roomy(customer, offers))
        if (!blinks()) consider(trip, classes_[plan.slot(trip).vehicle].pace, 0);
    for (int trip : offers) {
        const Slot& slot = plan.slot(trip);
        const double load = slot.load + demand;
        if (slot.step >= least || demand <= plan.room(trip) || load > largest_ || blinks())
            continue;
        const double pace = classes_[class_of(load, slot.vehicle)].pace;
        const double surcharge = slot.length * pace - slot.price;
        if (surcharge < least) consider(trip, pace, surcharge);
    }
    return best;
}

}  // namespace hcvrp::sisr
