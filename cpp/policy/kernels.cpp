#include "kernels.h"

#include <cstdlib>
#include <string_view>

namespace hcvrp::policy {

namespace any {
extern const Kernels table;
}
#if defined(__x86_64__) && !defined(__clang__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

// HCVRP_PROCESSOR (any, avx2) asks for less than the processor has, so that tests see all.
const Kernels& choose() {
#if defined(__x86_64__) && !defined(__clang__)
    const char* told = std::getenv("HCVRP_PROCESSOR");
    const std::string_view most = told ? told : "";
    __builtin_cpu_init();
    const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool wide = fused && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
    if (most == "any" || !fused) return any::table;
    return most == "avx2" || !wide ? avx2::table : avx512::table;
#else
    return any::table;
#endif
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace hcvrp::policy
