// Local moves on a plan, and the descent that applies them until none helps.
#pragma once

#include <vector>

#include "neighbours.h"
#include "plan.h"
#include "record.h"
#include "rng.h"

namespace hcvrp::baselines {

// relocate: a customer to beside a near one, or into a trip of its own; two_opt: a part of a trip
// in reverse; swap: two near customers of different trips; cross: the ends of two trips; fleet: a
// trip to another vehicle, or two trips' vehicles exchanged.
enum class Moves { relocate_and_two_opt, all };

class Descent {
public:
    // Throws RunOver when the record's run ends first.
    Descent(const Problem& problem, Moves moves, Record& record);

    // Applies improving moves, the first found, until there is none or the run is over.
    void improve(Plan& plan, Record& record, Rng& rng);

    const Neighbours& near() const { return near_; }

private:
    void improve_customer(int i);
    void improve_pair(int i, int j);
    bool relocate_beside(int i, int j);
    void relocate_alone(int i);
    bool swap(int i, int j);
    void two_opt(int i, int j);
    void cross(int i, int j);
    double reversed_length(const Plan::Journey& trip, int from, int to) const;
    void improve_fleet(Record& record);
    bool helps(double change) const { return change < -margin_; }

    const Problem& problem_;
    Moves moves_;
    Neighbours near_;
    std::vector<int> order_;
    std::vector<int> first_, second_;  // trips under construction
    Plan* plan_ = nullptr;
    double margin_ = 0;
};

}  // namespace hcvrp::baselines
