// x86 with AVX-512: vectors of sixteen, thirty-two registers.
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#define HCVRP_PROCESSOR avx512
#define HCVRP_NAME "avx512"
#define HCVRP_LANES 16
#define HCVRP_TILE_ROWS 8
#define HCVRP_TILE_VECTORS 2
#include "kernels.inl"
#endif
