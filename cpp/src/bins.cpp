#include "bins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "clones.hpp"
#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr std::size_t sample_size = 2048;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

void put(std::span<std::uint64_t> set, std::size_t i) noexcept {
    set[i >> 6] |= std::uint64_t{1} << (i & 63);
}

// Codes of `count` cells 0, 1, 2, ...; every coarse bin has equally many.
struct Layout {
    std::size_t per_bin;

    explicit Layout(std::size_t count)
        : per_bin(std::max<std::size_t>((count + coarse_bins - 1) / coarse_bins, 1)) {}

    std::uint16_t operator()(std::size_t cell) const noexcept {
        return static_cast<std::uint16_t>(cell / per_bin << 8 | cell % per_bin);
    }
};

// Few rows: every value has its own cell, by rank.
void code_by_rank(Column x, BinsOut out) {
    std::vector<double> values;
    values.reserve(out.code.size());
    for (std::size_t row = 0; row < out.code.size(); ++row) {
        if (!std::isnan(x[row])) values.push_back(x[row]);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const Layout layout(values.size());
    for (std::size_t row = 0; row < out.code.size(); ++row) {
        const auto rank = std::lower_bound(values.begin(), values.end(), x[row]) - values.begin();
        out.code[row] = std::isnan(x[row]) ? missing_code : layout(static_cast<std::size_t>(rank));
    }
    for (std::size_t bin = 0; layout.per_bin == 1 && bin < values.size(); ++bin) {
        put(out.single, bin);
    }
    *out.smallest = values.empty() ? missing : values.front();
    *out.cells = static_cast<std::int32_t>(layout.per_bin);
}

std::vector<double> sorted_sample(Column x, std::size_t rows) {
    std::vector<double> sample;
    sample.reserve(sample_size);
    for (std::size_t i = 0; i < sample_size; ++i) {
        const double v = x[i * rows / sample_size];
        if (std::isfinite(v)) sample.push_back(v);
    }
    std::sort(sample.begin(), sample.end());
    return sample;
}

// Closed upper ends of the coarse bins; the last bin is open. Bin b holds edge[b-1] < x <= edge[b].
// A frequent value has its own bin, so zero-inflated columns are divided well.
struct Edges {
    std::array<double, 256> at;
    std::size_t count = 0;

    Edges() { at.fill(infinity); }

    void add(double v) {
        if (count == 0 || v > at[count - 1]) at[count++] = v;
    }
};

Edges quantiles(const std::vector<double>& sample) {
    Edges edges;
    const std::size_t n = sample.size();
    const std::size_t step =
        n / 200 + 1;  // at most 200 edges, plus one for each of at most 50 frequent values
    const std::size_t frequent = 4 * step;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < n;) {
        std::size_t next = i + 1;
        while (next < n && sample[next] == sample[i]) ++next;
        const bool alone = next - i >= frequent;
        if (alone) edges.add(std::nextafter(sample[i], -infinity));
        if (alone || next - taken >= step) {
            edges.add(sample[i]);
            taken = next;
        }
        i = next;
    }
    return edges;
}

constexpr std::size_t block = 512;  // rows that are coded together, in the cache

using BlockValues = std::array<double, block>;
using BlockCodes = std::array<std::uint32_t, block>;

// First bins whose edges are not below the values: `edge` is padded with +infinity. The steps of
// one search wait for each other, so those of all rows are taken in turn.
void coarse_bins_of(const double* edge, const BlockValues& value, BlockCodes& bin) noexcept {
    bin.fill(0);
    for (std::uint32_t half = 128; half > 0; half >>= 1) {
        for (std::size_t i = 0; i < block; ++i) {
            bin[i] += edge[bin[i] + half - 1] < value[i] ? half : 0;
        }
    }
}

// A coarse bin between quantiles of a sample, and a cell that divides it evenly.
struct EvenCells {
    double min, max;                  // of the sample
    std::array<double, 256> low{};    // of each coarse bin
    std::array<double, 256> scale{};  // cells for each unit of a value
};

// The codes of values in their coarse bins, without branches.
RULEWRIGHT_CLONES void codes_of(const EvenCells& cells, const BlockValues& value,
                                BlockCodes& bin) noexcept {
    for (std::size_t i = 0; i < block; ++i) {
        const std::uint32_t b = bin[i];
        const double inside = std::max(cells.min, std::min(value[i], cells.max));  // NaN: min
        const double place = (inside - cells.low[b]) * cells.scale[b];
        const std::uint32_t code =
            b << 8 | static_cast<std::uint32_t>(static_cast<std::int32_t>(place));
        bin[i] = std::isnan(value[i]) ? std::uint32_t{missing_code} : code;
    }
}

