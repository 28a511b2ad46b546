#include "small_trees.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>

#include "clones.hpp"
#include "interruption.hpp"

namespace rulewright {

namespace {

constexpr std::size_t max_packed = 4;

// A column as some cells have it: only values that occur, or several columns of two values.
struct LocalColumn {
    std::size_t width = 0;   // values, missing included
    std::size_t values = 0;  // without missing
    std::size_t bases = 0;
    std::size_t packed = 0;  // number of columns of two values; 0 for a column by itself
    bool ordered = false;
    bool missing = false;
    std::size_t first = 0;  // place of its tests
    std::size_t tests = 0;
};

// Sums over the values of each test; a value or test is `stride` numbers.
template <class Count>
void sums_of_tests(const LocalColumn& column, const Count* of_values, std::size_t stride,
                   Count* of_tests) {
    const auto add = [stride](Count* to, const Count* from) {
        for (std::size_t i = 0; i < stride; ++i) to[i] += from[i];
    };
    std::fill_n(of_tests, column.tests * stride, Count{0});
    if (column.packed > 0) {
        for (std::size_t value = 0; value < column.width; ++value)
            for (std::size_t bit = 0; bit < column.packed; ++bit)
                if ((value >> bit & 1U) != 0)
                    add(of_tests + bit * stride, of_values + value * stride);
        return;
    }
    const std::size_t bases = column.bases;
    for (std::size_t base = 0; base < bases; ++base) {
        Count* sum = of_tests + base * stride;
        if (column.ordered && base > 0) std::copy_n(sum - stride, stride, sum);
        add(sum, of_values + base * stride);
    }
    if (!column.missing) return;
    const Count* missing = of_values + column.values * stride;
    for (std::size_t base = 0; base < bases; ++base) {
        Count* sum = of_tests + (bases + base) * stride;
        std::copy_n(of_tests + base * stride, stride, sum);
        add(sum, missing);
    }
    add(of_tests + 2 * bases * stride, missing);
}

// The same where a value is one number.
template <class Count>
RULEWRIGHT_INLINE void sums_of_tests(const LocalColumn& column, const Count* of_values,
                                     Count* of_tests) {
    if (column.packed > 0) return sums_of_tests(column, of_values, 1, of_tests);
    const std::size_t bases = column.bases;
    if (column.ordered) {
        Count sum = 0;
        for (std::size_t base = 0; base < bases; ++base) {
            sum += of_values[base];
            of_tests[base] = sum;
        }
    } else {
        std::copy_n(of_values, bases, of_tests);
    }
    if (!column.missing) return;
    const Count missing = of_values[column.values];
    for (std::size_t base = 0; base < bases; ++base)
        of_tests[bases + base] = of_tests[base] + missing;
    of_tests[2 * bases] = missing;
}

// Marginal and least errors of the tests of one column, all of them in the order of its tests.
template <class Count>
struct TestErrors {
    const Count* held;  // class by class: weight on which a test holds
    std::size_t stride;
    Count* holding;  // least errors of two leaves where the test holds, and where it does not
    Count* other;
};

// Both of two classes; `both` has for each test of one column those of the other.
template <class Count>
RULEWRIGHT_INLINE void compare_two(const Count* both, std::size_t plane, const Count* total,
                                   const TestErrors<Count>& one, std::size_t tests,
                                   const TestErrors<Count>& other, std::size_t other_tests) {
    const Count* b0 = other.held;
    const Count* b1 = other.held + other.stride;
    Count* const holding = other.holding;
    Count* const apart = other.other;
    for (std::size_t s = 0; s < tests; ++s) {
        const Count* q0 = both + s * other_tests;
        const Count* q1 = q0 + plane;
        const Count a0 = one.held[s];
        const Count a1 = one.held[one.stride + s];
        const Count rest0 = total[0] - a0;
        const Count rest1 = total[1] - a1;
        Count yes = one.holding[s];
        Count no = one.other[s];
#pragma omp simd reduction(min : yes, no)
        for (std::size_t t = 0; t < other_tests; ++t) {
            const Count c0 = q0[t];
            const Count c1 = q1[t];
            const Count d0 = b0[t] - c0;
            const Count d1 = b1[t] - c1;
            const Count e11 = std::min(c0, c1);
            const Count e10 = std::min(a0 - c0, a1 - c1);
            const Count e01 = std::min(d0, d1);
            const Count e00 = std::min(rest0 - d0, rest1 - d1);
            const Count with = e11 + e10;
            const Count without = e01 + e00;
            yes = std::min(yes, with);
            no = std::min(no, without);
            holding[t] = std::min(holding[t], e11 + e01);
            apart[t] = std::min(apart[t], e10 + e00);
        }
        one.holding[s] = yes;
        one.other[s] = no;
    }
}

RULEWRIGHT_CLONES void compare_narrow(const std::int32_t* both, std::size_t plane,
                                      const std::int32_t* total,
                                      const TestErrors<std::int32_t>& one, std::size_t tests,
                                      const TestErrors<std::int32_t>& other,
                                      std::size_t other_tests) {
    compare_two(both, plane, total, one, tests, other, other_tests);
}

RULEWRIGHT_CLONES void compare_wide(const std::int64_t* both, std::size_t plane,
                                    const std::int64_t* total, const TestErrors<std::int64_t>& one,
                                    std::size_t tests, const TestErrors<std::int64_t>& other,
                                    std::size_t other_tests) {
    compare_two(both, plane, total, one, tests, other, other_tests);
}

template <class Count>
class Counter final : public SmallTrees {
public:
    explicit Counter(const Cells& cells) : SmallTrees(cells) {
        for (const std::int64_t weight : cells.weights())
            weights_.push_back(static_cast<Count>(weight));
    }

