// Whole plans of one vehicle: disjoint trips of a given list, together no longer than a limit, of
// the greatest value by the customers' duals.
#pragma once

#include <bit>
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
    double most_length;
};

struct PricedPlans {
    std::vector<std::vector<int>> plans;  // trips by their number in the list
    double value = 0;        // no plan is worth more: the best found, or the threshold
    bool complete = false;   // whether that is proven
};

// The customers up to 127, as bits.
struct PlanCustomers {
    std::uint64_t low = 0, high = 0;

    void add(int customer) { (customer < 64 ? low : high) |= std::uint64_t{1} << (customer & 63); }
    bool meets(const PlanCustomers& other) const {
        return (low & other.low) | (high & other.high);
    }
    template <class Visit>
    void each(const Visit& visit) const {
        for (std::uint64_t rest = low; rest; rest &= rest - 1) visit(std::countr_zero(rest));
        for (std::uint64_t rest = high; rest; rest &= rest - 1) visit(64 + std::countr_zero(rest));
    }
};

class PlanPricing {
public:
    static constexpr int most_customers = 127;

    // Trip k visits customers[first[k]] … customers[first[k + 1] − 1].
    PlanPricing(const std::vector<std::int32_t>& customers, const std::vector<std::int64_t>& first,
                std::vector<double> lengths);

    // Sets what trips are worth from here on.
    void price(PlanPrices prices);

    // What each trip is worth by itself; 0 if it is of no use.
    std::vector<double> values() const;

    // The trips worth more than `theta` × their length + their customers' shares, the greatest
    // difference first, at most `most`.
    std::vector<int> above(double theta, const std::vector<double>& shares, int most) const;

    // Plans worth more than `threshold`, at most `most`, found with at most `steps` extensions of
    // a plan by a trip. Each list of shares, by node, bounds the search (see PlanSearch); there is at
    // least one.
    PricedPlans best(const std::vector<std::vector<double>>& shares, double threshold, int most,
                     std::int64_t steps, Run& run) const;

private:
    friend class PlanSearch;

    struct ListedTrip {
        PlanCustomers set;
        double length;
    };
    // The cuts that a set of customers touches once, and at least twice.
    struct Touched {
        OpenCuts once, twice;
    };
    // A trip that is worth something at the present prices.
    struct Candidate {
        PlanCustomers set;
        double value, length;
        Touched touched;
        int trip;
    };

    double worth(const ListedTrip& trip, Touched& touched) const;

    std::vector<ListedTrip> trips_;
    PlanPrices prices_{};
    std::vector<OpenCuts> cuts_of_;  // by customer
    std::vector<Candidate> candidates_;
};

}  // namespace hcvrp::exact
