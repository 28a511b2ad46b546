// The heaviest cut along any of many rays.
//
// A ray assigns every row a value. A cut at a border row covers the rows whose value is strictly
// greater than the border's, and never a row without a value (NaN); the border's is finite. Given a
// signed weight for every row, the result is the cut with the largest total weight.
//
// Exact, and the same for any number of threads: weights are integers, so sums do not depend on
// their order. Ties are broken by, in this order: larger positive weight, the lower ray, the lower
// border row.
//
// Only values that can win are sorted. The values of a ray are put into buckets by a mapping that
// preserves their order. A cut inside a bucket covers all rows in the buckets above, and at most
// adds the positive weight of its own (ray_buckets.hpp); only buckets where that could win are
// searched by rows. The largest of these limits is kept for every ray: when weights change it rises
// by no more than they do, and a ray whose limit is below the best is skipped. Similar rays form
// clusters, with one limit for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rulewright {

struct HeaviestRay {
    std::int64_t total = 0;     // total weight
    std::int64_t gathered = 0;  // sum of the positive weights
    std::int64_t ray = -1;      // -1: there is no cut
    std::int64_t border = -1;   // row number
};

struct RayQuery {
    std::span<const std::int64_t> weight;  // the sum of absolute values fits in 62 bits
    std::span<const std::uint8_t> border;  // rows where a cut may lie
    std::span<const std::uint8_t> open;    // rows that may define a ray; empty: all may
    std::size_t threads = 1;

    bool opens(std::int32_t row) const noexcept {
        return open.empty() || open[static_cast<std::size_t>(row)] != 0;
    }
};

// The rows that matter to a query: those of positive weight, of negative weight, and borders of
// weight zero.
struct ActiveRows {
    std::vector<std::int32_t> row;
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> border;  // the row again if it is a border, or the largest number
    std::size_t positive = 0;          // number of rows of positive weight, which come first
    std::size_t nonzero = 0;           // number of rows of nonzero weight
    bool has_border = false;

    explicit ActiveRows(const RayQuery& query);

    std::size_t size() const noexcept { return row.size(); }
};

// RayValues of the active rows, in their order: of one list, or the differences of two.
struct RayValues {
    const double* plus = nullptr;
    const double* minus = nullptr;

    double operator[](std::size_t i) const noexcept {
        return minus == nullptr ? plus[i] : plus[i] - minus[i];
    }
};

// Places of the values that are not zero in the two lists of a ray, among the rows of nonzero
// weight.
struct NonzeroPlaces {
    std::span<const std::uint32_t> plus;
    std::span<const std::uint32_t> minus;
};

// Whether the prototypes of a ray must lie on their own sides: those of another class must not be
// covered, those of its own must, unless they are excused.
struct PrototypeConstraint {
    bool apart = false;
    std::span<const std::uint8_t> excused;  // one mark per row; empty: none

    bool excuses(std::int32_t row) const noexcept {
        return !excused.empty() && excused[static_cast<std::size_t>(row)] != 0;
    }
};

// A cut at value t is allowed if the one value is not covered and the other is. By default every
// cut is allowed.
struct CutConstraint {
    double uncovered = std::numeric_limits<double>::quiet_NaN();
    double covered = std::numeric_limits<double>::quiet_NaN();
    bool excused = true;  // the second need not be covered

    bool allows(double t) const noexcept { return !(uncovered > t) && (excused || covered > t); }
};

// Similar rays.
struct RayCluster {
    std::array<std::size_t, 4> ray{};
    std::size_t size = 0;
};

class Rays {
public:
    virtual std::size_t count() const noexcept = 0;
    virtual bool open(std::size_t ray) const noexcept = 0;
    virtual CutConstraint cut_constraint(std::size_t) const { return {}; }

    // RayValues of the first active rows, as many as fit into the buffer, which may be used.
    virtual RayValues values(std::size_t ray, std::span<double> room) const = 0;

    // Whether nearly all values are zero; then rays know the places of the others.
    virtual bool sparse() const noexcept { return false; }
    virtual NonzeroPlaces nonzero(std::size_t) const noexcept { return {}; }

    // Every ray is in one cluster; their order is the order of the search.
    virtual std::size_t clusters() const noexcept { return count(); }
    virtual RayCluster cluster(std::size_t number) const noexcept { return {{number}, 1}; }

    // Of a cluster with several rays: for a row of positive weight at least the value along any of
    // its rays, for a row of negative weight at most. So its total is an upper limit for all of
    // them.
    virtual RayValues envelope(std::size_t) const noexcept { return {}; }

protected:
    Rays() = default;
    Rays(const Rays&) = default;
    Rays& operator=(const Rays&) = default;
    ~Rays() = default;
};

// `limits` has for each ray an upper limit of the total of any cut, which is tightened.
HeaviestRay heaviest_ray(const Rays& rays, const ActiveRows& active, const RayQuery& query,
                         std::span<std::int64_t> limits);

}  // namespace rulewright
