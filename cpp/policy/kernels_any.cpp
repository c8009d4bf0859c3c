// Any processor: vectors of four.
#define HCVRP_PROCESSOR any
#define HCVRP_NAME "any"
#define HCVRP_LANES 4
#define HCVRP_TILE_ROWS 4
#define HCVRP_TILE_VECTORS 2
#include "kernels.inl"
