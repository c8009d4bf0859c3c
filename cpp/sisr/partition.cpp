#include "partition.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace hcvrp::sisr {

namespace {

constexpr int ascents = 5, steps_per_ascent = 10;
constexpr double first_stride = 1.0, shorter = 0.95;
constexpr double least_gain = 1e-9;  // as a part of the limit

template <class Visit>
void for_each_member(std::uint64_t members, Visit&& visit) {
    for (; members; members &= members - 1) visit(std::countr_zero(members));
}

double reduced_price(const Part& part, const std::vector<double>& duals) {
    double price = part.price;
    for_each_member(part.members, [&](int e) { price -= duals[e]; });
    return price;
}

// The Lagrangian bound Σ u_e + Σ min(0, c_p − Σ_{e ∈ p} u_e), maximised by subgradient steps.
class Relaxation {
public:
    Relaxation(std::vector<Part>& parts, std::vector<double>& duals, double limit)
        : parts_(parts), duals_(duals), best_(duals), limit_(limit) {}

    // Leaves the best duals found, lowered until no part has a negative price: then their sum
    // alone is a bound, and it is returned.
    double raise() {
        double stride = first_stride;
        for (int ascent = 0; ascent < ascents && !tight_; ++ascent) {
            for (int step = 0; step < steps_per_ascent && !tight_; ++step, stride *= shorter)
                climb(stride);
            duals_ = best_;
            leave_out_the_dear();
        }
        lower_until_feasible();
        return std::accumulate(duals_.begin(), duals_.end(), 0.0);
    }

private:
    // One step of length stride · (limit − bound) / |g|² along the subgradient g (Polyak 1969).
    void climb(double stride) {
        slack_.assign(duals_.size(), 1.0);
        double bound = std::accumulate(duals_.begin(), duals_.end(), 0.0);
        for (const Part& part : parts_) {
            const double price = reduced_price(part, duals_);
            if (price >= 0) continue;
            bound += price;
            for_each_member(part.members, [&](int e) { slack_[e] -= 1; });
        }
        if (bound > bound_) {
            bound_ = bound;
            best_ = duals_;
        }
        const double norm = std::inner_product(slack_.begin(), slack_.end(), slack_.begin(), 0.0);
        tight_ = norm == 0 || bound_ >= limit_;
        if (tight_) return;
        const double length = stride * (limit_ - bound) / norm;
        for (std::size_t e = 0; e < duals_.size(); ++e) duals_[e] += length * slack_[e];
    }

    void leave_out_the_dear() {
        std::erase_if(parts_, [&](const Part& part) {
            return bound_ + reduced_price(part, duals_) >= limit_;
        });
    }

    void lower_until_feasible() {
        for (const Part& part : parts_) {
            const double price = reduced_price(part, duals_);
            if (price >= 0) continue;
            const double share = price / std::popcount(part.members);
            for_each_member(part.members, [&](int e) { duals_[e] += share; });
        }
    }

    std::vector<Part>& parts_;
    std::vector<double>& duals_;
    std::vector<double> best_, slack_;
    double limit_;
    double bound_ = -1e300;
    bool tight_ = false;
};

// Depth first: the first element not covered so far gets each part that could cover it, cheapest
// first. `price` is the reduced one.
class Search {
public:
    Search(std::vector<std::vector<Part>> by_first, double limit, std::int64_t comparisons)
        : by_first_(std::move(by_first)), limit_(limit), left_(comparisons),
          all_(~std::uint64_t{0} >> (64 - by_first_.size())) {}

    std::vector<int> run() {
        extend(0, 0);
        return best_;
    }

private:
    void extend(std::uint64_t covered, double price) {
        if (covered == all_) {
            limit_ = price;
            best_ = chosen_;
            return;
        }
        for (const Part& part : by_first_[std::countr_one(covered)]) {
            const double total = price + part.price;
            if (total >= limit_ || --left_ < 0) return;
            if (part.members & covered) continue;
            chosen_.push_back(part.index);
            extend(covered | part.members, total);
            chosen_.pop_back();
        }
    }

    std::vector<std::vector<Part>> by_first_;
    double limit_;
    std::int64_t left_;
    std::uint64_t all_;
    std::vector<int> chosen_, best_;
};

// The elements in a new order, those that few parts contain first: position by element.
std::vector<int> rarest_first(const std::vector<Part>& parts, std::size_t elements) {
    std::vector<int> count(elements), order(elements), position(elements);
    for (const Part& part : parts) for_each_member(part.members, [&](int e) { ++count[e]; });
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return count[a] < count[b]; });
    for (std::size_t k = 0; k < elements; ++k) position[order[k]] = static_cast<int>(k);
    return position;
}

std::vector<std::vector<Part>> filed_by_first(const std::vector<Part>& parts,
                                              const std::vector<double>& duals) {
    const std::vector<int> position = rarest_first(parts, duals.size());
    std::vector<std::vector<Part>> filed(duals.size());
    for (const Part& part : parts) {
        std::uint64_t members = 0;
        for_each_member(part.members,
                        [&](int e) { members |= std::uint64_t{1} << position[e]; });
        const double price = std::max(0.0, reduced_price(part, duals));
        filed[std::countr_zero(members)].push_back({members, price, part.index});
    }
    for (auto& file : filed)
        std::stable_sort(file.begin(), file.end(),
                         [](const Part& a, const Part& b) { return a.price < b.price; });
    return filed;
}

}  // namespace

std::vector<int> cheaper_partition(std::vector<Part> parts, std::vector<double>& duals,
                                   double limit, std::int64_t comparisons) {
    limit *= 1 - least_gain;
    const double bound = Relaxation(parts, duals, limit).raise();
    if (bound >= limit) return {};
    return Search(filed_by_first(parts, duals), limit - bound, comparisons).run();
}

}  // namespace hcvrp::sisr
