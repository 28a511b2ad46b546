#include "half_spaces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

// Bytes of lines that stay in the cache while all others are read.
constexpr std::size_t band_bytes = 1 << 17;

// Lines are sparse if at most one value of this many is not zero.
constexpr std::size_t sparseness = 8;

// Number of rows by which lines are compared.
constexpr std::size_t compared = 64;

float squared_distance(const float* x, const float* y) noexcept {
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < compared; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

// Lines of values for the active rows, or the first of them.
struct Lines {
    std::size_t width;
    std::vector<double> value;

    Lines(std::size_t count, std::size_t wide) : width(wide), value(count * wide) {}

    double* operator[](std::size_t i) noexcept { return value.data() + i * width; }
    const double* operator[](std::size_t i) const noexcept { return value.data() + i * width; }
};

Lines mustered(const Pairs& pairs, const ActiveRows& active, const RayQuery& query) {
    Lines lines(pairs.row.size(), active.size());
    for_each_task(pairs.row.size(), query.threads, [&](std::size_t p) {
        checkpoint(lines.width);
        const double* const from = pairs.similarity + p * query.weight.size();
        double* const to = lines[p];
        for (std::size_t i = 0; i < lines.width; ++i) {
            to[i] = from[static_cast<std::size_t>(active.row[i])];
        }
    });
    return lines;
}

bool all_finite(const Lines& lines) noexcept {
    return std::all_of(lines.value.begin(), lines.value.end(),
                       [](double x) { return std::isfinite(x); });
}

// Places of the values of each line that are not zero, if these are few.
class Nonzeros {
public:
    Nonzeros(const Lines& lines, std::size_t count, std::size_t width) {
        start_.push_back(0);
        for (std::size_t p = 0; p < count; ++p) {
            checkpoint(width);
            const double* const line = lines[p];
            for (std::size_t i = 0; i < width; ++i) {
                if (line[i] != 0.0) place_.push_back(static_cast<std::uint32_t>(i));
            }
            start_.push_back(place_.size());
            if (place_.size() * sparseness > count * width) return;
        }
        few_ = true;
    }

    bool few() const noexcept { return few_; }

    std::span<const std::uint32_t> operator[](std::size_t line) const noexcept {
        return std::span(place_).subspan(start_[line], start_[line + 1] - start_[line]);
    }

private:
    std::vector<std::uint32_t> place_;
    std::vector<std::size_t> start_;
    bool few_ = false;
};

// One side of the pairs: its prototypes in groups of two, or singly.
class Side {
public:
    Side(const Prototypes& prototypes, std::size_t each) : all_(prototypes), each_(each) {}

    std::size_t size() const noexcept { return all_.line.size(); }
    std::size_t groups() const noexcept { return (size() + each_ - 1) / each_; }

    // Positions in the list.
    std::span<const std::int32_t> group(std::size_t g) const noexcept {
        return all_.order.subspan(g * each_, std::min(each_, size() - g * each_));
    }

    std::size_t line(std::size_t position) const noexcept {
        return static_cast<std::size_t>(all_.line[position]);
    }

    // For every group, the larger of its values on the rows `up` and the smaller on the others.
    Lines envelopes(const Lines& lines, const ActiveRows& active, bool positive_up) const {
        Lines out(each_ == 1 ? 0 : groups(), active.nonzero);
        for (std::size_t g = 0; each_ > 1 && g < groups(); ++g) {
            checkpoint(active.nonzero);
            const double* const x = lines[line(static_cast<std::size_t>(group(g).front()))];
            const double* const y = lines[line(static_cast<std::size_t>(group(g).back()))];
            double* const to = out[g];
            for (std::size_t i = 0; i < active.nonzero; ++i) {
                const bool up = (i < active.positive) == positive_up;
                to[i] = up ? std::max(x[i], y[i]) : std::min(x[i], y[i]);
            }
        }
        return out;
    }

private:
    const Prototypes& all_;
    std::size_t each_;
};

// The similarities are copied in the order of the active rows, so that the inner loop reads
// consecutive memory. Two similar prototypes on each side form a cluster of four rays. Its envelope
// is also a difference, of the larger and the smaller similarities. (NaN and infinities have no
// such order.)
class HalfSpaces final : public Rays {
public:
    HalfSpaces(const Pairs& pairs, const PrototypeConstraint& constraint, const ActiveRows& active,
               const RayQuery& query)
        : pairs_(pairs),
          constraint_(constraint),
          query_(query),
          lines_(mustered(pairs, active, query)),
          nonzeros_(lines_, pairs.row.size(), active.nonzero),
          each_(all_finite(lines_) ? 2 : 1),
          toward_(pairs.toward, each_),
          away_(pairs.away, each_),
          toward_envelopes_(toward_.envelopes(lines_, active, true)),
          away_envelopes_(away_.envelopes(lines_, active, false)),
          band_(std::max<std::size_t>(1, band_bytes / sizeof(double) / (active.nonzero + 1))) {}

    std::size_t count() const noexcept override { return toward_.size() * away_.size(); }

    bool open(std::size_t ray) const noexcept override {
        return query_.opens(pairs_.row[toward(ray)]) && query_.opens(pairs_.row[away(ray)]);
    }

    CutConstraint cut_constraint(std::size_t ray) const noexcept override {
        if (!constraint_.apart) return {};
        const auto a = static_cast<std::size_t>(pairs_.row[toward(ray)]);
        const auto b = static_cast<std::size_t>(pairs_.row[away(ray)]);
        return {margin(ray, b), margin(ray, a), constraint_.excuses(pairs_.row[toward(ray)])};
    }

    RayValues values(std::size_t ray, std::span<double>) const noexcept override {
        return {lines_[toward(ray)], lines_[away(ray)]};
    }

    bool sparse() const noexcept override { return nonzeros_.few(); }

    NonzeroPlaces nonzero(std::size_t ray) const noexcept override {
        return {nonzeros_[toward(ray)], nonzeros_[away(ray)]};
    }

    std::size_t clusters() const noexcept override { return toward_.groups() * away_.groups(); }

    RayCluster cluster(std::size_t number) const noexcept override {
        const auto [i, j] = groups(number);
        RayCluster cluster;
        for (const auto a : toward_.group(i)) {
            for (const auto b : away_.group(j)) {
                cluster.ray[cluster.size++] =
                    static_cast<std::size_t>(a) * away_.size() + static_cast<std::size_t>(b);
            }
        }
        return cluster;
    }

    RayValues envelope(std::size_t number) const noexcept override {
        const auto [i, j] = groups(number);
        return {toward_envelopes_[i], away_envelopes_[j]};
    }

private:
    // A band of toward groups against one away group after the other.
    std::array<std::size_t, 2> groups(std::size_t number) const noexcept {
        const std::size_t in_band = band_ * away_.groups();
        const std::size_t first = number / in_band * band_;
        const std::size_t height = std::min(band_, toward_.groups() - first);
        const std::size_t inside = number % in_band;
        return {first + inside % height, inside / height};
    }

    std::size_t toward(std::size_t ray) const noexcept { return toward_.line(ray / away_.size()); }
    std::size_t away(std::size_t ray) const noexcept { return away_.line(ray % away_.size()); }

    double margin(std::size_t ray, std::size_t row) const noexcept {
        const std::size_t rows = query_.weight.size();
        return pairs_.similarity[toward(ray) * rows + row] -
               pairs_.similarity[away(ray) * rows + row];
    }

    const Pairs& pairs_;
    const PrototypeConstraint& constraint_;
    const RayQuery& query_;
    Lines lines_;
    Nonzeros nonzeros_;
    std::size_t each_;
    Side toward_;
    Side away_;
    Lines toward_envelopes_;
    Lines away_envelopes_;
    std::size_t band_;
};

}  // namespace