    std::array<std::int64_t, max_leaves> errors(std::span<const std::int32_t> members) override {
        prepare(members);
        for (std::size_t a = 0; a < locals_.size(); ++a) {
            count_alone(a);
            for (std::size_t b = a + 1; b < locals_.size(); ++b) {
                count_together(a, b);
                compare(a, b);
            }
        }
        return least();
    }

    void root_errors(std::vector<std::int64_t>& by_test) const override {
        by_test.assign(cells_.tests().size(), std::numeric_limits<std::int64_t>::max());
        for (std::size_t t = 0; t < number_.size(); ++t)
            by_test[static_cast<std::size_t>(number_[t])] = holding_[t] + other_[t];
    }

private:
    static constexpr Count none = std::numeric_limits<Count>::max() / 4;

    void prepare(std::span<const std::int32_t> members) {
        const std::size_t n = members.size();
        label_.resize(n);
        weight_.resize(n);
        total_.assign(cells_.classes(), 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto cell = static_cast<std::size_t>(members[i]);
            label_[i] = static_cast<std::uint32_t>(cells_.labels()[cell]);
            weight_[i] = weights_[cell];
            total_[label_[i]] += weight_[i];
        }
        locals_.clear();
        codes_.clear();
        number_.clear();
        binary_.clear();
        for (std::size_t j = 0; j < cells_.columns(); ++j) {
            checkpoint(n);
            add_column(j, members);
        }
        pack_binary(members);
        const std::size_t tests = number_.size();
        held_.assign(cells_.classes() * tests, 0);
        holding_.assign(tests, none);
        other_.assign(tests, none);
        for (std::size_t a = 0; a < locals_.size(); ++a) weigh(a);
        for (std::size_t t = 0; t < tests; ++t) {
            holding_[t] = leaf_of(t, true);
            other_[t] = leaf_of(t, false);
        }
    }

    // Adds a column with those of its values that the members have, unless it is constant.
    void add_column(std::size_t column, std::span<const std::int32_t> members) {
        const auto code = cells_.codes(column);
        const std::size_t known = cells_.values(column);
        rank_.assign(known + 1, 0);
        for (const std::int32_t member : members) rank_[code[static_cast<std::size_t>(member)]] = 1;
        present_.clear();
        for (std::size_t value = 0; value <= known; ++value) {
            if (rank_[value] == 0) continue;
            rank_[value] = static_cast<std::uint16_t>(present_.size());
            present_.push_back(static_cast<std::int32_t>(value));
        }
        const bool missing = static_cast<std::size_t>(present_.back()) == known;
        const std::size_t width = present_.size();
        if (width < 2) return;
        const auto number = static_cast<std::int32_t>(column);
        if (width == 2) {
            const auto kind = TestKind::values;
            Test test = {number, present_[0], kind};
            if (missing) test = {number, -1, TestKind::missing};
            binary_.push_back(static_cast<std::int32_t>(cells_.number_of(test)));
            return;
        }
        LocalColumn local;
        local.width = width;
        local.values = width - (missing ? 1 : 0);
        local.ordered = cells_.ordered(column);
        local.missing = missing;
        local.first = number_.size();
        const std::size_t bases = cells_.bases_among(column, {present_.data(), local.values});
        local.bases = bases;
        local.tests = tests_of(bases, missing);
        for (std::size_t base = 0; base < bases; ++base)
            number_.push_back(numbered({number, present_[base], TestKind::values}));
        if (missing) {
            for (std::size_t base = 0; base < bases; ++base)
                number_.push_back(numbered({number, present_[base], TestKind::values_or_missing}));
            number_.push_back(numbered({number, -1, TestKind::missing}));
        }
        locals_.push_back(local);
        for (const std::int32_t member : members)
            codes_.push_back(rank_[code[static_cast<std::size_t>(member)]]);
    }

