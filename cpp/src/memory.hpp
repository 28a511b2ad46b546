// Memory that is freed, and what the C library does with it.
#pragma once

namespace rulewright {

// Keeps freed memory for the next array from now on, also that of large arrays, which the C library
// would return to the system at once: the system clears the memory of a new array. Returns whether
// this C library can.
bool keep_freed_memory() noexcept;

}  // namespace rulewright
