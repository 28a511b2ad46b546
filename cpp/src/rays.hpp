// The heaviest cut along any of many rays.
//
// A ray gives every row a value; a cut at a border row fires on the rows whose value is greater
// than the border's, strictly, and never on a row without a value (NaN); the border's is finite.
// Given a signed weight for every row: which cut gathers the most?
//
// Exact, and the same for any number of threads: weights are integers, so sums do not depend on
// their order. Ties are broken by, in this order: more positive weight gathered, the lower ray, the
// lower border row.
//
// Nothing is sorted but what can win. The values of a ray are thrown into buckets by a map that
// respects their order. A cut inside a bucket gathers all that lies in the buckets above, and at
// the most the positive weight of its own; only buckets where that could win are looked at by rows.
// The largest of these limits is kept for every ray: when weights change it rises by no more than
// they do, and a ray whose limit lies below the best is not looked at. Rays that are much alike
// come in bundles, with one limit for them all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace rulewright {

struct HeaviestRay {
    std::int64_t total = 0;     // weight gathered
    std::int64_t gathered = 0;  // its positive part
    std::int64_t ray = -1;      // -1: there is no cut
    std::int64_t border = -1;   // row number
};

struct RayQuery {
    std::span<const std::int64_t> weight;  // the sum of absolute values fits in 62 bits
    std::span<const std::uint8_t> border;  // rows where a cut may lie
    std::span<const std::uint8_t> open;    // rows that may give a ray; empty: all may
    std::size_t threads = 1;

    bool opens(std::int32_t row) const noexcept {
        return open.empty() || open[static_cast<std::size_t>(row)] != 0;
    }
};

// The rows that matter to a question: those of positive weight, of negative, and borders of none.
struct Muster {
    std::vector<std::int32_t> row;
    std::vector<std::int64_t> weight;
    std::vector<std::int64_t> border;  // the row again where it is a border, or the largest number
    std::size_t positive = 0;          // so many come first
    std::size_t alive = 0;             // so many are not weightless
    bool has_border = false;

    explicit Muster(const RayQuery& query);

    std::size_t size() const noexcept { return row.size(); }
};

// Values of the rows of a muster, in its order: of one list, or the differences of two.
struct Values {
    const double* plus = nullptr;
    const double* minus = nullptr;

    double operator[](std::size_t i) const noexcept {
        return minus == nullptr ? plus[i] : plus[i] - minus[i];
    }
};

// Whether the examples that a ray is built around must lie on the side where they belong: those of
// another class must not fire, those of its own must, unless they are excused.
struct Apartness {
    bool apart = false;
    std::span<const std::uint8_t> excused;  // a mark a row; empty: none is

    bool excuses(std::int32_t row) const noexcept {
        return !excused.empty() && excused[static_cast<std::size_t>(row)] != 0;
    }
};

// A cut at value t is allowed where the one value does not fire and the other does. By default
// every cut is.
struct Admission {
    double silent = std::numeric_limits<double>::quiet_NaN();
    double firing = std::numeric_limits<double>::quiet_NaN();
    bool excused = true;  // the second need not fire

    bool allows(double t) const noexcept { return !(silent > t) && (excused || firing > t); }
};

// Rays that are much alike.
struct Bundle {
    std::array<std::size_t, 4> ray{};
    std::size_t size = 0;
};

class Rays {
public:
    virtual std::size_t count() const noexcept = 0;
    virtual bool open(std::size_t ray) const noexcept = 0;
    virtual Admission admission(std::size_t) const { return {}; }

    // Values of the first rows of the muster, as many as there is room for; the room may be used.
    virtual Values values(std::size_t ray, std::span<double> room) const = 0;

    // Every ray is in one bundle; their order is the order of the search.
    virtual std::size_t bundles() const noexcept { return count(); }
    virtual Bundle bundle(std::size_t number) const noexcept { return {{number}, 1}; }

    // Of a bundle of several: for a row of positive weight no less than the value along any of its
    // rays, for a row of negative weight no more. What this gathers, none of them exceeds.
    virtual Values envelope(std::size_t) const noexcept { return {}; }

protected:
    Rays() = default;
    Rays(const Rays&) = default;
    Rays& operator=(const Rays&) = default;
    ~Rays() = default;
};

// `kept` has for each ray a total that no cut exceeds, and is brought closer to the truth.
HeaviestRay heaviest_ray(const Rays& rays, const Muster& muster, const RayQuery& query,
                         std::span<std::int64_t> kept);

}  // namespace rulewright
