#include "plan_pricing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace hcvrp::exact {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double noticeable = 1e-7;  // gain for which a trip is worth a column

double total(const std::vector<double>& of, const PlanCustomers& set) {
    double sum = 0;
    set.each([&](int customer) { sum += of[customer]; });
    return sum;
}

}  // namespace

PlanPricing::PlanPricing(const std::vector<std::int32_t>& customers,
                         const std::vector<std::int64_t>& first, std::vector<double> lengths) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
        ListedTrip trip{{}, lengths[k]};
        for (std::int64_t c = first[k]; c < first[k + 1]; ++c) trip.set.add(customers[c]);
        trips_.push_back(trip);
    }
}

void PlanPricing::price(PlanPrices prices) {
    prices_ = std::move(prices);
    cuts_of_.assign(prices_.duals.size(), {});
    for (std::size_t c = 0; c < prices_.cuts.size(); ++c)
        for (int customer : prices_.cuts[c].customers)
            cuts_of_[customer].bits[c / 64] |= std::uint64_t{1} << (c % 64);
    candidates_.clear();
    for (std::size_t k = 0; k < trips_.size(); ++k) {
        const ListedTrip& trip = trips_[k];
        if (trip.length > prices_.most_length) continue;
        Touched touched;
        const double value = worth(trip.set, touched);
        candidates_.push_back({trip.set, value, trip.length, touched, static_cast<int>(k)});
    }
}

double PlanPricing::worth(const PlanCustomers& set, Touched& touched) const {
    double value = 0;
    const int words = static_cast<int>((prices_.cuts.size() + 63) / 64);
    set.each([&](int customer) {
        value += prices_.duals[customer];
        for (int w = 0; w < words; ++w) {
            const std::uint64_t cuts = cuts_of_[customer].bits[w];
            touched.twice.bits[w] |= touched.once.bits[w] & cuts;
            touched.once.bits[w] |= cuts;
        }
    });
    for (int w = 0; w < words; ++w) {
        touched.once.bits[w] &= ~touched.twice.bits[w];
        for (std::uint64_t rest = touched.twice.bits[w]; rest; rest &= rest - 1)
            value -= prices_.cuts[64 * w + std::countr_zero(rest)].penalty;
    }
    return value;
}

double PlanPricing::worth(const PlanCustomers& set) const {
    Touched touched;
    return worth(set, touched);
}

std::vector<int> PlanPricing::everything() const {
    std::vector<int> out(trips_.size());
    std::iota(out.begin(), out.end(), 0);
    return out;
}

void PlanPricing::select(const std::vector<int>& trips, const PlanCustomers& set,
                         std::vector<int>& out) const {
    out.clear();
    for (int k : trips)
        if (trips_[k].set.within(set)) out.push_back(k);
}

// The shortest way to serve a set of customers: each way of giving the first customer left a trip
// among those left, as long as the losses allow.
class Partition {
public:
    Partition(const PlanPricing& pricing, const TripLosses& losses, double most_length)
        : pricing_(pricing), losses_(losses), most_length_(most_length) {}

    std::vector<int> run(const std::vector<int>& trips, const PlanCustomers& set) {
        const double worth = pricing_.worth(set);
        ByRate left{};
        for (std::size_t t = 0; t < losses_.rates; ++t)
            left[t] = losses_.theta[t] * most_length_ + total(losses_.share[t], set) +
                      losses_.granted[t] + rounding - worth;
        for (int k : trips)
            if (allows(left, k)) trips_.push_back(k);
        extend(set, 0, left);
        return best_;
    }
    double length() const { return most_length_; }

private:
    using ByRate = TripLosses::ByRate;
    static constexpr double rounding = 1e-7;

    bool allows(const ByRate& left, int trip) const {
        for (std::size_t t = 0; t < losses_.rates; ++t)
            if (losses_.loss[trip][t] > left[t]) return false;
        return true;
    }

