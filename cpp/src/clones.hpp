// Loops of plain arithmetic, compiled a second time for processors with wider registers. The two
// give the same bits, because nothing here is compiled with fused multiply-add.
#pragma once

#include <cstddef>  // which says whether this is glibc: others cannot choose a clone when loading

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define RULEWRIGHT_CLONES __attribute__((target_clones("avx2", "default")))
#define RULEWRIGHT_INLINE __attribute__((always_inline)) inline
#else
#define RULEWRIGHT_CLONES
#define RULEWRIGHT_INLINE inline
#endif
