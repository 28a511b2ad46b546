#include "small_trees.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "clones.hpp"
#include "interruption.hpp"
#include "pair_counts.hpp"

namespace rulewright {

namespace {

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
class CountedTrees final : public SmallTrees {
public:
    CountedTrees(const Cells& cells, bool by_impurity)
        : SmallTrees(cells, by_impurity), counts_(cells) {}

    std::array<std::int64_t, max_leaves> errors(std::span<const std::int32_t> members) override {
        counts_.prepare(members);
        holding_.resize(counts_.tests());
        other_.resize(counts_.tests());
        for (std::size_t t = 0; t < counts_.tests(); ++t) {
            holding_[t] = counts_.leaf_of(t, true);
            other_[t] = counts_.leaf_of(t, false);
        }
        counts_.for_each_pair([this](std::size_t a, std::size_t b) { compare(a, b); },
                              [](std::size_t) { return true; });
        return least();
    }

    void root_errors(std::vector<std::int64_t>& by_test) const override {
        by_test.assign(cells_.tests().size(), std::numeric_limits<std::int64_t>::max());
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            by_test[static_cast<std::size_t>(counts_.number(t))] = holding_[t] + other_[t];
    }

protected:
    std::vector<std::int32_t> roots_with(std::int64_t errors, std::size_t leaves) const override {
        std::vector<std::int32_t> found;
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            if (errors_with(t)[leaves - 1] == errors) found.push_back(counts_.number(t));
        std::ranges::sort(found);
        return found;
    }

private:
    TestErrors<Count> errors_of(std::size_t a) {
        const std::size_t first = counts_.local(a).first;
        return {counts_.held(0) + first, counts_.tests(), holding_.data() + first,
                other_.data() + first};
    }

    void compare(std::size_t a, std::size_t b) {
        if (counts_.classes() != 2) return compare_many(a, b);
        const auto one = errors_of(a);
        const auto other = errors_of(b);
        if constexpr (sizeof(Count) == 4)
            compare_narrow(counts_.both(0), counts_.plane(), counts_.total().data(), one,
                           counts_.local(a).tests, other, counts_.local(b).tests);
        else
            compare_wide(counts_.both(0), counts_.plane(), counts_.total().data(), one,
                         counts_.local(a).tests, other, counts_.local(b).tests);
    }

