// Whole plans of one vehicle: disjoint trips of a given list, together no longer than a limit, of
// the greatest value by the customers' duals.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "run.h"
#include "subset_row.h"

namespace hcvrp::exact {

// What a plan is worth: the duals of its customers less the penalties of the cuts that it touches
// twice.
struct PlanPrices {
    std::vector<double> duals;   // by node
    std::vector<SubsetRow> cuts;
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
    bool within(const PlanCustomers& other) const {
        return !((low & ~other.low) | (high & ~other.high));
    }
    bool empty() const { return !(low | high); }
    int size() const { return std::popcount(low) + std::popcount(high); }
    int first() const { return low ? std::countr_zero(low) : 64 + std::countr_zero(high); }
    PlanCustomers with(const PlanCustomers& other) const {
        return {low | other.low, high | other.high};
    }
    PlanCustomers without(const PlanCustomers& other) const {
        return {low & ~other.low, high & ~other.high};
    }
    bool operator==(const PlanCustomers&) const = default;
    template <class Visit>
    void each(const Visit& visit) const {
        for (std::uint64_t rest = low; rest; rest &= rest - 1) visit(std::countr_zero(rest));
        for (std::uint64_t rest = high; rest; rest &= rest - 1) visit(64 + std::countr_zero(rest));
    }
};

// A plan by what matters to others: its customers, its worth, the least length found for it.
struct ListedPlan {
    PlanCustomers set;
    double value, length;
};

struct HashCustomers {
    std::size_t operator()(const PlanCustomers& set) const {
        const std::uint64_t h = set.low * 0xff51afd7ed558ccdu ^ set.high * 0xc2b2ae3d27d4eb4fu;
        return h ^ h >> 32;
    }
};

// What the trips of a plan lose: a rate θ and shares s_i ≥ 0 such that every trip r is worth at most
// θ × length_r + Σ_{i ∈ r} s_i. What it is worth less than that is its loss.
struct TripLosses {
    static constexpr std::size_t most_rates = 4;
    using ByRate = std::array<double, most_rates>;

    std::size_t rates = 0;
    ByRate theta{}, granted{};                // `granted`: to every plan, for rounding
    std::array<std::vector<double>, most_rates> share;  // by node
    std::vector<ByRate> loss;                 // by trip, at least 0
};

// Every plan worth more than the threshold.
struct PlanList {
    double threshold;
    std::vector<ListedPlan> plans;  // the greatest value first, each set of customers once
    std::unordered_map<PlanCustomers, std::int32_t, HashCustomers> place;  // in `plans`
    bool complete = false;          // whether all are there
    TripLosses losses;
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

    // Every plan worth more than `threshold`, the empty one included, unless there are more than
    // `most`; the shares as above.
    PlanList list(const std::vector<std::vector<double>>& shares, double threshold,
                  std::size_t most, Run& run) const;

    // What a plan for these customers is worth.
    double worth(const PlanCustomers& set) const;

    // All trips, by number, and those of them that visit only these customers.
    std::vector<int> everything() const;
    void select(const std::vector<int>& trips, const PlanCustomers& set,
                std::vector<int>& out) const;

    // The shortest plan for exactly these customers from these trips, no longer than `most_length`,
    // which becomes its length; none: there is no such plan.
    std::vector<int> shortest(const std::vector<int>& trips, const PlanCustomers& set,
                              const TripLosses& losses, double& most_length) const;

private:
    template <class Sink>
    friend class PlanSearch;
    friend class Partition;

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

    double worth(const PlanCustomers& set, Touched& touched) const;

    std::vector<ListedTrip> trips_;
    PlanPrices prices_{};
    std::vector<OpenCuts> cuts_of_;  // by customer
    std::vector<Candidate> candidates_;
};

}  // namespace hcvrp::exact