    void extend(const PlanCustomers& set, double length, const ByRate& left) {
        if (set.empty()) {
            best_ = chosen_;
            most_length_ = length;
            return;
        }
        const int first = set.first();
        for (int k : trips_) {
            const auto& trip = pricing_.trips_[k];
            if (trip.set.first() != first || !trip.set.within(set)) continue;
            if (length + trip.length > most_length_ || !allows(left, k)) continue;
            ByRate rest = left;
            for (std::size_t t = 0; t < losses_.rates; ++t) rest[t] -= losses_.loss[k][t];
            chosen_.push_back(k);
            extend(set.without(trip.set), length + trip.length, rest);
            chosen_.pop_back();
        }
    }

    const PlanPricing& pricing_;
    const TripLosses& losses_;
    double most_length_;
    std::vector<int> trips_, chosen_, best_;
};

std::vector<int> PlanPricing::shortest(const std::vector<int>& trips, const PlanCustomers& set,
                                       const TripLosses& losses, double& most_length) const {
    Partition partition(*this, losses, most_length);
    std::vector<int> best = partition.run(trips, set);
    most_length = partition.length();
    return best;
}

std::vector<double> PlanPricing::values() const {
    std::vector<double> out(trips_.size(), 0.0);
    for (const Candidate& c : candidates_) out[c.trip] = c.value;
    return out;
}

std::vector<int> PlanPricing::above(double theta, const std::vector<double>& shares,
                                    int most) const {
    std::vector<std::pair<double, int>> gains;
    for (const Candidate& c : candidates_) {
        const double gain = c.value - theta * c.length - total(shares, c.set);
        if (gain > noticeable) gains.push_back({-gain, c.trip});
    }
    const auto end = gains.begin() + std::min<std::size_t>(most, gains.size());
    std::partial_sort(gains.begin(), end, gains.end());
    std::vector<int> out;
    for (auto g = gains.begin(); g != end; ++g) out.push_back(g->second);
    return out;
}

namespace {

// Keeps the best plans; the worst of them raise the limit.
class BestPlans {
public:
    BestPlans(double threshold, int most) : threshold_(threshold), limit_(threshold), most_(most) {}

    double limit() const { return limit_; }

    void note(double value, double, const PlanCustomers&, const std::vector<int>& trips) {
        if (value <= limit_) return;
        found_.push_back({value, trips});
        if (found_.size() < 2 * most_) return;
        std::nth_element(found_.begin(), found_.begin() + most_, found_.end(), better);
        found_.resize(most_);
        limit_ = std::max(limit_, std::max_element(found_.begin(), found_.end(), better)->value);
    }

    PricedPlans take(bool complete) {
        std::sort(found_.begin(), found_.end(), better);
        if (found_.size() > most_) found_.resize(most_);
        PricedPlans out;
        out.complete = complete;
        out.value = found_.empty() ? threshold_ : found_.front().value;
        for (Found& found : found_) out.plans.push_back(std::move(found.trips));
        return out;
    }

private:
    struct Found {
        double value;
        std::vector<int> trips;
    };
    static bool better(const Found& a, const Found& b) { return a.value > b.value; }

    double threshold_, limit_;  // plans worth no more than the limit are passed over
    std::size_t most_;
    std::vector<Found> found_;
};

// Keeps all plans, of those for the same customers the shortest; when they are too many the limit
// leaves nothing more to look for.
class AllPlans {
public:
    AllPlans(double threshold, std::size_t most)
        : list_{threshold, {}, {}, false, {}}, limit_(threshold), most_(most) {}

    double limit() const { return limit_; }

    void note(double value, double length, const PlanCustomers& set, const std::vector<int>&) {
        if (value <= limit_) return;
        const auto next = static_cast<std::int32_t>(list_.plans.size());
        const auto [at, fresh] = list_.place.try_emplace(set, next);
        if (fresh) {
            list_.plans.push_back({set, value, length});
            if (list_.plans.size() > most_) limit_ = infinity;
        } else {
            double& shortest = list_.plans[at->second].length;
            shortest = std::min(shortest, length);
        }
    }

