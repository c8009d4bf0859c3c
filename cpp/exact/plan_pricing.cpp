#include "plan_pricing.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace hcvrp::exact {

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}

PlanPricing::PlanPricing(const std::vector<std::int32_t>& customers,
                         const std::vector<std::int64_t>& first, std::vector<double> lengths) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        ListedTrip trip{{}, lengths[k]};
        for (std::int64_t c = first[k]; c < first[k + 1]; ++c) trip.set.add(customers[c]);
        trips_.push_back(trip);
    }
}

// Depth-first over sets of trips in the order of value per length. A plan worth V with length R to
// spare is worth at most V + R × (value per length of the next trip) in the end.
//
// A second bound knows that customers are served once: a rate θ and shares s_i ≥ 0 such that no trip
// is worth more than θ × its length + the shares of its customers (a solution of the dual of the
// fractional problem) leave at most V + θ R + Σ s_i over the customers not yet served.
class PlanSearch {
public:
    PlanSearch(const PlanPricing& pricing, const PlanPrices& prices, int most, std::int64_t steps,
               Run& run)
        : pricing_(pricing), prices_(prices), most_(most), steps_(steps), run_(run),
          limit_(prices.threshold) {
        for (const SubsetRow& cut : prices.cuts) {
            cut_sets_.emplace_back();
            for (int customer : cut.customers) cut_sets_.back().add(customer);
        }
        list_candidates();
    }

