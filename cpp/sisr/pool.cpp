#include "pool.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "rng.h"

namespace hcvrp::sisr {

Pool::Pool(int customers, std::size_t capacity)
    : capacity_(capacity), table_(std::bit_ceil(2 * capacity + 2)) {
    Rng rng(0);  // any fixed words will do
    for (int c = 0; c <= customers; ++c) word_.push_back(rng.next());
}

std::uint64_t Pool::key_of(std::span<const int> trip) const {
    std::uint64_t key = 0;
    for (int customer : trip) key ^= word_[customer];
    return key;
}

void Pool::note(std::span<const int> trip, double length, double price, double plan_cost) {
    const std::uint64_t key = key_of(trip);
    const std::size_t at = find(key);
    if (table_[at] == 0) {
        if (entries_.size() == capacity_) {
            forget_half();
            return note(trip, length, price, plan_cost);
        }
        entries_.push_back(
            {key, length, price, plan_cost, customers_.size(), static_cast<int>(trip.size())});
        customers_.insert(customers_.end(), trip.begin(), trip.end());
        table_[at] = static_cast<std::uint32_t>(entries_.size());
        return;
    }
    Entry& entry = entries_[table_[at] - 1];
    entry.plan_cost = std::min(entry.plan_cost, plan_cost);
    if (length < entry.length) {
        entry.length = length;
        entry.price = price;
        std::copy(trip.begin(), trip.end(), customers_.begin() + entry.begin);
    }
}

std::size_t Pool::find(std::uint64_t key) const {
    std::size_t at = key & (table_.size() - 1);
    while (table_[at] != 0 && entries_[table_[at] - 1].key != key)
        at = (at + 1) & (table_.size() - 1);
    return at;
}

std::vector<std::size_t> Pool::by_cost() const {
    std::vector<std::size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return entries_[a].plan_cost < entries_[b].plan_cost;
    });
    return order;
}

void Pool::forget_half() {
    ++edition_;
    std::vector<std::size_t> order = by_cost();
    order.resize((order.size() + 1) / 2);
    std::vector<Entry> entries;
    std::vector<int> customers;
    for (std::size_t k : order) {
        Entry e = entries_[k];
        const auto begin = customers_.begin() + e.begin;
        e.begin = customers.size();
        customers.insert(customers.end(), begin, begin + e.size);
        entries.push_back(e);
    }
    entries_ = std::move(entries);
    customers_ = std::move(customers);
    std::fill(table_.begin(), table_.end(), 0);
    for (std::size_t k = 0; k < entries_.size(); ++k)
        table_[find(entries_[k].key)] = static_cast<std::uint32_t>(k + 1);
}

}  // namespace hcvrp::sisr
