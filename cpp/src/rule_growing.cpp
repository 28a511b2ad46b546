#include "rule_growing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr std::size_t max_bins = 255;
constexpr std::uint8_t no_bin = 255;
constexpr std::size_t few = 128;        // maximum number of rows for which sorting beats bins
constexpr std::size_t crowded = 4;      // values per row from which sorting beats a table
constexpr std::size_t sparse = 2;       // words of bits per row from which bits do not pay
constexpr std::size_t alone = 1 << 16;  // minimum number of cells for which threads pay
constexpr double rounding = 1e-9;       // relative error by which a bound may be too low

std::size_t index(std::int32_t number) noexcept { return static_cast<std::size_t>(number); }

struct Weights {
    double own = 0;
    double other = 0;
};

Weights operator+(Weights a, Weights b) noexcept { return {a.own + b.own, a.other + b.other}; }

// The difference, at least 0 if sums were rounded.
Weights operator-(Weights a, Weights b) noexcept {
    return {std::max(a.own - b.own, 0.0), std::max(a.other - b.other, 0.0)};
}

// Weights of a value, of the class and in total, if every row counts once: both in one word, so
// that a row is one addition.
class Count {
public:
    Count() = default;
    Count(std::uint64_t own, std::uint64_t all) : both_(own << 32 | all) {}

    // No branch on the class: a misprediction would take longer than the addition.
    void add(bool own, double) noexcept { both_ += 1ULL + (std::uint64_t{own} << 32); }
    bool empty() const noexcept { return both_ == 0; }
    Weights weights() const noexcept {
        const auto own = static_cast<double>(both_ >> 32);
        return {own, static_cast<double>(both_ & 0xFFFFFFFFULL) - own};
    }

private:
    std::uint64_t both_ = 0;
};

// The same with weights.
class WeightedCell {
public:
    void add(bool own, double weight) noexcept { weight_[own ? 0 : 1] += weight; }
    bool empty() const noexcept { return weight_[0] == 0 && weight_[1] == 0; }
    Weights weights() const noexcept { return {weight_[0], weight_[1]}; }

private:
    double weight_[2] = {0, 0};
};

// The gain of a further test for a rule that covers `now`.
class TestGain {
public:
    TestGain(const RuleGrowthOptions& options, Weights now)
        : gain_(options.gain), min_weight_(options.min_weight) {
        base_ = gain_ == Gain::foil ? -std::log2(now.own / (now.own + now.other))
                                    : std::sqrt(now.own) - std::sqrt(now.other);
    }

    // The gain of a test that keeps these weights: it rises with the class, and falls with the
    // others.
    double value(Weights kept) const noexcept {
        if (!(kept.own > 0)) return 0;
        if (gain_ == Gain::foil) {
            return kept.own * (base_ + std::log2(kept.own / (kept.own + kept.other)));
        }
        return std::sqrt(kept.own) - std::sqrt(kept.other) - base_;
    }

    // Whether a test that keeps these weights would gain `needed`.
    bool reaches(Weights kept, double needed) const noexcept {
        return kept.own > 0 && !is_rejected(kept, needed - rounding) && value(kept) >= needed;
    }

    // Whether a test may keep these weights, and gains more than `best`, which is then set to it.
    bool better(Weights kept, double& best) const noexcept {
        if (!(kept.own > 0) || kept.own + kept.other < min_weight_ || is_rejected(kept, best))
            return false;
        const double gain = value(kept);
        if (!(gain > best)) return false;
        best = gain;
        return true;
    }

private:
    // Rejects most tests without a logarithm or a root.
    bool is_rejected(Weights kept, double best) const noexcept {
        if (gain_ == Gain::foil) {  // -ln(1 - x) >= x
            constexpr double bits = 1.4426950408889;
            const double share = kept.other / (kept.own + kept.other);
            return kept.own * (base_ - bits * share) <= best - rounding;
        }
        const double needed = base_ + best;  // sqrt(a) - sqrt(b) > c >= 0 needs a > b + c^2
        return needed >= 0 && kept.own <= kept.other + needed * needed;
    }

    Gain gain_;
    double min_weight_;
    double base_;
};