class Coder {
public:
    Coder(const std::vector<double>& sample, std::size_t cells) : edges_(quantiles(sample)) {
        cells_.min = sample.empty() ? 0.0 : sample.front();
        cells_.max = sample.empty() ? 0.0 : sample.back();
        for (std::size_t bin = 0; bin <= edges_.count; ++bin) {
            const double low = bin == 0 ? cells_.min : edges_.at[bin - 1];
            const double high = bin < edges_.count ? edges_.at[bin] : cells_.max;
            // Slightly less than the number of cells, so that rounding never exceeds the last one.
            const double scale = (static_cast<double>(cells) - 0.001) / (high - low);
            if (!std::isfinite(scale) || scale <= 0.0) continue;  // cannot be divided
            cells_.low[bin] = low;
            cells_.scale[bin] = scale;
        }
    }

    void code(const BlockValues& value, BlockCodes& codes) const noexcept {
        coarse_bins_of(edges_.at.data(), value, codes);
        codes_of(cells_, value, codes);
    }

private:
    Edges edges_;
    EvenCells cells_;
};

// Calls `see(place, code, value)` for the values at places 0 to `count`, the code of a missing one
// being `missing_code`.
template <class Values, class See>
void for_each_code(const Values& values, std::size_t count, const Coder& coder, See&& see) {
    BlockValues value;
    BlockCodes code;
    for (std::size_t first = 0; first < count; first += block) {
        const std::size_t size = std::min(block, count - first);
        for (std::size_t i = 0; i < size; ++i) value[i] = values[first + i];
        std::fill(value.begin() + static_cast<std::ptrdiff_t>(size), value.end(), missing);
        coder.code(value, code);
        for (std::size_t i = 0; i < size; ++i) see(first + i, code[i], value[i]);
    }
}

// Calls `see(code, value)` for every row.
template <class See>
void code_rows(Column x, const Coder& coder, BinsOut out, See&& see) {
    double smallest = infinity;
    for_each_code(x, out.code.size(), coder, [&](std::size_t row, std::size_t code, double v) {
        out.code[row] = static_cast<std::uint16_t>(code);
        smallest = v < smallest ? v : smallest;
        see(code, v);
    });
    const bool empty = smallest == infinity && std::ranges::all_of(out.code, [](auto code) {
                           return code == missing_code;
                       });
    *out.smallest = empty ? missing : smallest;
}

// Values that hardly repeat: all cells count as mixed, with about eight rows per cell.
void code_continuous(Column x, const std::vector<double>& sample, BinsOut out) {
    const std::size_t wanted = out.code.size() / (200 * 8);
    const std::size_t cells = std::min<std::size_t>(std::bit_floor(wanted | 1), 256);
    std::fill(out.mixed.begin(), out.mixed.end(), ~std::uint64_t{0});
    code_rows(x, Coder(sample, cells), out, [](std::size_t, double) {});
    *out.cells = static_cast<std::int32_t>(cells);
}

// Values that repeat: cells as narrow as possible, so that most hold one value, the one of the
// sample; then the used cells are renumbered without gaps.
void code_repeating(Column x, const std::vector<double>& sample, BinsOut out) {
    const Coder coder(sample, 256);
    std::vector<double> expected(codes, missing);
    for_each_code(sample, sample.size(), coder, [&](std::size_t, std::size_t code, double v) {
        if (std::isnan(expected[code])) expected[code] = v;
    });
    std::vector<std::uint8_t> several(codes, 0);
    code_rows(x, coder, out, [&](std::size_t code, double v) {
        several[code] |= static_cast<std::uint8_t>(!(v == expected[code]));
    });

    std::vector<std::uint32_t> used;
    for (std::uint32_t code = 0; code < missing_code; ++code) {
        if (several[code] || !std::isnan(expected[code])) used.push_back(code);
    }
    const Layout layout(used.size());
    std::vector<std::uint16_t> renamed(codes, missing_code);
    for (std::size_t cell = 0; cell < used.size(); ++cell) {
        renamed[used[cell]] = layout(cell);
        if (several[used[cell]]) {
            put(out.mixed, layout(cell));
        } else if (layout.per_bin == 1) {
            put(out.single, cell);
        }
    }
    for (auto& code : out.code) code = renamed[code];
    *out.cells = static_cast<std::int32_t>(layout.per_bin);
}

bool repeats(const std::vector<double>& sample) noexcept {
    std::size_t ties = 0;
    for (std::size_t i = 1; i < sample.size(); ++i) ties += sample[i] == sample[i - 1];
    return 16 * ties > sample.size();
}

}  // namespace

void bin_column(Column x, BinsOut out) {
    checkpoint(out.code.size());
    std::fill(out.mixed.begin(), out.mixed.end(), 0);
    std::fill(out.single.begin(), out.single.end(), 0);
    if (out.code.size() <= max_ranked_rows) return code_by_rank(x, out);
    const auto sample = sorted_sample(x, out.code.size());
    if (repeats(sample)) return code_repeating(x, sample, out);
    code_continuous(x, sample, out);
}

}  // namespace rulewright
