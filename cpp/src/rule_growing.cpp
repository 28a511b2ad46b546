#include "rule_growing.hpp"

#include <algorithm>
#include <cmath>

#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr std::size_t crowded = 4;      // values a row from which sorting beats a table of them
constexpr std::size_t alone = 1 << 17;  // cells that are looked at before threads are worth it

struct Weights {
    double own = 0;
    double other = 0;
};

// What a value has gathered, of the class and in all, where every row counts once: both in a word,
// so that a row is one addition.
class Count {
public:
    void add(bool own, double) noexcept { both_ += own ? (1ULL << 32 | 1ULL) : 1ULL; }
    bool empty() const noexcept { return both_ == 0; }
    Weights weights() const noexcept {
        const auto own = static_cast<double>(both_ >> 32);
        return {own, static_cast<double>(both_ & 0xFFFFFFFFULL) - own};
    }

private:
    std::uint64_t both_ = 0;
};

// The same where rows have weights.
class Sum {
public:
    void add(bool own, double weight) noexcept { weight_[own ? 0 : 1] += weight; }
    bool empty() const noexcept { return weight_[0] == 0 && weight_[1] == 0; }
    Weights weights() const noexcept { return {weight_[0], weight_[1]}; }

private:
    double weight_[2] = {0, 0};
};

// What a further test is worth to a rule that covers `now`.
class Worth {
public:
    Worth(Gain gain, Weights now) : gain_(gain) {
        base_ = gain == Gain::foil ? -std::log2(now.own / (now.own + now.other))
                                   : std::sqrt(now.own) - std::sqrt(now.other);
    }

    // Whether a test that keeps this much gains more than `best`; sets it where it does.
    bool better(Weights kept, double& best) const noexcept {
        if (!(kept.own > 0)) return false;
        const double value = gain_ == Gain::foil ? foil(kept, best) : boosting(kept, best);
        if (!(value > best)) return false;
        best = value;
        return true;
    }

private:
    double foil(Weights kept, double best) const noexcept {
        const double all = kept.own + kept.other;
        // -ln(1 - x) >= x: a logarithm is worth computing only where this bound beats the best.
        constexpr double bits = 1.4426950408889;
        if (kept.own * (base_ - bits * kept.other / all) <= best - slack_) return 0;
        return kept.own * (base_ + std::log2(kept.own / all));
    }

    double boosting(Weights kept, double best) const noexcept {
        // sqrt(a) - sqrt(b) > c >= 0 needs a > b + c^2: roots are worth taking only there.
        const double needed = base_ + best;
        if (needed >= 0 && kept.own <= kept.other + needed * needed) return 0;
        return std::sqrt(kept.own) - std::sqrt(kept.other) - base_;
    }

    static constexpr double slack_ = 1e-9;
    Gain gain_;
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

// The rows that a rule covers so far.
struct Cover {
    std::vector<std::int32_t> rows;
    std::vector<std::uint8_t> own;
    std::vector<double> weight;  // empty where every row counts once
};

double weight_at(const Cover& cover, std::size_t i) noexcept {
    return cover.weight.empty() ? 1.0 : cover.weight[i];
}

template <class Cell>
std::vector<Slot<Cell>> tabled(const CodedColumn& x, const Cover& cover) {
    std::vector<Cell> table(x.values + 1);
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        const auto code = x.code[static_cast<std::size_t>(cover.rows[i])];
        table[static_cast<std::size_t>(code + 1)].add(cover.own[i] != 0, weight_at(cover, i));
    }
    std::vector<Slot<Cell>> slots;
    slots.reserve(std::min(x.values, cover.rows.size()));
    for (std::size_t v = 0; v < x.values; ++v) {
        if (!table[v + 1].empty()) slots.push_back({static_cast<std::int32_t>(v), table[v + 1]});
    }
    return slots;
}