struct Best {
    ColumnTest test{-1, Relation::at_most, -1};
    double gain = 0;
};

template <class Cell>
struct Slot {
    std::int32_t code;
    Cell cell;
};
template <class Cell>
using Slots = std::vector<Slot<Cell>>;

// The rows that a rule covers so far.
struct Cover {
    std::vector<std::int32_t> rows;
    std::vector<std::uint8_t> own;
    std::vector<double> weight;  // empty if every row counts once

    double weight_at(std::size_t i) const noexcept { return weight.empty() ? 1.0 : weight[i]; }

    void take(const Cover& from, std::size_t i) {
        rows.push_back(from.rows[i]);
        own.push_back(from.own[i]);
        if (!from.weight.empty()) weight.push_back(from.weight[i]);
    }
};

Cover all_of(const RuleTrainingRows& training) {
    Cover cover;
    cover.rows.assign(training.rows.begin(), training.rows.end());
    cover.own.reserve(training.rows.size());
    for (const auto row : training.rows) cover.own.push_back(training.own[index(row)]);
    if (training.weight.empty()) return cover;
    for (const auto row : training.rows) cover.weight.push_back(training.weight[index(row)]);
    return cover;
}

Weights covered(const Cover& cover) noexcept {
    if (cover.weight.empty()) {
        std::size_t own = 0;
        for (const auto mark : cover.own) own += mark;
        return {static_cast<double>(own), static_cast<double>(cover.own.size() - own)};
    }
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < cover.rows.size(); ++i) sums[cover.own[i]] += cover.weight[i];
    return {sums[1], sums[0]};
}

// Keeps the rows that pass a test; every row is written, and overwritten by the next if it fails.
void keep(Cover& cover, const CodedColumn& x, const ColumnTest& test) {
    const auto kept_from = [&](auto& values) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[kept] = values[i];
            kept += test.holds(x.code[index(cover.rows[i])]);
        }
        return kept;
    };
    if (!cover.weight.empty()) cover.weight.resize(kept_from(cover.weight));
    cover.own.resize(kept_from(cover.own));
    std::size_t kept = 0;
    for (const auto row : cover.rows) {
        cover.rows[kept] = row;
        kept += test.holds(x.code[index(row)]);
    }
    cover.rows.resize(kept);
}

// A table entry for every value.
template <class Cell>
Slots<Cell> tabled(const CodedColumn& x, const Cover& cover) {
    std::vector<Cell> table(x.values + 1);
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        const auto place = index(x.code[index(cover.rows[i])] + 1);
        table[place].add(cover.own[i] != 0, cover.weight_at(i));
    }
    Slots<Cell> slots;
    slots.reserve(std::min(x.values, cover.rows.size()));
    for (std::size_t v = 0; v < x.values; ++v) {
        if (!table[v + 1].empty()) slots.push_back({static_cast<std::int32_t>(v), table[v + 1]});
    }
    return slots;
}

// Few rows and many values: sort the values that occur.
template <class Cell>
Slots<Cell> sorted(const CodedColumn& x, const Cover& cover) {
    std::vector<std::uint64_t> order;  // value, then position among the covered rows
    order.reserve(cover.rows.size());
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        const auto code = x.code[index(cover.rows[i])];
        if (code >= 0) order.push_back(static_cast<std::uint64_t>(code) << 32 | i);
    }
    std::sort(order.begin(), order.end());
    Slots<Cell> slots;
    slots.reserve(order.size());
    for (const std::uint64_t key : order) {
        const auto code = static_cast<std::int32_t>(key >> 32);
        const auto i = static_cast<std::size_t>(key & 0xFFFFFFFFULL);
        if (slots.empty() || slots.back().code != code) slots.push_back({code, {}});
        slots.back().cell.add(cover.own[i] != 0, cover.weight_at(i));
    }
    return slots;
}

template <class Cell>
Slots<Cell> slots_of(const CodedColumn& x, const Cover& cover) {
    const bool many = x.values > crowded * cover.rows.size();
    return many ? sorted<Cell>(x, cover) : tabled<Cell>(x, cover);
}

