#include "recombination.h"

#include <algorithm>

namespace hcvrp::sisr {

namespace {

// Of a region: larger ones take longer than they are better, smaller ones miss too much.
constexpr std::size_t most_trips = 12;
constexpr std::size_t most_customers = 64;
constexpr std::int64_t most_comparisons = 50'000;

}  // namespace

Recombination::Recombination(int customers, const Neighbours& neighbours, const Pool& pool)
    : neighbours_(neighbours), pool_(pool), files_(customers + 1), duals_(customers + 1),
      home_(customers + 1), place_(customers + 1, -1) {}

bool Recombination::improve(std::vector<Trip>& plan, int centre) {
    take_in_new_trips();
    draw_region(plan, centre);
    const std::vector<int> entries = cheaper_trips();
    if (!entries.empty()) replace(plan, entries);
    for (int customer : customers_) place_[customer] = -1;
    return !entries.empty();
}

void Recombination::take_in_new_trips() {
    if (edition_ != pool_.edition()) {
        for (auto& file : files_) file.clear();
        known_ = 0;
        edition_ = pool_.edition();
    }
    for (; known_ < pool_.size(); ++known_)
        files_[std::ranges::min(pool_.trip(known_))].push_back(static_cast<int>(known_));
}

void Recombination::draw_region(const std::vector<Trip>& plan, int centre) {
    for (std::size_t t = 0; t < plan.size(); ++t)
        for (int customer : plan[t]) home_[customer] = static_cast<int>(t);
    trips_.clear();
    customers_.clear();
    price_ = 0;
    add_to_region(plan[home_[centre]], home_[centre]);
    for (int customer : neighbours_.of(centre))
        if (place_[customer] < 0) add_to_region(plan[home_[customer]], home_[customer]);
}

void Recombination::add_to_region(const Trip& trip, int number) {
    if (trips_.size() == most_trips || customers_.size() + trip.size() > most_customers) return;
    const std::size_t entry = pool_.number_of(trip);
    if (entry == 0) return;
    price_ += pool_.price(entry - 1);
    trips_.push_back(number);
    for (int customer : trip) {
        place_[customer] = static_cast<int>(customers_.size());
        customers_.push_back(customer);
    }
}

std::vector<Part> Recombination::parts_in_region() const {
    std::vector<Part> parts;
    for (int lowest : customers_)
        for (int entry : files_[lowest]) {
            std::uint64_t members = 0;
            const auto trip = pool_.trip(entry);
            const bool inside = std::ranges::all_of(trip, [&](int customer) {
                members |= std::uint64_t{1} << (place_[customer] & 63);
                return place_[customer] >= 0;
            });
            if (inside) parts.push_back({members, pool_.price(entry), entry});
        }
    return parts;
}

std::vector<int> Recombination::cheaper_trips() {
    if (trips_.size() < 2) return {};
    std::vector<double> duals;
    for (int customer : customers_) duals.push_back(duals_[customer]);
    std::vector<int> entries = cheaper_partition(parts_in_region(), duals, price_, most_comparisons);
    for (std::size_t k = 0; k < duals.size(); ++k) duals_[customers_[k]] = duals[k];
    return entries;
}

void Recombination::replace(std::vector<Trip>& plan, const std::vector<int>& entries) const {
    for (int t : trips_) plan[t].clear();
    std::erase_if(plan, [](const Trip& trip) { return trip.empty(); });
    for (int entry : entries) {
        const auto trip = pool_.trip(entry);
        plan.emplace_back(trip.begin(), trip.end());
    }
}

}  // namespace hcvrp::sisr
