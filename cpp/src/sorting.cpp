#include "sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr std::size_t few = 1024;
constexpr std::size_t digit_bits = 11;
constexpr std::size_t digits = 1 << digit_bits;
constexpr std::size_t stretch = 1 << 16;  // rows between two checkpoints

// Bits that compare as the numbers do; both zeros are equal.
std::uint64_t key_of(double v) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(v + 0.0);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
};

bool precedes(const Keyed& a, const Keyed& b) noexcept {
    return a.key != b.key ? a.key < b.key : a.row < b.row;
}

// Radix sort by the upper half of the key, in which most numbers differ: three stable rounds of
// counting.
void sort_by_upper_half(std::vector<std::uint64_t>& packed) {
    std::vector<std::uint64_t> other(packed.size());
    for (std::size_t shift = 32; shift < 64; shift += digit_bits) {
        checkpoint(packed.size());
        std::array<std::size_t, digits> place{};
        for (const auto v : packed) ++place[v >> shift & (digits - 1)];
        std::size_t before = 0;
        for (auto& count : place) before += std::exchange(count, before);
        for (const auto v : packed) other[place[v >> shift & (digits - 1)]++] = v;
        packed.swap(other);
    }
}

}  // namespace

std::size_t sort_rows(Column x, std::span<std::uint32_t> order, std::uint32_t mark) {
    const auto row_of = [](std::uint64_t packed) { return static_cast<std::uint32_t>(packed); };
    std::vector<std::uint64_t> packed;
    packed.reserve(order.size());
    for (std::size_t row = 0; row < order.size(); ++row) {
        if (std::isnan(x[row])) continue;
        packed.push_back((key_of(x[row]) >> 32 << 32) | row);
    }
    if (packed.size() < few) {
        std::sort(packed.begin(), packed.end());
    } else {
        sort_by_upper_half(packed);
    }
    // Equal upper halves are sorted by the whole key.
    std::vector<Keyed> run;
    std::size_t checked = 0;
    for (std::size_t i = 0; i < packed.size();) {
        if (i >= checked) {
            checkpoint(stretch);
            checked = i + stretch;
        }
        std::size_t end = i + 1;
        while (end < packed.size() && packed[end] >> 32 == packed[i] >> 32) ++end;
        run.clear();
        for (std::size_t k = i; k < end; ++k) {
            run.push_back({end - i > 1 ? key_of(x[row_of(packed[k])]) : 0, row_of(packed[k])});
        }
        if (!std::is_sorted(run.begin(), run.end(), precedes)) {
            std::sort(run.begin(), run.end(), precedes);
        }
        for (std::size_t k = 0; k < run.size(); ++k) {
            order[i + k] = run[k].row | (k && run[k].key == run[k - 1].key ? mark : 0U);
        }
        i = end;
    }
    return packed.size();
}

}  // namespace rulewright