// A table entry for every value, if each is a bin: one byte per row is a quarter of the memory.
template <class Cell>
Slots<Cell> tabled(const BinnedColumn& x, const Cover& cover) {
    std::array<Cell, max_bins + 1> table{};
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        table[x.bin[index(cover.rows[i])]].add(cover.own[i] != 0, cover.weight_at(i));
    }
    Slots<Cell> slots;
    for (std::size_t v = 0; v < x.bins(); ++v) {
        if (!table[v].empty()) slots.push_back({static_cast<std::int32_t>(v), table[v]});
    }
    return slots;
}

// Covered rows as bits over all rows, and those of the class.
struct CoverBits {
    std::vector<std::uint64_t> rows;
    std::vector<std::uint64_t> own;

    CoverBits(const Cover& cover, std::size_t all) : rows((all + 63) / 64), own((all + 63) / 64) {
        for (std::size_t i = 0; i < cover.rows.size(); ++i) {
            const auto row = index(cover.rows[i]);
            rows[row / 64] |= 1ULL << (row % 64);
            own[row / 64] |= static_cast<std::uint64_t>(cover.own[i]) << (row % 64);
        }
    }
};

Slots<Count> counted(const CodedColumn& x, const CoverBits& bits) {
    Slots<Count> slots;
    const std::size_t words = bits.rows.size();
    for (std::size_t v = 0; v < x.values; ++v) {
        const std::uint64_t* line =
            x.bits.data() + (v + 1) * words;  // the first line is for missing
        std::uint64_t all = 0;
        std::uint64_t own = 0;
        for (std::size_t w = 0; w < words; ++w) {
            const std::uint64_t here = line[w] & bits.rows[w];
            all += static_cast<std::uint64_t>(std::popcount(here));
            own += static_cast<std::uint64_t>(std::popcount(here & bits.own[w]));
        }
        if (all) slots.push_back({static_cast<std::int32_t>(v), Count(own, all)});
    }
    return slots;
}

// The best cut below a value and the best above one, in the order that breaks ties.
struct Cuts {
    std::uint8_t allowed;
    Best below = {};
    Best above = {};

    // Tries a cut after a value with weights `run` up to it, of all `known` ones.
    void add(std::int32_t column, std::int32_t code, Weights run, Weights known,
             const TestGain& test_gain) {
        if (allowed & at_most_bit && test_gain.better(run, below.gain)) {
            below.test = {column, Relation::at_most, code};
        }
        if (allowed & above_bit && test_gain.better(known - run, above.gain)) {
            above.test = {column, Relation::above, code};
        }
    }

    const Best& best() const noexcept { return above.gain > below.gain ? above : below; }
};

template <class Cell>
Best best_cut(std::int32_t column, const Slots<Cell>& slots, const TestGain& test_gain,
              std::uint8_t allowed) {
    Weights known;
    for (const auto& slot : slots) known = known + slot.cell.weights();
    Cuts cuts{allowed};
    Weights run;
    for (std::size_t s = 0; s + 1 < slots.size(); ++s) {
        run = run + slots[s].cell.weights();
        cuts.add(column, slots[s].code, run, known, test_gain);
    }
    return cuts.best();
}

template <class Cell>
Best best_value(std::int32_t column, const Slots<Cell>& slots, const TestGain& test_gain) {
    Best best;
    for (const auto& slot : slots) {
        if (test_gain.better(slot.cell.weights(), best.gain)) {
            best.test = {column, Relation::is, slot.code};
        }
    }
    return best;
}

// A column of many values, by bin: a lower bound on the best gain, and the bins that may exceed it.
template <class Cell>
class BinScreening {
public:
    BinScreening() = default;

    BinScreening(const BinnedColumn& x, const Cover& cover, const TestGain& test_gain,
                 std::uint8_t allowed)
        : allowed_(allowed) {
        for (std::size_t i = 0; i < cover.rows.size(); ++i) {
            cells_[x.bin[index(cover.rows[i])]].add(cover.own[i] != 0, cover.weight_at(i));
        }
        for (std::size_t b = 0; b < x.bins(); ++b) {
            known_ = known_ + cells_[b].weights();
            if (!cells_[b].empty()) last_ = b;
        }
        Weights run;
        for (std::size_t b = 0; b < x.bins(); ++b) {
            if (cells_[b].empty()) continue;
            const Weights end = run + cells_[b].weights();
            if (b != last_) {
                if (allowed & at_most_bit) test_gain.better(end, floor_);
                if (allowed & above_bit) test_gain.better(known_ - end, floor_);
            }
            run = end;
        }
    }

