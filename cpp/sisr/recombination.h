// A plan from its own past: a few neighbouring trips give way to remembered ones that visit the
// same customers for less.
#pragma once

#include <cstdint>
#include <vector>

#include "neighbours.h"
#include "partition.h"
#include "pool.h"
#include "routes.h"

namespace hcvrp::sisr {

// Set partitioning over all trips seen takes an integer programme of thousands of columns; over the
// ten or so trips around one customer it takes less than a millisecond, and there is always another
// customer.
class Recombination {
public:
    Recombination(int customers, const Neighbours& neighbours, const Pool& pool);

    // Looks for cheaper trips in place of those around `centre`; whether there were any. Trips that
    // the pool does not know stay as they are.
    bool improve(std::vector<Trip>& plan, int centre);

private:
    void take_in_new_trips();
    void draw_region(const std::vector<Trip>& plan, int centre);
    void add_to_region(const Trip& trip, int number);
    std::vector<Part> parts_in_region() const;
    std::vector<int> cheaper_trips();
    void replace(std::vector<Trip>& plan, const std::vector<int>& entries) const;

    const Neighbours& neighbours_;
    const Pool& pool_;
    std::size_t known_ = 0;
    std::uint64_t edition_ = 0;              // of the pool, when the files were made
    std::vector<std::vector<int>> files_;    // pool entries by their lowest customer
    std::vector<double> duals_;              // by customer, as the last region left them
    std::vector<int> home_;                  // by customer: the plan's trip
    std::vector<int> trips_, customers_;     // of the region
    double price_ = 0;                       // of the region's trips
    std::vector<int> place_;                 // by customer: its number in the region, or −1
};

}  // namespace hcvrp::sisr
