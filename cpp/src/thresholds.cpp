#include "thresholds.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Maximum number of columns whose coarse histograms are kept between the two passes (16 MB).
constexpr std::size_t max_kept = 4096;

// Total weight, its positive and its negative part. An array, so that adding needs no branch.
struct SignedSums {
    std::array<std::int64_t, 2> part{};

    std::int64_t positive() const noexcept { return part[0]; }
    std::int64_t negative() const noexcept { return part[1]; }
    std::int64_t total() const noexcept { return part[0] + part[1]; }
    bool empty() const noexcept { return part[0] == 0 && part[1] == 0; }
    void add(std::int64_t w) noexcept { part[static_cast<std::uint64_t>(w) >> 63] += w; }
};

SignedSums operator+(SignedSums a, SignedSums b) noexcept {
    return {{a.part[0] + b.part[0], a.part[1] + b.part[1]}};
}

SignedSums operator-(SignedSums a, SignedSums b) noexcept {
    return {{a.part[0] - b.part[0], a.part[1] - b.part[1]}};
}

// Rows of nonzero weight; the others change no sum.
struct NonzeroRows {
    std::vector<std::uint32_t> row;
    std::vector<std::int64_t> weight;

    explicit NonzeroRows(std::span<const std::int64_t> all) {
        const auto n = all.size() - static_cast<std::size_t>(std::count(all.begin(), all.end(), 0));
        row.reserve(n);
        weight.reserve(n);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] == 0) continue;
            row.push_back(static_cast<std::uint32_t>(i));
            weight.push_back(all[i]);
        }
    }
};

using Histogram = std::array<SignedSums, 256>;

Histogram coarse_sums(const Bins& bins, const NonzeroRows& nonzero) noexcept {
    Histogram sums{};
    for (std::size_t i = 0; i < nonzero.row.size(); ++i) {
        sums[bins.code[nonzero.row[i]] >> 8].add(nonzero.weight[i]);
    }
    return sums;
}

// A cut inside a column: at the cell of one value, or at a value inside a cell of several.
struct CodedCut {
    std::int64_t code = -1;  // -1: at the smallest value, below all rows of nonzero weight
    double value = unknown;

    bool operator<(const CodedCut& other) const noexcept {
        return code < other.code || (code == other.code && value < other.value);
    }
};

struct Candidate {
    SignedSums sums;
    std::size_t column = none;
    bool above = false;
    CodedCut cut;
};

// The documented order, without the exact value of a cut, which only the winner needs.
bool ahead(const Candidate& a, const Candidate& b, bool prefers_above) noexcept {
    if (a.column == none || b.column == none) return a.column != none;
    if (a.sums.total() != b.sums.total()) return a.sums.total() > b.sums.total();
    if (a.sums.positive() != b.sums.positive()) {
        return a.sums.positive() > b.sums.positive();
    }
    if (a.column != b.column) return a.column < b.column;
    if (a.above != b.above) return a.above == prefers_above;
    return a.cut < b.cut;
}

// The search in one column: totals of cuts, and upper limits of the totals in a bin.
class ColumnSearch {
public:
    ColumnSearch(std::size_t index, Column x, const Bins& bins, const Histogram& coarse,
                 const NonzeroRows& nonzero, const ThresholdQuery& query,
                 std::atomic<std::int64_t>& best)
        : index_(index),
          x_(x),
          bins_(bins),
          coarse_(coarse),
          nonzero_(nonzero),
          query_(query),
          best_(best) {
        if (query.gathers_missing) missing_ = coarse[coarse_bins];
        for (std::size_t b = 0; b < coarse_bins; ++b) all_ = all_ + coarse[b];
    }

    // Raises the best total by the exact totals at the ends of bins, and bounds those inside them.
    std::int64_t survey() const noexcept {
        std::int64_t bound = std::max(above(SignedSums{}).total(), below(SignedSums{}).total());
        SignedSums before;
        for (std::size_t b = 0; b < coarse_bins; ++b) {
            if (coarse_[b].empty()) continue;
            bound = std::max(bound, bin_bound(before, b));
            before = before + coarse_[b];
            raise(end_total(before));
        }
        return bound;
    }