    double floor() const noexcept { return floor_; }

    // The best cut among those that may gain as much as `floor`, which some cut does.
    Best best(std::int32_t column, const CodedColumn& coded, const BinnedColumn& x,
              const Cover& cover, double floor, const TestGain& test_gain) const {
        const std::array<bool, max_bins + 1> open = opened(x, floor, test_gain);
        if (std::find(open.begin(), open.end(), true) == open.end()) return {};
        Cover some;
        for (std::size_t i = 0; i < cover.rows.size(); ++i) {
            if (open[x.bin[index(cover.rows[i])]]) some.take(cover, i);
        }
        const Slots<Cell> slots = slots_of<Cell>(coded, some);
        Cuts cuts{allowed_};
        Weights run;
        auto slot = slots.begin();
        for (std::size_t b = 0; b < x.bins(); ++b) {
            if (open[b]) {
                Weights inside = run;
                for (; slot != slots.end() && slot->code < x.begin[b + 1]; ++slot) {
                    inside = inside + slot->cell.weights();
                    const bool end = b == last_ && slot + 1 == slots.end();
                    if (!end) cuts.add(column, slot->code, inside, known_, test_gain);
                }
            }
            run = run + cells_[b].weights();
        }
        return cuts.best();
    }

private:
    // Inside a bin, a cut keeps at best all of the bin's class weight and none of the others.
    std::array<bool, max_bins + 1> opened(const BinnedColumn& x, double floor,
                                          const TestGain& test_gain) const noexcept {
        std::array<bool, max_bins + 1> open{};
        const double needed = floor - rounding * (1 + floor);
        Weights run;
        for (std::size_t b = 0; b < x.bins(); ++b) {
            if (cells_[b].empty()) continue;
            const Weights end = run + cells_[b].weights();
            open[b] = test_gain.reaches({end.own, run.other}, needed) ||
                      test_gain.reaches({(known_ - run).own, (known_ - end).other}, needed);
            run = end;
        }
        return open;
    }

    std::uint8_t allowed_ = 0;
    std::array<Cell, max_bins + 1> cells_{};
    Weights known_;
    std::size_t last_ = 0;
    double floor_ = 0;
};

// The search for one test: columns of few values by value, those of many by bin, and by value only
// in promising bins.
template <class Cell>
class TestSearch {
public:
    TestSearch(const GrowingColumns& columns, std::size_t threads)
        : columns_(columns),
          threads_(threads),
          found_(columns.coded.size()),
          screened_(columns.coded.size()),
          open_(columns.coded.size()) {}

    Best best(const Cover& cover, const TestGain& test_gain) {
        const std::size_t count = columns_.coded.size();
        const std::size_t cells = cover.rows.size() * count;
        const std::size_t threads = cells < alone ? 1 : threads_;
        const std::vector<CoverBits> bits = bits_of(cover);
        for_each_task(count, threads, [&](std::size_t j) { look(j, cover, test_gain, bits); });
        double floor = 0;
        for (std::size_t j = 0; j < count; ++j) {
            floor = std::max(floor, open_[j] ? screened_[j].floor() : found_[j].gain);
        }
        for_each_task(count, threads, [&](std::size_t j) {
            if (!open_[j]) return;
            checkpoint(cover.rows.size());
            found_[j] = screened_[j].best(static_cast<std::int32_t>(j), columns_.coded[j],
                                          columns_.binned[j], cover, floor, test_gain);
        });
        const auto by_gain = [](const Best& a, const Best& b) { return a.gain < b.gain; };
        const auto first = std::max_element(found_.begin(), found_.end(), by_gain);
        return first == found_.end() ? Best{} : *first;
    }

private:
    // At most one: bits pay if rows count once and are many.
    std::vector<CoverBits> bits_of(const Cover& cover) const {
        if (!cover.weight.empty() || columns_.coded.empty()) return {};
        const std::size_t all = columns_.coded.front().code.size();
        if (cover.rows.size() < few || cover.rows.size() < sparse * all / 64) return {};
        return {CoverBits(cover, all)};
    }

