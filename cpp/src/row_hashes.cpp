#include "row_hashes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr std::size_t block = 1 << 12;                // rows whose hashes stay in the cache
constexpr std::uint64_t mixer = 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio

// Each step can be undone, so rows that differ in a single column have different hashes.
inline void mix(std::uint64_t& hash, std::uint64_t bits) noexcept {
    bits = (bits ^ bits >> 32) * mixer;
    hash = (hash ^ bits ^ bits >> 32) * mixer;
    hash ^= hash >> 29;
}

inline std::uint64_t bits_of(double value) noexcept {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::uint64_t>(value == value ? value + 0.0 : missing);
}

}  // namespace

void hash_rows(std::span<const Column> numbers,
               std::span<const std::span<const std::int32_t>> codes,
               std::span<std::uint64_t> hash) {
    std::ranges::fill(hash, std::uint64_t{0});
    for (std::size_t first = 0; first < hash.size(); first += block) {
        const auto part = hash.subspan(first, std::min(block, hash.size() - first));
        checkpoint(part.size() * (numbers.size() + codes.size()));
        for (const Column x : numbers) {
            for (std::size_t i = 0; i < part.size(); ++i) mix(part[i], bits_of(x[first + i]));
        }
        for (const auto& code : codes) {
            for (std::size_t i = 0; i < part.size(); ++i) {
                mix(part[i], static_cast<std::uint64_t>(code[first + i]));
            }
        }
    }
}

}  // namespace rulewright
