#include "memory.hpp"

#include <cstdlib>  // defines __GLIBC__
#include <limits>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace rulewright {

bool keep_freed_memory() noexcept {
#ifdef __GLIBC__
    return mallopt(M_MMAP_MAX, 0) == 1 &&
           mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max()) == 1;
#else
    return false;
#endif
}

}  // namespace rulewright