    void look(std::size_t j, const Cover& cover, const TestGain& test_gain,
              const std::vector<CoverBits>& bits) {
        found_[j] = {};
        open_[j] = false;
        if (!columns_.allowed[j]) return;
        checkpoint(cover.rows.size() + few);
        const CodedColumn& x = columns_.coded[j];
        const auto number = static_cast<std::int32_t>(j);
        if constexpr (std::is_same_v<Cell, Count>) {
            if (!bits.empty() && !x.bits.empty() && x.bits.size() * sparse < cover.rows.size()) {
                found_[j] = best_of(number, counted(x, bits.front()), test_gain);
                return;
            }
        }
        if (x.values <= max_bins) {
            found_[j] = best_of(number, tabled<Cell>(columns_.binned[j], cover), test_gain);
        } else if (columns_.numeric[j] && cover.rows.size() > few) {
            screened_[j] =
                BinScreening<Cell>(columns_.binned[j], cover, test_gain, columns_.allowed[j]);
            open_[j] = true;
        } else {
            found_[j] = best_of(number, slots_of<Cell>(x, cover), test_gain);
        }
    }

    Best best_of(std::int32_t column, const Slots<Cell>& slots, const TestGain& test_gain) const {
        return columns_.numeric[index(column)]
                   ? best_cut(column, slots, test_gain, columns_.allowed[index(column)])
                   : best_value(column, slots, test_gain);
    }

    const GrowingColumns& columns_;
    std::size_t threads_;
    std::vector<Best> found_;
    std::vector<BinScreening<Cell>> screened_;
    std::vector<std::uint8_t> open_;
};

template <class Cell>
void grow(const GrowingColumns& columns, Cover& cover, const RuleGrowthOptions& options,
          std::size_t threads, std::vector<ColumnTest>& tests) {
    TestSearch<Cell> search(columns, threads);
    while (tests.size() < options.max_tests) {
        const Weights now = covered(cover);
        if (!(now.own > 0) || !(now.other > 0)) return;
        const Best best = search.best(cover, TestGain(options, now));
        if (!(best.gain > 0)) return;
        tests.push_back(best.test);
        keep(cover, columns.coded[index(best.test.column)], best.test);
    }
}

}  // namespace

BinnedColumn bin_values(const CodedColumn& x) {
    checkpoint(x.code.size() + x.values);
    std::vector<std::size_t> rows(x.values + 1);
    for (const auto code : x.code) ++rows[index(code + 1)];
    const std::size_t known = x.code.size() - rows[0];
    BinnedColumn binned;
    std::vector<std::uint8_t> bin_of(x.values + 1, no_bin);
    std::size_t before = 0;
    std::size_t bin = max_bins;  // none so far
    for (std::size_t v = 0; v < x.values; ++v) {
        const std::size_t share = known ? before * max_bins / known : 0;
        const std::size_t next = x.values <= max_bins ? v : std::min(share, max_bins - 1);
        if (bin == max_bins || next != bin) {
            bin = next;
            binned.begin.push_back(static_cast<std::int32_t>(v));
        }
        bin_of[v + 1] = static_cast<std::uint8_t>(binned.begin.size() - 1);
        before += rows[v + 1];
    }
    binned.begin.push_back(static_cast<std::int32_t>(x.values));
    binned.bin.reserve(x.code.size());
    for (const auto code : x.code) binned.bin.push_back(bin_of[index(code + 1)]);
    return binned;
}

std::vector<ColumnTest> grow_rule(const GrowingColumns& columns, const RuleTrainingRows& training,
                                  std::span<const ColumnTest> first,
                                  const RuleGrowthOptions& options, std::size_t threads) {
    std::vector<ColumnTest> tests(first.begin(), first.end());
    Cover cover = all_of(training);
    for (const ColumnTest& test : tests) keep(cover, columns.coded[index(test.column)], test);
    if (cover.weight.empty()) {
        grow<Count>(columns, cover, options, threads, tests);
    } else {
        grow<WeightedCell>(columns, cover, options, threads, tests);
    }
    return tests;
}

}  // namespace rulewright
