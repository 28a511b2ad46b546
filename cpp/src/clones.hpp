// Loops of plain arithmetic are compiled a second time for processors with wider registers. Both
// versions give the same bits, because fused multiply-add is disabled.
#pragma once

#include <cstddef>  // defines __GLIBC__: other C libraries cannot choose a clone when loading

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define RULEWRIGHT_CLONES __attribute__((target_clones("avx2", "default")))
#define RULEWRIGHT_INLINE __attribute__((always_inline)) inline
#else
#define RULEWRIGHT_CLONES
#define RULEWRIGHT_INLINE inline
#endif
