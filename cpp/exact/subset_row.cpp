#include "subset_row.h"

#include <stdexcept>

namespace hcvrp::exact {

SubsetRows::SubsetRows(const std::vector<SubsetRow>& cuts, int nodes, bool full_memory)
    : words_(static_cast<int>((cuts.size() + 63) / 64)), member_(nodes), memory_(nodes) {
    if (cuts.size() > most) throw std::invalid_argument("too many subset rows");
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        const std::size_t word = c / 64;
        const std::uint64_t bit = std::uint64_t{1} << (c % 64);
        for (int customer : cuts[c].customers) {
            member_[customer].bits[word] |= bit;
            memory_[customer].bits[word] |= bit;
        }
        for (int customer : cuts[c].memory) memory_[customer].bits[word] |= bit;
        penalty_.push_back(cuts[c].penalty);
    }
    if (full_memory)
        for (OpenCuts& memory : memory_) memory.bits.fill(~std::uint64_t{0});
}

}  // namespace hcvrp::exact