    PlanList take(bool complete) {
        auto& plans = list_.plans;
        std::sort(plans.begin(), plans.end(),
                  [](const ListedPlan& a, const ListedPlan& b) { return a.value > b.value; });
        for (std::size_t k = 0; k < plans.size(); ++k)
            list_.place[plans[k].set] = static_cast<std::int32_t>(k);
        list_.complete = complete && limit_ < infinity;
        return std::move(list_);
    }

private:
    PlanList list_;
    double limit_;
    std::size_t most_;
};

}  // namespace

// Depth-first over sets of trips. A rate θ and shares s_i ≥ 0 such that every trip r is worth at most
// θ × length_r + Σ_{i ∈ r} s_i, a solution of the dual of the fractional problem, leave a plan worth V
// with length R to spare at most V + θ R + Σ s_i over the customers not yet served. What a trip is
// worth less than that is its loss: it comes off the bound with every trip taken, so trips are tried
// in the order of their loss, and those that lose more than there is to lose are left out.
template <class Sink>
class PlanSearch {
public:
    PlanSearch(const PlanPricing& pricing, const std::vector<std::vector<double>>& shares,
               Sink sink, std::int64_t steps, Run& run)
        : pricing_(pricing), sink_(std::move(sink)), steps_(steps), run_(run),
          rates_(std::min(shares.size(), TripLosses::most_rates)), losses_(pricing.candidates_.size()) {
        for (std::size_t t = 0; t < rates_; ++t) set_rate(t, shares[t]);
        list_trips();
    }

    auto run() {
        lists_.resize(1);
        lists_[0].resize(trips_.size());
        std::iota(lists_[0].begin(), lists_[0].end(), 0);
        note(nothing_);
        const bool complete = extend(nothing_, 0);
        return sink_.take(complete);
    }

    TripLosses losses() const {
        TripLosses out = known_;
        ByRate never;
        never.fill(infinity);
        out.loss.assign(pricing_.trips_.size(), never);
        for (std::size_t k = 0; k < losses_.size(); ++k)
            out.loss[pricing_.candidates_[k].trip] = losses_[k];
        return out;
    }

private:
    using Candidate = PlanPricing::Candidate;

    using ByRate = TripLosses::ByRate;

    // What the innermost loop reads of a trip, packed.
    struct Outline {
        PlanCustomers set;
        double length;
        ByRate loss;
        const Candidate* candidate;
    };
    struct Partial {
        double value = 0, length = 0;
        ByRate bound{};  // no completion is worth more
        PlanPricing::Touched touched;
        PlanCustomers set;
    };

