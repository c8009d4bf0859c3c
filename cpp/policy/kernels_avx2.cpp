// x86 of 2013 and later: vectors of eight, fused multiply-adds, sixteen registers.
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#define HCVRP_PROCESSOR avx2
#define HCVRP_NAME "avx2"
#define HCVRP_LANES 8
#define HCVRP_TILE_ROWS 6
#define HCVRP_TILE_VECTORS 2
#include "kernels.inl"
#endif