    std::int32_t numbered(const Test& test) const {
        return static_cast<std::int32_t>(cells_.number_of(test));
    }

    void pack_binary(std::span<const std::int32_t> members) {
        for (std::size_t begin = 0; begin < binary_.size(); begin += max_packed) {
            LocalColumn local;
            local.packed = std::min(max_packed, binary_.size() - begin);
            local.width = std::size_t{1} << local.packed;
            local.values = local.width;
            local.first = number_.size();
            local.tests = local.packed;
            const std::size_t start = codes_.size();
            codes_.resize(start + members.size(), 0);
            for (std::size_t bit = 0; bit < local.packed; ++bit) {
                const std::int32_t number = binary_[begin + bit];
                const Test& test = cells_.tests()[static_cast<std::size_t>(number)];
                const auto code = cells_.codes(static_cast<std::size_t>(test.column));
                number_.push_back(number);
                for (std::size_t i = 0; i < members.size(); ++i) {
                    const bool yes = cells_.holds(test, code[static_cast<std::size_t>(members[i])]);
                    codes_[start + i] |= static_cast<std::uint16_t>((yes ? 1U : 0U) << bit);
                }
            }
            locals_.push_back(local);
        }
    }

    const std::uint16_t* codes_of(std::size_t local) const {
        return codes_.data() + local * label_.size();
    }

    // Weights on which the tests of a column hold, class by class.
    void weigh(std::size_t a) {
        const LocalColumn& local = locals_[a];
        const std::uint16_t* code = codes_of(a);
        values_.assign(cells_.classes() * local.width, 0);
        for (std::size_t i = 0; i < label_.size(); ++i)
            values_[label_[i] * local.width + code[i]] += weight_[i];
        for (std::size_t k = 0; k < cells_.classes(); ++k)
            sums_of_tests(local, values_.data() + k * local.width,
                          held_.data() + k * number_.size() + local.first);
    }

    // Errors of a leaf where a test holds, or where it does not.
    Count leaf_of(std::size_t t, bool holds) const {
        Count sum = 0;
        Count largest = 0;
        for (std::size_t k = 0; k < cells_.classes(); ++k) {
            const Count held = held_[k * number_.size() + t];
            const Count weight = holds ? held : total_[k] - held;
            sum += weight;
            largest = std::max(largest, weight);
        }
        return sum - largest;
    }

    // Pairs of tests of one column.
    void count_alone(std::size_t a) {
        const LocalColumn& local = locals_[a];
        if (local.tests < 2) return;
        const std::uint16_t* code = codes_of(a);
        clear_table(local.width, local.width);
        for (std::size_t i = 0; i < label_.size(); ++i)
            table_[(label_[i] * local.width + code[i]) * local.width + code[i]] += weight_[i];
        sum_table(a, a);
        compare(a, a);
    }

    void count_together(std::size_t a, std::size_t b) {
        const std::size_t width = locals_[b].width;
        const std::size_t n = label_.size();
        checkpoint(n + locals_[a].tests * locals_[b].tests);
        clear_table(locals_[a].width, width);
        const std::uint16_t* one = codes_of(a);
        const std::uint16_t* other = codes_of(b);
        const auto rows = static_cast<std::uint32_t>(locals_[a].width);
        const auto columns = static_cast<std::uint32_t>(width);
        for (std::size_t i = 0; i < n; ++i)
            table_[(label_[i] * rows + one[i]) * columns + other[i]] += weight_[i];
        sum_table(a, b);
    }