    // The least θ that goes with the shares. A trip of no length needs none: what it is worth beyond
    // its shares, if only by rounding, is granted to every plan.
    void set_rate(std::size_t t, const std::vector<double>& share) {
        const auto& candidates = pricing_.candidates_;
        double theta = 0;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            const Candidate& c = candidates[k];
            losses_[k][t] = total(share, c.set) - c.value;
            if (c.length > 0) theta = std::max(theta, -losses_[k][t] / c.length);
        }
        theta *= 1 + 1e-12;
        double& bound = nothing_.bound[t];
        bound = theta * pricing_.prices_.most_length +
                std::accumulate(share.begin(), share.end(), 0.0);
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            double& loss = losses_[k][t];
            loss += theta * candidates[k].length;
            if (loss < 0) known_.granted[t] -= loss;
            loss = std::max(loss, 0.0);
        }
        bound += known_.granted[t];
        known_.theta[t] = theta;
        known_.share[t] = share;
        known_.rates = t + 1;
    }

    void list_trips() {
        for (std::size_t k = 0; k < losses_.size(); ++k) {
            const Candidate& c = pricing_.candidates_[k];
            if (is_open(nothing_.bound, losses_[k]))
                trips_.push_back({c.set, c.length, losses_[k], &c});
        }
        std::sort(trips_.begin(), trips_.end(), [](const Outline& a, const Outline& b) {
            return a.loss[0] != b.loss[0] ? a.loss[0] < b.loss[0]
                                          : a.candidate->trip < b.candidate->trip;
        });
    }

    bool is_open(const ByRate& bound, const ByRate& loss) const {
        for (std::size_t t = 0; t < rates_; ++t)
            if (bound[t] - loss[t] <= sink_.limit()) return false;
        return true;
    }

    Partial join(const Partial& plan, const Outline& trip) const {
        Partial out = plan;
        const auto& added = trip.candidate->touched;
        const auto& cuts = pricing_.prices_.cuts;
        double penalties = 0;
        for (int w = 0; w < OpenCuts::words; ++w) {
            const std::uint64_t both = plan.touched.once.bits[w] & added.once.bits[w];
            for (std::uint64_t rest = both; rest; rest &= rest - 1)
                penalties += cuts[64 * w + std::countr_zero(rest)].penalty;
            const std::uint64_t twice = plan.touched.twice.bits[w] | added.twice.bits[w] | both;
            out.touched.twice.bits[w] = twice;
            out.touched.once.bits[w] = (plan.touched.once.bits[w] | added.once.bits[w]) & ~twice;
        }
        out.set = plan.set.with(trip.set);
        out.length += trip.length;
        out.value += trip.candidate->value - penalties;
        for (std::size_t t = 0; t < rates_; ++t) out.bound[t] -= trip.loss[t] + penalties;
        return out;
    }

    // Extends `plan` by the trips of lists_[depth] in every way that may exceed the limit.
    bool extend(const Partial& plan, std::size_t depth) {
        if (lists_.size() < depth + 2) lists_.emplace_back();
        for (std::size_t k = 0; k < lists_[depth].size(); ++k) {
            const Outline& trip = trips_[lists_[depth][k]];
            if (!is_open(plan.bound, trip.loss)) continue;  // the limit has risen
            if (--steps_ < 0 || run_.over(0, infinity)) return false;
            const Partial next = join(plan, trip);
            chosen_.push_back(trip.candidate->trip);
            note(next);
            list_rest(trip, next, depth, k);
            if (!lists_[depth + 1].empty() && !extend(next, depth + 1)) return false;
            chosen_.pop_back();
        }
        return true;
    }

    // The later trips that fit beside `trip`, for the next level.
    void list_rest(const Outline& trip, const Partial& next, std::size_t depth, std::size_t k) {
        const double spare = pricing_.prices_.most_length - next.length;
        std::vector<int>& rest = lists_[depth + 1];
        rest.clear();
        for (std::size_t r = k + 1; r < lists_[depth].size(); ++r) {
            const Outline& other = trips_[lists_[depth][r]];
            if (next.bound[0] - other.loss[0] <= sink_.limit()) break;
            if (other.length <= spare && !other.set.meets(trip.set) &&
                is_open(next.bound, other.loss))
                rest.push_back(lists_[depth][r]);
        }
    }

    void note(const Partial& plan) { sink_.note(plan.value, plan.length, plan.set, chosen_); }

    const PlanPricing& pricing_;
    Sink sink_;
    std::int64_t steps_;
    Run& run_;
    std::size_t rates_;
    TripLosses known_;            // without the losses
    std::vector<ByRate> losses_;  // of the candidates
    Partial nothing_;             // the empty plan
    std::vector<Outline> trips_;  // those that may be of use, least loss first
    std::vector<std::vector<int>> lists_;
    std::vector<int> chosen_;
};

PricedPlans PlanPricing::best(const std::vector<std::vector<double>>& shares, double threshold,
                              int most, std::int64_t steps, Run& run) const {
    if (shares.empty()) throw std::invalid_argument("plans need at least one list of shares");
    return PlanSearch(*this, shares, BestPlans(threshold, most), steps, run).run();
}

PlanList PlanPricing::list(const std::vector<std::vector<double>>& shares, double threshold,
                           std::size_t most, Run& run) const {
    if (shares.empty()) throw std::invalid_argument("plans need at least one list of shares");
    const std::int64_t steps = std::numeric_limits<std::int64_t>::max();
    PlanSearch search(*this, shares, AllPlans(threshold, most), steps, run);
    PlanList out = search.run();
    out.losses = search.losses();
    return out;
}

}  // namespace hcvrp::exact