void couple_lines(const double* similarity, std::size_t rows, std::span<const std::int32_t> list,
                  std::span<std::int32_t> order) {
    std::iota(order.begin(), order.end(), 0);
    if (rows == 0) return;
    std::vector<std::array<float, compared>> some(list.size());
    for (std::size_t p = 0; p < list.size(); ++p) {
        const double* const line = similarity + static_cast<std::size_t>(list[p]) * rows;
        for (std::size_t i = 0; i < compared; ++i) {
            some[p][i] = static_cast<float>(line[i * rows / compared]);
        }
    }
    // Each in turn takes the nearest of the remaining ones.
    for (std::size_t p = 0; p + 2 < list.size(); p += 2) {
        checkpoint((list.size() - p) * compared);
        std::size_t nearest = p + 1;
        float min_distance = std::numeric_limits<float>::infinity();
        for (std::size_t q = p + 1; q < list.size(); ++q) {
            const float distance = squared_distance(some[p].data(), some[q].data());
            if (!(distance < min_distance)) continue;
            min_distance = distance;
            nearest = q;
        }
        std::swap(order[p + 1], order[nearest]);
        std::swap(some[p + 1], some[nearest]);
    }
}

HeaviestRay heaviest_half_space(const Pairs& pairs, const PrototypeConstraint& constraint,
                                const RayQuery& query, std::span<std::int64_t> limits) {
    const ActiveRows active(query);
    const HalfSpaces spaces(pairs, constraint, active, query);
    return heaviest_ray(spaces, active, query, limits);
}

}  // namespace rulewright
