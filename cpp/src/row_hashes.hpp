// Hashes of the content of rows.
#pragma once

#include <cstdint>
#include <span>

#include "column.hpp"

namespace rulewright {

// A 64-bit hash of each row by its values, NaN where missing, and its codes. Missing values equal
// each other, and -0.0 equals 0.0.
void hash_rows(std::span<const Column> numbers,
               std::span<const std::span<const std::int32_t>> codes, std::span<std::uint64_t> hash);

}  // namespace rulewright