    Candidate refine() {
        consider_everything();
        mark_bins();
        sum_cells();
        consider_cells();
        consider_rows();
        return winner_;
    }

private:
    struct Marked {
        std::size_t bin;
        SignedSums before;
    };

    struct WeightedValue {
        double value;
        std::int64_t weight;
        std::uint16_t code;
    };

    // Totals of {x <= t} and {x > t} if the present rows up to t sum to `before`.
    SignedSums below(SignedSums before) const noexcept { return before + missing_; }
    SignedSums above(SignedSums before) const noexcept { return all_ - before + missing_; }

    std::int64_t end_total(SignedSums before) const noexcept {
        return std::max(below(before).total(), above(before).total());
    }

    // Upper limit of the total of a cut inside: all of the positive weight, none of the negative.
    std::int64_t inside_bound(SignedSums before, SignedSums inside) const noexcept {
        const SignedSums heavy = {{inside.positive(), 0}};
        const SignedSums light = {{0, inside.negative()}};
        return std::max(below(before + heavy).total(), above(before + light).total());
    }

    // A bin of one value has no inside: its end is exact.
    std::int64_t bin_bound(SignedSums before, std::size_t b) const noexcept {
        return has(bins_.single, b) ? end_total(before + coarse_[b])
                                    : inside_bound(before, coarse_[b]);
    }

    bool can_win(std::int64_t bound) const noexcept {
        return bound >= best_.load(std::memory_order_relaxed);
    }

    void raise(std::int64_t total) const noexcept {
        auto known = best_.load(std::memory_order_relaxed);
        while (total > known && !best_.compare_exchange_weak(known, total)) {
        }
    }

    void consider(SignedSums before, CodedCut cut) noexcept {
        for (const bool is_above : {false, true}) {
            const SignedSums sums = is_above ? above(before) : below(before);
            const Candidate candidate = {sums, index_, is_above, cut};
            if (!ahead(candidate, winner_, query_.prefers_above)) continue;
            winner_ = candidate;
            raise(sums.total());
        }
    }

    // A row of weight zero may lie below all others: a cut there covers nothing, or everything.
    void consider_everything() noexcept {
        if (!can_win(end_total(SignedSums{}))) return;
        for (const auto row : nonzero_.row) {
            if (x_[row] == bins_.smallest) return;
        }
        consider(SignedSums{}, {-1, bins_.smallest});
    }

    void mark_bins() {
        SignedSums before;
        slot_.fill(none);
        for (std::size_t b = 0; b < coarse_bins; ++b) {
            if (coarse_[b].empty()) continue;
            if (can_win(bin_bound(before, b))) {
                slot_[b] = marked_.size();
                marked_.push_back({b, before});
            }
            before = before + coarse_[b];
        }
    }

    void sum_cells() {
        sums_.assign(marked_.size() * bins_.cells, SignedSums{});
        for (std::size_t i = 0; i < nonzero_.row.size(); ++i) {
            const auto code = bins_.code[nonzero_.row[i]];
            const auto slot = slot_[code >> 8];
            if (slot != none) sums_[place(slot, code)].add(nonzero_.weight[i]);
        }
    }

    // Afterwards sums_ has the sums before each cell, and wanted_ marks the cells whose rows to
    // search.
    void consider_cells() {
        wanted_.assign(sums_.size(), 0);
        for (std::size_t s = 0; s < marked_.size(); ++s) {
            SignedSums before = marked_[s].before;
            for (std::size_t i = 0; i < bins_.cells; ++i) {
                const std::size_t at = s * bins_.cells + i;
                const SignedSums inside = std::exchange(sums_[at], before);
                if (inside.empty()) continue;
                const std::size_t code = marked_[s].bin << 8 | i;
                if (bins_.mixed.empty() || !has(bins_.mixed, code)) {
                    consider(before + inside, {static_cast<std::int64_t>(code), unknown});
                } else if (can_win(inside_bound(before, inside))) {
                    wanted_[at] = any_wanted_ = 1;
                }
                before = before + inside;
                raise(end_total(before));
            }
        }
    }