    PricedPlans run() {
        std::vector<int> all(candidates_.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
        lists_.resize(1);
        lists_[0] = std::move(all);
        const bool complete = extend(nothing_, 0);
        PricedPlans out;
        std::sort(found_.begin(), found_.end(), better);
        out.value = found_.empty() ? prices_.threshold : found_.front().value;
        for (Found& found : found_) out.plans.push_back(std::move(found.trips));
        out.complete = complete;
        return out;
    }

private:
    using CustomerSet = PlanPricing::CustomerSet;

    // The cuts that a set of customers touches once, and at least twice.
    struct Touched {
        OpenCuts once, twice;
    };
    static constexpr std::size_t rates = 4;
    using Shares = std::array<double, rates>;

    struct Candidate {
        CustomerSet set;
        double value, length, density;
        Shares shares;
        Touched touched;
        int trip;
    };
    // What the innermost loop reads of a candidate, packed.
    struct Outline {
        CustomerSet set;
        double length, density;
    };
    struct Partial {
        double value = 0, length = 0;
        Shares shares{};  // of the customers not yet served
        Touched touched;
    };
    struct Rate {
        double theta, root;  // root: the bound for an empty plan
        std::vector<double> share;
    };
    struct Found {
        double value;
        std::vector<int> trips;
    };
    static bool better(const Found& a, const Found& b) { return a.value > b.value; }

    void list_candidates() {
        CustomerSet excluded;
        for (int customer : prices_.excluded) excluded.add(customer);
        for (std::size_t k = 0; k < pricing_.trips_.size(); ++k) {
            const auto& trip = pricing_.trips_[k];
            if (trip.set.meets(excluded) || trip.length > prices_.most_length) continue;
            const double value = dual_value(trip.set);
            if (value > 0)
                candidates_.push_back({trip.set, value, trip.length, density(value, trip.length),
                                       {}, {}, static_cast<int>(k)});
        }
        for (const Candidate& c : candidates_)
            if (c.length == 0) free_value_ += c.value;
        drop_hopeless();
        for (Candidate& candidate : candidates_) charge_cuts(candidate);
        drop_hopeless();
        choose_rates();
        std::erase_if(candidates_, [&](const Candidate& c) {
            return within_rates(join(nothing_, c), prices_.threshold);
        });
        for (const Candidate& c : candidates_)
            if (c.length > 0) shortest_ = std::min(shortest_, c.length);
        std::sort(candidates_.begin(), candidates_.end(),
                  [](const Candidate& a, const Candidate& b) {
                      return a.density != b.density ? a.density > b.density : a.trip < b.trip;
                  });
        for (const Candidate& c : candidates_) outlines_.push_back({c.set, c.length, c.density});
    }

    // Trips whose plan could not reach the threshold even at the best value per length.
    void drop_hopeless() {
        double densest = 0;
        for (const Candidate& c : candidates_)
            if (c.length > 0) densest = std::max(densest, c.density);
        std::erase_if(candidates_, [&](const Candidate& c) {
            const double spare = prices_.most_length - c.length;
            return c.value <= 0 ||
                   (c.length > 0 && free_value_ + c.value + densest * spare <= prices_.threshold);
        });
    }

    // The rates with the best bounds, of a range around the one that is best without cuts.
    void choose_rates() {
        std::vector<Rate> tried;
        const double middle = balanced_rate();
        for (double factor = 0.3; factor < 1.35; factor += 0.1)
            tried.push_back(rate(factor * middle));
        std::sort(tried.begin(), tried.end(),
                  [](const Rate& a, const Rate& b) { return a.root < b.root; });
        for (std::size_t t = 0; t < rates; ++t) {
            theta_[t] = tried[t].theta;
            for (double share : tried[t].share) nothing_.shares[t] += share;
            for (Candidate& c : candidates_) c.shares[t] = total(tried[t].share, c.set);
        }
    }

    // Where the customers worth more than θ × their detour fill the plan's length.
    double balanced_rate() const {
        std::vector<std::pair<double, double>> worth;
        for (std::size_t i = 1; i < prices_.duals.size(); ++i)
            if (prices_.detours[i] > 0)
                worth.push_back({prices_.duals[i] / prices_.detours[i], prices_.detours[i]});
        std::sort(worth.rbegin(), worth.rend());
        double length = 0;
        for (const auto& [ratio, detour] : worth)
            if ((length += detour) >= prices_.most_length) return ratio;
        return worth.empty() ? 0 : worth.back().first;
    }

    // Shares in the shape of λ_i − θ × detour_i, as small as the candidates allow.
    Rate rate(double theta) const {
        Rate out{theta, 0, std::vector<double>(prices_.duals.size(), 0.0)};
        for (std::size_t i = 1; i < out.share.size(); ++i)
            out.share[i] = std::max(0.0, prices_.duals[i] - theta * prices_.detours[i]);
        double scale = 0;
        for (const Candidate& c : candidates_) {
            const double needed = c.value - theta * c.length;
            if (needed <= 0) continue;
            const double given = total(out.share, c.set);
            if (given < 1e-9 * needed) return {theta, infinity, prices_.duals};
            scale = std::max(scale, needed / given);
        }
        double sum = 0;
        for (double& share : out.share) sum += share *= scale * (1 + 1e-12);
        out.root = theta * prices_.most_length + sum;
        return out;
    }

    // Whether no completion of the plan is worth more than `limit`, by any of the rates.
    bool within_rates(const Partial& plan, double limit) const {
        const double spare = prices_.most_length - plan.length;
        for (std::size_t t = 0; t < rates; ++t)
            if (plan.value + theta_[t] * spare + plan.shares[t] <= limit) return true;
        return false;
    }

    double dual_value(const CustomerSet& set) const { return total(prices_.duals, set); }

    static double total(const std::vector<double>& of, const CustomerSet& set) {
        double sum = 0;
        for (std::uint64_t rest = set.low; rest; rest &= rest - 1)
            sum += of[std::countr_zero(rest)];
        for (std::uint64_t rest = set.high; rest; rest &= rest - 1)
            sum += of[64 + std::countr_zero(rest)];
        return sum;
    }

    // A trip of no length is free to take: it comes first.
    static double density(double value, double length) {
        return length > 0 ? value / length : infinity;
    }

    void charge_cuts(Candidate& candidate) const {
        for (std::size_t c = 0; c < cut_sets_.size(); ++c) {
            const int shared = std::popcount(candidate.set.low & cut_sets_[c].low) +
                               std::popcount(candidate.set.high & cut_sets_[c].high);
            if (shared == 0) continue;
            (shared == 1 ? candidate.touched.once : candidate.touched.twice).bits[c / 64] |=
                std::uint64_t{1} << (c % 64);
            if (shared >= 2) candidate.value -= prices_.cuts[c].penalty;
        }
        candidate.density = density(candidate.value, candidate.length);
    }

    Partial join(const Partial& plan, const Candidate& trip) const {
        Partial out = plan;
        out.value += trip.value;
        out.length += trip.length;
        for (std::size_t t = 0; t < rates; ++t) out.shares[t] -= trip.shares[t];
        for (int w = 0; w < OpenCuts::words; ++w) {
            const std::uint64_t both = plan.touched.once.bits[w] & trip.touched.once.bits[w];
            for (std::uint64_t rest = both; rest; rest &= rest - 1)
                out.value -= prices_.cuts[64 * w + std::countr_zero(rest)].penalty;
            const std::uint64_t twice =
                plan.touched.twice.bits[w] | trip.touched.twice.bits[w] | both;
            out.touched.twice.bits[w] = twice;
            out.touched.once.bits[w] =
                (plan.touched.once.bits[w] | trip.touched.once.bits[w]) & ~twice;
        }
        return out;
    }

    // Extends `plan` by the trips of lists_[depth] in every way that may exceed the limit.
    bool extend(const Partial& plan, std::size_t depth) {
        if (lists_.size() < depth + 2) lists_.emplace_back();
        const double spare = prices_.most_length - plan.length;
        const std::size_t count = lists_[depth].size();
        for (std::size_t k = 0; k < count; ++k) {
            const Candidate& trip = candidates_[lists_[depth][k]];
            if (trip.length > 0 && plan.value + trip.density * spare <= limit_) return true;
            if (trip.length > spare) continue;
            if (--steps_ < 0 || run_.over(0, infinity)) return false;
            const Partial next = join(plan, trip);
            chosen_.push_back(trip.trip);
            note(next.value);
            if (!extend_with(trip, next, depth, k)) return false;
            chosen_.pop_back();
        }
        return true;
    }

    bool extend_with(const Candidate& trip, const Partial& next, std::size_t depth,
                     std::size_t k) {
        if (within_rates(next, limit_)) return true;
        const double spare = prices_.most_length - next.length;
        std::vector<int>& rest = lists_[depth + 1];
        rest.clear();
        // A later trip takes its length from trips as dense as the first that fits; it must not
        // lose more by that than there is to lose.
        double densest = -1, to_lose = infinity, free_value = 0;
        for (std::size_t r = k + 1; r < lists_[depth].size(); ++r) {
            const Outline& other = outlines_[lists_[depth][r]];
            if ((densest - other.density) * shortest_ >= to_lose) break;
            if (other.length > spare || other.set.meets(trip.set)) continue;
            if (other.length == 0) {
                free_value += candidates_[lists_[depth][r]].value;
            } else {
                if (densest < 0) {
                    densest = other.density;
                    to_lose = next.value + free_value + densest * spare - limit_;
                    if (to_lose <= 0) break;
                }
                if ((densest - other.density) * other.length >= to_lose) continue;
            }
            rest.push_back(lists_[depth][r]);
        }
        return rest.empty() || extend(next, depth + 1);
    }

    void note(double value) {
        if (value <= limit_) return;
        found_.push_back({value, chosen_});
        if (found_.size() < static_cast<std::size_t>(2 * most_)) return;
        std::nth_element(found_.begin(), found_.begin() + most_, found_.end(), better);
        found_.resize(most_);
        limit_ = std::max(limit_, std::max_element(found_.begin(), found_.end(), better)->value);
    }

    const PlanPricing& pricing_;
    const PlanPrices& prices_;
    int most_;
    std::int64_t steps_;
    Run& run_;
    double limit_;  // plans worth no more than this are passed over
    Partial nothing_;  // the empty plan
    Shares theta_{};
    double shortest_ = infinity;  // length of a trip, other than 0
    double free_value_ = 0;  // of all trips of no length: a plan may take them besides
    std::vector<CustomerSet> cut_sets_;
    std::vector<Candidate> candidates_;
    std::vector<Outline> outlines_;
    std::vector<std::vector<int>> lists_;
    std::vector<int> chosen_;
    std::vector<Found> found_;
};

PricedPlans PlanPricing::best(const PlanPrices& prices, int most, std::int64_t steps,
                              Run& run) const {
    PricedPlans out = PlanSearch(*this, prices, most, steps, run).run();
    if (out.plans.size() > static_cast<std::size_t>(most)) out.plans.resize(most);
    return out;
}

}  // namespace hcvrp::exact