    void compare_many(std::size_t a, std::size_t b) {
        const auto one = errors_of(a);
        const auto other = errors_of(b);
        const std::size_t tests = counts_.local(b).tests;
        for (auto& part : part_) part.resize(tests);
        for (auto& part : largest_) part.resize(tests);
        for (std::size_t s = 0; s < counts_.local(a).tests; ++s) {
            for (auto& part : part_) std::ranges::fill(part, Count{0});
            for (auto& part : largest_) std::ranges::fill(part, Count{0});
            for (std::size_t k = 0; k < counts_.classes(); ++k)
                add_class(counts_.both(k) + s * tests, one.held[k * one.stride + s],
                          other.held + k * other.stride, counts_.total()[k], tests);
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

    // Fewest errors of the trees with 1, 2, 3 and 4 leaves whose root is a test.
    std::array<std::int64_t, max_leaves> errors_with(std::size_t t) const {
        const Count yes = counts_.leaf_of(t, true);
        const Count no = counts_.leaf_of(t, false);
        return {leaf_errors(), yes + no, std::min(yes + other_[t], holding_[t] + no),
                holding_[t] + other_[t]};
    }

    Count leaf_errors() const {
        Count sum = 0;
        Count largest = 0;
        for (const Count weight : counts_.total()) {
            sum += weight;
            largest = std::max(largest, weight);
        }
        return sum - largest;
    }

    // Of equal errors the test of the lowest number.
    std::array<std::int64_t, max_leaves> least() {
        std::array<std::int64_t, max_leaves> best;
        best.fill(leaf_errors());
        root_.fill(-1);
        for (std::size_t t = 0; t < counts_.tests(); ++t) {
            const auto found = errors_with(t);
            for (std::size_t s = 1; s < max_leaves; ++s) {
                const bool better = found[s] < best[s];
                const bool earlier =
                    found[s] == best[s] && root_[s] >= 0 && counts_.number(t) < root_[s];
                if (!better && !earlier) continue;
                best[s] = found[s];
                root_[s] = counts_.number(t);
            }
        }
        return best;
    }

    PairCounts<Count> counts_;
    std::vector<Count> holding_;  // least errors of two leaves by test
    std::vector<Count> other_;
    std::array<std::vector<Count>, 4> part_;
    std::array<std::vector<Count>, 4> largest_;
};

// Differences below this share are rounding.
constexpr double rounding = 1e-9;
// Cells that are looked at to choose among trees with equally few errors, at most.
constexpr std::size_t max_compared = std::size_t{1} << 30U;

std::vector<std::int64_t> class_weights(const Cells& cells, std::span<const std::int32_t> members) {
    std::vector<std::int64_t> found(cells.classes(), 0);
    for (const std::int32_t member : members) {
        const auto cell = static_cast<std::size_t>(member);
        found[static_cast<std::size_t>(cells.labels()[cell])] += cells.weights()[cell];
    }
    return found;
}

// Gini impurity of a leaf times its weight; `weight_of` gives the weight of a class.
template <class WeightOf>
double impurity_of(std::size_t classes, WeightOf&& weight_of) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
        const auto weight = static_cast<double>(weight_of(k));
        sum += weight;
        squares += weight * weight;
    }
    return sum > 0.0 ? sum - squares / sum : 0.0;
}

}  // namespace

struct SmallTrees::RootedTree {
    Preorder nodes;
    double impurity;
};

bool SmallTrees::is_purer(double one, double other) const {
    return by_impurity_ && one < other * (1.0 - rounding);
}

BestSplit SmallTrees::leaf(std::span<const std::int32_t> members) const {
    const auto total = class_weights(cells_, members);
    const double impurity = impurity_of(total.size(), [&](std::size_t k) { return total[k]; });
    return {cells_.leaf_errors(members), -1, impurity};
}

BestSplit SmallTrees::best_split(std::span<const std::int32_t> members) const {
    const std::size_t classes = cells_.classes();
    BestSplit best = leaf(members);
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> held;
    const auto total = class_weights(cells_, members);
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
            if (errors > best.errors || (errors == best.errors && best.test < 0)) continue;
            const std::int64_t* yes = held.data() + t * classes;
            const double impurity =
                impurity_of(classes, [&](std::size_t k) { return yes[k]; }) +
                impurity_of(classes, [&](std::size_t k) { return total[k] - yes[k]; });
            if (errors < best.errors || is_purer(impurity, best.impurity))
                best = {errors, static_cast<std::int32_t>(cells_.first_test(j) + t), impurity};
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
    if (size == 2) return {best_split(members).test, -1, -1};
    std::vector<std::int32_t> roots = {root_[size - 1]};
    if (by_impurity_) roots = roots_with(found[size - 1], size);
    const std::size_t cells = std::max<std::size_t>(members.size() * cells_.columns(), 1);
    roots.resize(std::min(roots.size(), std::max<std::size_t>(max_compared / cells, 1)));
    RootedTree best = rooted(members, roots[0], size, found[size - 1]);
    for (std::size_t i = 1; i < roots.size(); ++i) {
        RootedTree other = rooted(members, roots[i], size, found[size - 1]);
        if (is_purer(other.impurity, best.impurity)) best = std::move(other);
    }
    return best.nodes;
}

// The best tree with a test at its root, which has this number of errors.
SmallTrees::RootedTree SmallTrees::rooted(std::span<const std::int32_t> members, std::int32_t root,
                                          std::size_t leaves, std::int64_t errors) const {
    Members holding;
    Members others;
    cells_.divide(members, cells_.tests()[static_cast<std::size_t>(root)], holding, others);
    BestSplit yes = best_split(holding);
    BestSplit no = best_split(others);
    if (leaves == 3) {  // one side stays a leaf
        const BestSplit one = leaf(holding);
        const BestSplit other = leaf(others);
        const bool first = yes.errors + other.errors == errors;
        const bool second = one.errors + no.errors == errors;
        const bool purer = is_purer(one.impurity + no.impurity, yes.impurity + other.impurity);
        if (first && !(second && purer))
            no = other;
        else
            yes = one;
    }
    Preorder tree = {root};
    for (const BestSplit& side : {yes, no}) {
        tree.push_back(side.test);
        if (side.test >= 0) tree.insert(tree.end(), 2, -1);
    }
    return {std::move(tree), yes.impurity + no.impurity};
}

std::unique_ptr<SmallTrees> small_trees_of(const Cells& cells, bool by_impurity) {
    if (is_narrow(cells)) return std::make_unique<CountedTrees<std::int32_t>>(cells, by_impurity);
    return std::make_unique<CountedTrees<std::int64_t>>(cells, by_impurity);
}

}  // namespace rulewright