    void clear_table(std::size_t rows, std::size_t columns) {
        table_.assign(cells_.classes() * rows * columns, 0);
    }

    // From values by values to tests by tests.
    void sum_table(std::size_t a, std::size_t b) {
        const LocalColumn& one = locals_[a];
        const LocalColumn& other = locals_[b];
        rows_.resize(one.tests * other.width);
        plane_ = one.tests * other.tests;
        both_.resize(cells_.classes() * plane_);
        for (std::size_t k = 0; k < cells_.classes(); ++k) {
            sums_of_tests(one, table_.data() + k * one.width * other.width, other.width,
                          rows_.data());
            for (std::size_t s = 0; s < one.tests; ++s)
                sums_of_tests(other, rows_.data() + s * other.width,
                              both_.data() + k * plane_ + s * other.tests);
        }
    }

    TestErrors<Count> errors_of(std::size_t a) {
        const std::size_t first = locals_[a].first;
        return {held_.data() + first, number_.size(), holding_.data() + first,
                other_.data() + first};
    }

    void compare(std::size_t a, std::size_t b) {
        if (cells_.classes() != 2) return compare_many(a, b);
        const auto one = errors_of(a);
        const auto other = errors_of(b);
        if constexpr (sizeof(Count) == 4)
            compare_narrow(both_.data(), plane_, total_.data(), one, locals_[a].tests, other,
                           locals_[b].tests);
        else
            compare_wide(both_.data(), plane_, total_.data(), one, locals_[a].tests, other,
                         locals_[b].tests);
    }

    void compare_many(std::size_t a, std::size_t b) {
        const auto one = errors_of(a);
        const auto other = errors_of(b);
        const std::size_t tests = locals_[b].tests;
        for (auto& part : part_) part.resize(tests);
        for (auto& part : largest_) part.resize(tests);
        for (std::size_t s = 0; s < locals_[a].tests; ++s) {
            for (auto& part : part_) std::ranges::fill(part, Count{0});
            for (auto& part : largest_) std::ranges::fill(part, Count{0});
            for (std::size_t k = 0; k < cells_.classes(); ++k)
                add_class(both_.data() + k * plane_ + s * tests, one.held[k * one.stride + s],
                          other.held + k * other.stride, total_[k], tests);
            for (std::size_t t = 0; t < tests; ++t) {
                const Count e11 = part_[0][t] - largest_[0][t];
                const Count e10 = part_[1][t] - largest_[1][t];
                const Count e01 = part_[2][t] - largest_[2][t];
                const Count e00 = part_[3][t] - largest_[3][t];
                one.holding[s] = std::min(one.holding[s], e11 + e10);
                one.other[s] = std::min(one.other[s], e01 + e00);
                other.holding[t] = std::min(other.holding[t], e11 + e01);
                other.other[t] = std::min(other.other[t], e10 + e00);
            }
        }
    }

    // Adds a class to the weight of each part that two tests make, and to its largest class.
    void add_class(const Count* both, Count one, const Count* other, Count total,
                   std::size_t tests) {
        for (std::size_t t = 0; t < tests; ++t) {
            const Count counts[] = {both[t], one - both[t], other[t] - both[t],
                                    total - one - other[t] + both[t]};
            for (std::size_t part = 0; part < 4; ++part) {
                part_[part][t] += counts[part];
                largest_[part][t] = std::max(largest_[part][t], counts[part]);
            }
        }
    }

    // Of equal errors the test of the lowest number.
    std::array<std::int64_t, max_leaves> least() {
        Count sum = 0;
        Count largest = 0;
        for (const Count weight : total_) {
            sum += weight;
            largest = std::max(largest, weight);
        }
        std::array<std::int64_t, max_leaves> best;
        best.fill(sum - largest);
        root_.fill(-1);
        for (std::size_t t = 0; t < number_.size(); ++t) {
            const Count yes = leaf_of(t, true);
            const Count no = leaf_of(t, false);
            const Count found[] = {sum - largest, yes + no,
                                   std::min(yes + other_[t], holding_[t] + no),
                                   holding_[t] + other_[t]};
            for (std::size_t s = 1; s < max_leaves; ++s) {
                const bool better = found[s] < best[s];
                const bool earlier = found[s] == best[s] && root_[s] >= 0 && number_[t] < root_[s];
                if (!better && !earlier) continue;
                best[s] = found[s];
                root_[s] = number_[t];
            }
        }
        return best;
    }

