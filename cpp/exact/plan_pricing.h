// Whole plans of one vehicle: disjoint trips of a given list, together no longer than a limit, of
// the greatest value by the customers' duals.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "run.h"
#include "subset_row.h"

namespace hcvrp::exact {

// What a plan is worth: the duals of its customers less the penalties of the cuts that it touches
// twice. Customers marked `excluded` belong to other vehicles.
struct PlanPrices {
    std::vector<double> duals;   // by node
    std::vector<SubsetRow> cuts;
    std::vector<int> excluded;
    std::vector<double> detours; // by node: about what a visit adds to a trip's length
    double most_length;
    double threshold;            // only plans worth more than this are of interest
};

struct PricedPlans {
    std::vector<std::vector<int>> plans;  // trips by their number in the list
    double value = 0;        // no plan is worth more: the best found, or the threshold
    bool complete = false;   // whether that is proven
};

class PlanPricing {
public:
    static constexpr int most_customers = 127;

    // Trip k visits customers[first[k]] … customers[first[k + 1] − 1].
    PlanPricing(const std::vector<std::int32_t>& customers, const std::vector<std::int64_t>& first,
                std::vector<double> lengths);

    // At most `most` plans, found with at most `steps` extensions of a plan by a trip.
    PricedPlans best(const PlanPrices& prices, int most, std::int64_t steps, Run& run) const;

private:
    friend class PlanSearch;

    struct CustomerSet {
        std::uint64_t low = 0, high = 0;

        void add(int customer) { (customer < 64 ? low : high) |= std::uint64_t{1} << (customer & 63); }
        bool meets(const CustomerSet& other) const {
            return (low & other.low) | (high & other.high);
        }
    };
    struct ListedTrip {
        CustomerSet set;
        double length;
    };

    std::vector<ListedTrip> trips_;
};

}  // namespace hcvrp::exact
