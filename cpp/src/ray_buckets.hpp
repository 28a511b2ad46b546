// Buckets for the values along rays, by mappings that preserve the order of the values.
//
// Equal widths over the range of a ray suit values that are spread evenly. The values of an RBF
// kernel often lie within many powers of ten, nearly all of them in one bucket of equal width. For
// them the limits are quantiles of a sample of all rays, found by the first bits of the value.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rays.hpp"

namespace rulewright {

constexpr std::size_t even_buckets = 64;
constexpr std::size_t max_buckets = 128;

struct Range {
    double smallest;
    double largest;
    double odd;  // 0, or NaN if any value is not finite
};

Range range_of(const double* x, std::size_t count) noexcept;

// Writes the differences x - y.
Range subtract(const double* x, const double* y, std::size_t count, double* out) noexcept;

// The number of a value's cell: its sign, its exponent and four more bits. Magnitudes are rounded
// up, so zero has a cell of its own. NaN has the cells at both ends.
constexpr std::size_t zero_cell = 0x8000;
constexpr std::size_t value_cells = 2 * zero_cell + 1;

// Buckets of about equal positive weight over many rays. Any values are valid; rays that resemble
// the sample get tight limits.
class QuantileBuckets {
public:
    // Counts values of rows of positive weight.
    void count(std::span<const double> values);

    // Makes the limits. Zero gets a bucket of its own.
    void settle();

    std::uint8_t zero() const noexcept { return bucket_[zero_cell]; }
    const std::uint8_t* table() const noexcept { return bucket_.data(); }

private:
    std::vector<std::uint32_t> counted_ = std::vector<std::uint32_t>(value_cells);
    std::vector<std::uint8_t> bucket_ = std::vector<std::uint8_t>(value_cells);
    std::vector<std::uint32_t> cell_;
};

// The mapping of values to buckets. Every step preserves their order for all numbers, and none
// leaves the range, even for infinities and NaN, which is never above a cut.
class BucketMap {
public:
    BucketMap() = default;

    // Of equal width. Any range is correct; that of the values is efficient.
    explicit BucketMap(const Range& range) noexcept;

    explicit BucketMap(const QuantileBuckets& quantiles) noexcept
        : table_(quantiles.table()), zero_(quantiles.zero()), buckets_(max_buckets) {}

    std::uint8_t operator()(double value) const noexcept;

    // `cell` is a buffer of the same size.
    void code(const double* value, std::size_t count, std::uint32_t* cell,
              std::uint8_t* out) const noexcept;

    std::size_t buckets() const noexcept { return buckets_; }
    bool tame() const noexcept { return tame_; }  // values of the range need no clamping

    // Whether all values of a bucket are equal, so that no cut divides it.
    bool single(std::size_t bucket) const noexcept { return table_ != nullptr && bucket == zero_; }

private:
    const std::uint8_t* table_ = nullptr;
    double low_ = 0.0;
    double scale_ = 0.0;
    std::size_t zero_ = 0;
    std::size_t buckets_ = even_buckets;
    bool tame_ = false;
};

// Weight by bucket, positive and negative separately.
struct Histogram {
    std::array<std::int64_t, max_buckets> positive{};
    std::array<std::int64_t, max_buckets> negative{};

    void clear(std::size_t buckets) noexcept {
        for (std::size_t k = 0; k < buckets; ++k) positive[k] = negative[k] = 0;
    }

    void add_up(const std::uint8_t* code, const ActiveRows& active, std::size_t buckets) noexcept;

    // The positive weight that a cut inside a bucket may add to that of the buckets above.
    std::int64_t within(std::size_t bucket, const BucketMap& map) const noexcept {
        return map.single(bucket) ? 0 : positive[bucket];
    }

    // Upper limit of the total of any cut.
    std::int64_t limit(const BucketMap& map) const noexcept;
};

}  // namespace rulewright