    std::vector<Count> weights_;
    std::vector<LocalColumn> locals_;
    std::vector<std::uint16_t> codes_;  // of all local columns, one after the other
    std::vector<std::int32_t> number_;  // of each local test among all tests
    std::vector<std::int32_t> binary_;
    std::vector<std::uint32_t> label_;
    std::vector<Count> weight_;
    std::vector<Count> total_;
    std::vector<Count> held_;     // by class, then test
    std::vector<Count> holding_;  // least errors of two leaves by test
    std::vector<Count> other_;
    std::vector<std::uint16_t> rank_;
    std::vector<std::int32_t> present_;
    std::vector<Count> values_;
    std::vector<Count> table_;
    std::vector<Count> rows_;
    std::vector<Count> both_;
    std::size_t plane_ = 0;
    std::array<std::vector<Count>, 4> part_;
    std::array<std::vector<Count>, 4> largest_;
};

}  // namespace

BestSplit SmallTrees::best_split(std::span<const std::int32_t> members) const {
    const std::size_t classes = cells_.classes();
    BestSplit best = {cells_.leaf_errors(members), -1};
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> held;
    std::vector<std::int64_t> total(classes, 0);
    for (const std::int32_t member : members) {
        const auto cell = static_cast<std::size_t>(member);
        total[static_cast<std::size_t>(cells_.labels()[cell])] += cells_.weights()[cell];
    }
    for (std::size_t j = 0; j < cells_.columns(); ++j) {
        checkpoint(members.size());
        LocalColumn column;
        column.values = cells_.values(j);
        column.bases = cells_.bases(j);
        column.ordered = cells_.ordered(j);
        column.missing = cells_.missing(j);
        column.width = column.values + 1;
        column.tests = tests_of(column.bases, column.missing);
        values.assign(column.width * classes, 0);
        held.resize(column.tests * classes);
        const auto code = cells_.codes(j);
        for (const std::int32_t member : members) {
            const auto cell = static_cast<std::size_t>(member);
            values[code[cell] * classes + static_cast<std::size_t>(cells_.labels()[cell])] +=
                cells_.weights()[cell];
        }
        sums_of_tests(column, values.data(), classes, held.data());
        for (std::size_t t = 0; t < column.tests; ++t) {
            std::int64_t right_yes = 0;
            std::int64_t right_no = 0;
            std::int64_t all = 0;
            for (std::size_t k = 0; k < classes; ++k) {
                const std::int64_t yes = held[t * classes + k];
                right_yes = std::max(right_yes, yes);
                right_no = std::max(right_no, total[k] - yes);
                all += total[k];
            }
            const std::int64_t errors = all - right_yes - right_no;
            if (errors < best.errors)
                best = {errors, static_cast<std::int32_t>(cells_.first_test(j) + t)};
        }
    }
    return best;
}

Preorder SmallTrees::tree(std::span<const std::int32_t> members, std::size_t leaves) {
    if (leaves == 1) return {-1};
    const auto found = errors(members);
    std::size_t size = std::min(leaves, max_leaves);
    while (size > 1 && found[size - 2] == found[size - 1]) --size;
    if (size == 1) return {-1};
    const std::int32_t root = root_[size - 1];
    if (size == 2) return {root, -1, -1};
    Members holding;
    Members others;
    cells_.divide(members, cells_.tests()[static_cast<std::size_t>(root)], holding, others);
    BestSplit yes = best_split(holding);
    BestSplit no = best_split(others);
    if (size == 3) {  // one side stays a leaf
        if (yes.errors + cells_.leaf_errors(others) == found[2])
            no.test = -1;
        else
            yes.test = -1;
    }
    Preorder tree = {root};
    for (const BestSplit& side : {yes, no}) {
        tree.push_back(side.test);
        if (side.test >= 0) tree.insert(tree.end(), 2, -1);
    }
    return tree;
}

std::unique_ptr<SmallTrees> small_trees_of(const Cells& cells) {
    if (cells.total() < std::int64_t{1} << 28)
        return std::make_unique<Counter<std::int32_t>>(cells);
    return std::make_unique<Counter<std::int64_t>>(cells);
}

}  // namespace rulewright
