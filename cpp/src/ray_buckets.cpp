#include "ray_buckets.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "clones.hpp"

namespace rulewright {
namespace {

constexpr int cell_bits = 48;
constexpr std::uint64_t magnitude_bits = 0x7fff'ffff'ffff'ffff;
constexpr std::uint64_t round_up = (std::uint64_t{1} << cell_bits) - 1;
constexpr std::size_t infinite_cell = zero_cell + 0x7ff0;

RULEWRIGHT_INLINE std::uint32_t cell_of(double value) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto size = static_cast<std::uint32_t>(((bits & magnitude_bits) + round_up) >> cell_bits);
    const auto below = static_cast<std::uint32_t>(0) - static_cast<std::uint32_t>(bits >> 63);
    return static_cast<std::uint32_t>(zero_cell) + ((size ^ below) - below);
}

RULEWRIGHT_CLONES void cells_of(const double* x, std::size_t count, std::uint32_t* out) noexcept {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) out[i] = cell_of(x[i]);
}

RULEWRIGHT_CLONES void code_tame(const double* x, std::size_t count, double low, double scale,
                                 std::uint8_t* out) noexcept {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>((x[i] - low) * scale));
    }
}

template <class Value>
RULEWRIGHT_INLINE Range range_over(std::size_t count, Value value) noexcept {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -smallest;
    double odd = 0.0;
#pragma omp simd reduction(min : smallest) reduction(max : largest) reduction(+ : odd)
    for (std::size_t i = 0; i < count; ++i) {
        const double v = value(i);
        smallest = v < smallest ? v : smallest;
        largest = v > largest ? v : largest;
        odd += v - v;
    }
    return {smallest, largest, odd};
}

}  // namespace

RULEWRIGHT_CLONES Range range_of(const double* x, std::size_t count) noexcept {
    return range_over(count, [x](std::size_t i) { return x[i]; });
}

RULEWRIGHT_CLONES Range subtract(const double* x, const double* y, std::size_t count,
                                 double* out) noexcept {
    return range_over(count, [x, y, out](std::size_t i) { return out[i] = x[i] - y[i]; });
}

void QuantileBuckets::count(std::span<const double> values) {
    cell_.resize(values.size());
    cells_of(values.data(), values.size(), cell_.data());
    for (const auto cell : cell_) ++counted_[cell];
}

void QuantileBuckets::settle() {
    constexpr std::uint64_t shares = max_buckets - 2;  // zero and the next need one more each
    counted_[zero_cell] = 0;
    const auto all = std::reduce(counted_.begin(), counted_.end(), std::uint64_t{0});
    std::uint64_t below = 0;
    std::uint64_t share = 0;
    for (std::size_t cell = 0; cell <= infinite_cell; ++cell) {
        const std::uint64_t beyond = cell < zero_cell ? 0 : cell == zero_cell ? 1 : 2;
        bucket_[cell] = static_cast<std::uint8_t>(share + beyond);
        if (counted_[cell] == 0) continue;
        below += counted_[cell];
        share = std::min(below * shares / all, shares - 1);
    }
}

BucketMap::BucketMap(const Range& range) noexcept {
    const double width = range.largest - range.smallest;
    const double fitting = (static_cast<double>(even_buckets) - 0.5) / width;
    if (!std::isfinite(width) || !std::isfinite(fitting)) return;
    low_ = range.smallest;
    scale_ = fitting;
    tame_ = range.odd == 0.0;
}

std::uint8_t BucketMap::operator()(double value) const noexcept {
    if (table_ != nullptr) return table_[cell_of(value)];
    constexpr double last = static_cast<double>(even_buckets - 1);
    const double place = (value - low_) * scale_;
    const double from_zero = place > 0.0 ? place : 0.0;
    const double inside = from_zero < last ? from_zero : last;
    return static_cast<std::uint8_t>(static_cast<std::int32_t>(inside));
}

void BucketMap::code(const double* value, std::size_t count, std::uint32_t* cell,
                     std::uint8_t* out) const noexcept {
    if (table_ != nullptr) {
        cells_of(value, count, cell);
        for (std::size_t i = 0; i < count; ++i) out[i] = table_[cell[i]];
    } else if (tame_) {
        code_tame(value, count, low_, scale_, out);
    } else {
        for (std::size_t i = 0; i < count; ++i) out[i] = (*this)(value[i]);
    }
}

void Histogram::add_up(const std::uint8_t* code, const ActiveRows& active,
                       std::size_t buckets) noexcept {
    const std::int64_t* const weight = active.weight.data();
    const std::size_t first_negative = active.positive;
    const std::size_t end = active.nonzero;
    clear(buckets);
    for (std::size_t i = 0; i < first_negative; ++i) positive[code[i]] += weight[i];
    for (std::size_t i = first_negative; i < end; ++i) negative[code[i]] += weight[i];
}

std::int64_t Histogram::limit(const BucketMap& map) const noexcept {
    std::int64_t above = 0;
    std::int64_t highest = 0;
    for (std::size_t k = map.buckets(); k-- > 0;) {
        highest = std::max(highest, above + within(k, map));
        above += positive[k] + negative[k];
    }
    return highest;
}

}  // namespace rulewright