    void consider_rows() {
        if (!any_wanted_) return;
        for (std::size_t i = 0; i < nonzero_.row.size(); ++i) {
            const auto row = nonzero_.row[i];
            const auto code = bins_.code[row];
            const auto slot = slot_[code >> 8];
            if (slot == none || !wanted_[place(slot, code)]) continue;
            rows_.push_back({x_[row], nonzero_.weight[i], code});
        }
        std::sort(rows_.begin(), rows_.end(),
                  [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
        for (auto row = rows_.begin(); row != rows_.end();) {
            const auto code = row->code;
            SignedSums before = sums_[place(slot_[code >> 8], code)];
            while (row != rows_.end() && row->code == code) {
                const double value = row->value;
                for (; row != rows_.end() && row->value == value; ++row) before.add(row->weight);
                consider(before, {code, value});
            }
        }
    }

    std::size_t place(std::size_t slot, std::uint16_t code) const noexcept {
        return slot * bins_.cells + (code & 255);
    }

    std::size_t index_;
    Column x_;
    const Bins& bins_;
    const Histogram& coarse_;
    const NonzeroRows& nonzero_;
    const ThresholdQuery& query_;
    std::atomic<std::int64_t>& best_;
    SignedSums missing_{};
    SignedSums all_{};
    std::array<std::size_t, 256> slot_{};
    std::vector<Marked> marked_;
    std::vector<SignedSums> sums_;
    std::vector<std::uint8_t> wanted_;
    std::uint8_t any_wanted_ = 0;
    std::vector<WeightedValue> rows_;
    Candidate winner_{};
};

double value_of(const CodedCut& cut, Column x, const Bins& bins) noexcept {
    if (!std::isnan(cut.value)) return cut.value;
    const auto code = static_cast<std::uint16_t>(cut.code);
    const auto row = std::find(bins.code.begin(), bins.code.end(), code) - bins.code.begin();
    return x[static_cast<std::size_t>(row)];
}

}  // namespace

HeaviestThreshold heaviest_threshold(std::span<const Column> columns, std::span<const Bins> bins,
                                     const ThresholdQuery& query) {
    const NonzeroRows nonzero(query.weight);
    std::atomic<std::int64_t> best{std::numeric_limits<std::int64_t>::min()};
    const std::size_t count = columns.size();
    std::vector<Histogram> kept(count <= max_kept ? count : 0);
    std::vector<std::int64_t> bound(count);

    // First pass: every column's coarse bins. A column with only missing values has no cut.
    for_each_task(count, query.threads, [&](std::size_t j) {
        if (std::isnan(bins[j].smallest)) return;
        checkpoint(nonzero.row.size());
        const Histogram coarse = coarse_sums(bins[j], nonzero);
        bound[j] = ColumnSearch(j, columns[j], bins[j], coarse, nonzero, query, best).survey();
        if (!kept.empty()) kept[j] = coarse;
    });

    // Second pass: the columns that can still win, the most promising first.
    std::vector<std::size_t> order;
    for (std::size_t j = 0; j < count; ++j) {
        if (!std::isnan(bins[j].smallest)) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return bound[a] > bound[b]; });
    std::vector<Candidate> winners(order.size());
    for_each_task(order.size(), query.threads, [&](std::size_t i) {
        const std::size_t j = order[i];
        if (bound[j] < best.load()) return;
        checkpoint(nonzero.row.size());
        const Histogram coarse = kept.empty() ? coarse_sums(bins[j], nonzero) : kept[j];
        winners[i] = ColumnSearch(j, columns[j], bins[j], coarse, nonzero, query, best).refine();
    });

    Candidate winner;
    for (const auto& candidate : winners) {
        if (ahead(candidate, winner, query.prefers_above)) winner = candidate;
    }
    if (winner.column == none) return {};
    const double cut = value_of(winner.cut, columns[winner.column], bins[winner.column]);
    return {winner.sums.total(), winner.sums.positive(), static_cast<std::int64_t>(winner.column),
            cut, winner.above};
}

}  // namespace rulewright