template <class Cell>
std::vector<Slot<Cell>> sorted(const CodedColumn& x, const Cover& cover) {
    std::vector<std::uint64_t> order;  // value, then place among the covered rows
    order.reserve(cover.rows.size());
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        const auto code = x.code[static_cast<std::size_t>(cover.rows[i])];
        if (code >= 0) order.push_back(static_cast<std::uint64_t>(code) << 32 | i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Slot<Cell>> slots;
    slots.reserve(order.size());
    for (const std::uint64_t key : order) {
        const auto code = static_cast<std::int32_t>(key >> 32);
        const auto i = static_cast<std::size_t>(key & 0xFFFFFFFFULL);
        if (slots.empty() || slots.back().code != code) slots.push_back({code, {}});
        slots.back().cell.add(cover.own[i] != 0, weight_at(cover, i));
    }
    return slots;
}

bool enough(Weights kept, const Growth& growth) noexcept {
    return kept.own + kept.other >= growth.least;
}

template <class Cell>
Best best_cut(std::int32_t column, const std::vector<Slot<Cell>>& slots, const Worth& worth,
              const Growth& growth) {
    Weights known;
    for (const auto& slot : slots) {
        const Weights here = slot.cell.weights();
        known.own += here.own;
        known.other += here.other;
    }
    Best below;
    Best above;
    Weights run;
    for (std::size_t s = 0; s + 1 < slots.size(); ++s) {
        const Weights here = slots[s].cell.weights();
        const Weights next = slots[s + 1].cell.weights();
        run.own += here.own;
        run.other += here.other;
        const Weights rest{std::max(known.own - run.own, 0.0),
                           std::max(known.other - run.other, 0.0)};
        // Between two values of one class a cut is never the best: both gains rise with what is
        // kept of the class and fall with what is kept of the others.
        const bool to_others = here.own > 0 && next.other > 0;
        const bool to_own = here.other > 0 && next.own > 0;
        const std::int32_t code = slots[s].code;
        if ((to_others || growth.least > 1) && enough(run, growth) &&
            worth.better(run, below.gain)) {
            below.test = {column, Relation::at_most, code};
        }
        if ((to_own || growth.least > 1) && enough(rest, growth) &&
            worth.better(rest, above.gain)) {
            above.test = {column, Relation::above, code};
        }
    }
    return above.gain > below.gain ? above : below;
}

template <class Cell>
Best best_value(std::int32_t column, const std::vector<Slot<Cell>>& slots, const Worth& worth,
                const Growth& growth) {
    Best best;
    for (const auto& slot : slots) {
        const Weights kept = slot.cell.weights();
        if (enough(kept, growth) && worth.better(kept, best.gain)) {
            best.test = {column, Relation::is, slot.code};
        }
    }
    return best;
}

template <class Cell>
Best best_of(std::size_t column, const CodedColumn& x, bool numeric, const Cover& cover,
             const Worth& worth, const Growth& growth) {
    const auto slots =
        x.values > crowded * cover.rows.size() ? sorted<Cell>(x, cover) : tabled<Cell>(x, cover);
    const auto number = static_cast<std::int32_t>(column);
    return numeric ? best_cut(number, slots, worth, growth)
                   : best_value(number, slots, worth, growth);
}

Weights covered(const Cover& cover) noexcept {
    Weights sums;
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        (cover.own[i] ? sums.own : sums.other) += weight_at(cover, i);
    }
    return sums;
}

Cover all_of(const Field& field) {
    Cover cover;
    cover.rows.assign(field.rows.begin(), field.rows.end());
    for (const auto row : field.rows) {
        cover.own.push_back(field.own[static_cast<std::size_t>(row)]);
        if (!field.weight.empty()) {
            cover.weight.push_back(field.weight[static_cast<std::size_t>(row)]);
        }
    }
    return cover;
}

void keep(Cover& cover, const CodedColumn& x, const ColumnTest& test) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cover.rows.size(); ++i) {
        if (!test.holds(x.code[static_cast<std::size_t>(cover.rows[i])])) continue;
        cover.rows[kept] = cover.rows[i];
        cover.own[kept] = cover.own[i];
        if (!cover.weight.empty()) cover.weight[kept] = cover.weight[i];
        ++kept;
    }
    cover.rows.resize(kept);
    cover.own.resize(kept);
    if (!cover.weight.empty()) cover.weight.resize(kept);
}

}  // namespace

std::vector<ColumnTest> grow_rule(std::span<const CodedColumn> columns,
                                  std::span<const std::uint8_t> numeric,
                                  std::span<const std::uint8_t> asked, const Field& field,
                                  std::span<const ColumnTest> first, const Growth& growth,
                                  std::size_t threads) {
    std::vector<ColumnTest> tests(first.begin(), first.end());
    Cover cover = all_of(field);
    for (const ColumnTest& test : tests) {
        keep(cover, columns[static_cast<std::size_t>(test.column)], test);
    }
    std::vector<Best> found(columns.size());
    while (tests.size() < growth.most) {
        const Weights now = covered(cover);
        if (!(now.own > 0) || !(now.other > 0)) break;
        const Worth worth(growth.gain, now);
        const std::size_t cells = cover.rows.size() * columns.size();
        for_each_task(columns.size(), cells < alone ? 1 : threads, [&](std::size_t j) {
            found[j] = {};
            if (!asked[j]) return;
            found[j] = cover.weight.empty()
                           ? best_of<Count>(j, columns[j], numeric[j] != 0, cover, worth, growth)
                           : best_of<Sum>(j, columns[j], numeric[j] != 0, cover, worth, growth);
        });
        const auto best =
            std::max_element(found.begin(), found.end(),
                             [](const Best& a, const Best& b) { return a.gain < b.gain; });
        if (best == found.end() || !(best->gain > 0)) break;
        tests.push_back(best->test);
        keep(cover, columns[static_cast<std::size_t>(best->test.column)], best->test);
    }
    return tests;
}

void first_failing(std::span<const CodedColumn> columns, std::span<const ColumnTest> tests,
                   std::span<const std::int32_t> rows, std::span<std::int32_t> depth) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(rows[i]);
        std::size_t t = 0;
        while (t < tests.size() &&
               tests[t].holds(columns[static_cast<std::size_t>(tests[t].column)].code[row])) {
            ++t;
        }
        depth[i] = static_cast<std::int32_t>(t);
    }
}

}  // namespace rulewright
