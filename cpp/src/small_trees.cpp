#include "small_trees.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <utility>

#include "clones.hpp"
#include "interruption.hpp"
#include "pair_counts.hpp"
#include "parallel.hpp"

namespace rulewright {

namespace {

// Marginal weights and least losses of the tests of one column, all in the order of its tests.
template <class Leaf>
struct TestLosses {
    using Count = typename Leaf::Count;
    using Loss = typename Leaf::Loss;

    const Count* held;  // class by class: weight on which a test holds
    std::size_t stride;
    Loss* holding;  // least losses of two leaves where the test holds, and where it does not
    Loss* other;
};

// Both of two classes; `both` has for each test of one column those of the other.
template <class Leaf>
RULEWRIGHT_INLINE void compare_two(const Leaf& leaf, const typename Leaf::Count* both,
                                   std::size_t plane, const typename Leaf::Count* total,
                                   const TestLosses<Leaf>& one, std::size_t tests,
                                   const TestLosses<Leaf>& other, std::size_t other_tests) {
    using Count = typename Leaf::Count;
    using Loss = typename Leaf::Loss;
    const Count* b0 = other.held;
    const Count* b1 = other.held + other.stride;
    Loss* const holding = other.holding;
    Loss* const apart = other.other;
    for (std::size_t s = 0; s < tests; ++s) {
        const Count* q0 = both + s * other_tests;
        const Count* q1 = q0 + plane;
        const Count a0 = one.held[s];
        const Count a1 = one.held[one.stride + s];
        const Count rest0 = total[0] - a0;
        const Count rest1 = total[1] - a1;
        Loss yes = one.holding[s];
        Loss no = one.other[s];
#pragma omp simd reduction(min : yes, no)
        for (std::size_t t = 0; t < other_tests; ++t) {
            const Count c0 = q0[t];
            const Count c1 = q1[t];
            const Count d0 = b0[t] - c0;
            const Count d1 = b1[t] - c1;
            const Loss e11 = leaf.of_two(c0, c1);
            const Loss e10 = leaf.of_two(a0 - c0, a1 - c1);
            const Loss e01 = leaf.of_two(d0, d1);
            const Loss e00 = leaf.of_two(rest0 - d0, rest1 - d1);
            const Loss with = e11 + e10;
            const Loss without = e01 + e00;
            yes = std::min(yes, with);
            no = std::min(no, without);
            holding[t] = std::min(holding[t], e11 + e01);
            apart[t] = std::min(apart[t], e10 + e00);
        }
        one.holding[s] = yes;
        one.other[s] = no;
    }
}

using NarrowLoss = ErrorLoss<std::int32_t>;
using WideLoss = ErrorLoss<std::int64_t>;

RULEWRIGHT_CLONES void compare_classes(const NarrowLoss& leaf, const std::int32_t* both,
                                       std::size_t plane, const std::int32_t* total,
                                       const TestLosses<NarrowLoss>& one, std::size_t tests,
                                       const TestLosses<NarrowLoss>& other,
                                       std::size_t other_tests) {
    compare_two(leaf, both, plane, total, one, tests, other, other_tests);
}

RULEWRIGHT_CLONES void compare_classes(const WideLoss& leaf, const std::int64_t* both,
                                       std::size_t plane, const std::int64_t* total,
                                       const TestLosses<WideLoss>& one, std::size_t tests,
                                       const TestLosses<WideLoss>& other, std::size_t other_tests) {
    compare_two(leaf, both, plane, total, one, tests, other, other_tests);
}

RULEWRIGHT_CLONES void compare_classes(const ImpurityLoss& leaf, const std::int32_t* both,
                                       std::size_t plane, const std::int32_t* total,
                                       const TestLosses<ImpurityLoss>& one, std::size_t tests,
                                       const TestLosses<ImpurityLoss>& other,
                                       std::size_t other_tests) {
    compare_two(leaf, both, plane, total, one, tests, other, other_tests);
}

// Least losses of two leaves on both sides of every test, over the pairs of columns that one thread
// compares.
template <class Leaf>
class PairLosses {
public:
    using Count = typename Leaf::Count;
    using Loss = typename Leaf::Loss;

    PairLosses(const PairCounts<Count>& counts, const Leaf& leaf) : counts_(counts), leaf_(leaf) {}

    void start(const std::vector<Loss>& holding, const std::vector<Loss>& other) {
        holding_ = holding;
        other_ = other;
    }

    void compare(std::size_t a, std::size_t b) {
        counts_.count(a, b, table_);
        if (counts_.classes() != 2) return compare_many(a, b);
        compare_classes(leaf_, table_.of_class(0), table_.plane, counts_.total().data(),
                        losses_of(a), counts_.local(a).tests, losses_of(b), counts_.local(b).tests);
    }

    void lower(std::vector<Loss>& holding, std::vector<Loss>& other) const {
        for (std::size_t t = 0; t < holding.size(); ++t) {
            holding[t] = std::min(holding[t], holding_[t]);
            other[t] = std::min(other[t], other_[t]);
        }
    }

private:
    TestLosses<Leaf> losses_of(std::size_t a) {
        const std::size_t first = counts_.local(a).first;
        return {counts_.held(0) + first, counts_.tests(), holding_.data() + first,
                other_.data() + first};
    }

    void compare_many(std::size_t a, std::size_t b) {
        const auto one = losses_of(a);
        const auto other = losses_of(b);
        const std::size_t tests = counts_.local(b).tests;
        for (auto& part : parts_) part.resize(tests);
        for (std::size_t s = 0; s < counts_.local(a).tests; ++s) {
            for (auto& part : parts_) part.clear();
            for (std::size_t k = 0; k < counts_.classes(); ++k)
                add_class(table_.of_class(k) + s * tests, one.held[k * one.stride + s],
                          other.held + k * other.stride, counts_.total()[k], tests);
            for (std::size_t t = 0; t < tests; ++t) {
                const Loss e11 = parts_[0].loss(leaf_, t);
                const Loss e10 = parts_[1].loss(leaf_, t);
                const Loss e01 = parts_[2].loss(leaf_, t);
                const Loss e00 = parts_[3].loss(leaf_, t);
                one.holding[s] = std::min(one.holding[s], e11 + e10);
                one.other[s] = std::min(one.other[s], e01 + e00);
                other.holding[t] = std::min(other.holding[t], e11 + e01);
                other.other[t] = std::min(other.other[t], e10 + e00);
            }
        }
    }

    // One of the four parts that a test and each of several others make.
    struct Part {
        std::vector<Count> sum;
        std::vector<Count> largest;
        std::vector<Loss> squares;

        void resize(std::size_t tests) {
            sum.resize(tests);
            largest.resize(tests);
            squares.resize(tests);
        }
        void clear() {
            std::ranges::fill(sum, Count{0});
            std::ranges::fill(largest, Count{0});
            std::ranges::fill(squares, Loss{0});
        }
        void add(std::size_t t, Count weight) {
            sum[t] += weight;
            largest[t] = std::max(largest[t], weight);
            if constexpr (Leaf::by_squares)
                squares[t] += static_cast<Loss>(weight) * static_cast<Loss>(weight);
        }
        Loss loss(const Leaf& leaf, std::size_t t) const {
            return leaf.of_many(sum[t], largest[t], squares[t]);
        }
    };

    void add_class(const Count* both, Count one, const Count* other, Count total,
                   std::size_t tests) {
        for (std::size_t t = 0; t < tests; ++t) {
            parts_[0].add(t, both[t]);
            parts_[1].add(t, one - both[t]);
            parts_[2].add(t, other[t] - both[t]);
            parts_[3].add(t, total - one - other[t] + both[t]);
        }
    }

    const PairCounts<Count>& counts_;
    Leaf leaf_;
    PairTable<Count> table_;
    std::vector<Loss> holding_;
    std::vector<Loss> other_;
    std::array<Part, 4> parts_;
};

// Least number of cells to count and of pairs of tests to compare for which threads pay.
constexpr std::size_t alone = std::size_t{1} << 18U;

template <class Leaf>
class CountedTrees final : public SmallTrees {
public:
    using Count = typename Leaf::Count;
    using Loss = typename Leaf::Loss;

    CountedTrees(const Cells& cells, const LeafLoss& loss, const Leaf& leaf, bool by_impurity,
                 std::size_t threads)
        : SmallTrees(cells, loss, by_impurity),
          counts_(cells),
          workers_(std::max<std::size_t>(threads, 1), PairLosses<Leaf>(counts_, leaf)) {}

    std::array<std::int64_t, max_leaves> losses(std::span<const std::int32_t> members) override {
        counts_.prepare(members);
        holding_.resize(counts_.tests());
        other_.resize(counts_.tests());
        for (std::size_t t = 0; t < counts_.tests(); ++t) {
            holding_[t] = static_cast<Loss>(leaf_of(t, true));
            other_[t] = static_cast<Loss>(leaf_of(t, false));
        }
        compare_all();
        return least();
    }

    void root_losses(std::vector<std::int64_t>& by_test) const override {
        by_test.assign(cells_.tests().size(), std::numeric_limits<std::int64_t>::max());
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            by_test[static_cast<std::size_t>(counts_.number(t))] = losses_with(t).back();
    }

protected:
    std::vector<std::int32_t> roots_with(std::int64_t loss, std::size_t leaves) const override {
        std::vector<std::int32_t> found;
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            if (losses_with(t)[leaves - 1] == loss) found.push_back(counts_.number(t));
        std::ranges::sort(found);
        return found;
    }

private:
    // Pairs of columns go to whichever thread is free: the lowest losses do not depend on it.
    void compare_all() {
        pairs_.clear();
        for (std::size_t a = 0; a < counts_.locals(); ++a) {
            if (counts_.local(a).tests > 1) pairs_.emplace_back(a, a);
            for (std::size_t b = a + 1; b < counts_.locals(); ++b) pairs_.emplace_back(a, b);
        }
        const std::size_t compared = counts_.tests() * counts_.tests() / 2;
        const bool many = counts_.members() * pairs_.size() + compared >= alone;
        const std::size_t workers = many ? workers_.size() : 1;
        std::atomic<std::size_t> next{0};
        for_each_task(workers, workers, [&](std::size_t w) {
            workers_[w].start(holding_, other_);
            for (std::size_t i = next++; i < pairs_.size(); i = next++)
                workers_[w].compare(pairs_[i].first, pairs_[i].second);
        });
        for (std::size_t w = 0; w < workers; ++w) workers_[w].lower(holding_, other_);
    }

    // Loss of a leaf where a test holds, or where it does not.
    std::int64_t leaf_of(std::size_t t, bool holds) const {
        return loss_(counts_.classes(), [&](std::size_t k) {
            const Count held = counts_.held(k)[t];
            return holds ? held : counts_.total()[k] - held;
        });
    }

    // Lowest losses of the trees with 1, 2, 3 and 4 leaves whose root is a test.
    std::array<std::int64_t, max_leaves> losses_with(std::size_t t) const {
        const std::int64_t yes = leaf_of(t, true);
        const std::int64_t no = leaf_of(t, false);
        const auto holding = static_cast<std::int64_t>(holding_[t]);
        const auto other = static_cast<std::int64_t>(other_[t]);
        return {all_as_leaf(), yes + no, std::min(yes + other, holding + no), holding + other};
    }

    std::int64_t all_as_leaf() const {
        return loss_(counts_.classes(), [&](std::size_t k) { return counts_.total()[k]; });
    }

    // Of equal losses the test of the lowest number.
    std::array<std::int64_t, max_leaves> least() {
        std::array<std::int64_t, max_leaves> best;
        best.fill(all_as_leaf());
        root_.fill(-1);
        for (std::size_t t = 0; t < counts_.tests(); ++t) {
            const auto found = losses_with(t);
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
    std::vector<PairLosses<Leaf>> workers_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
    std::vector<Loss> holding_;  // least losses of two leaves by test
    std::vector<Loss> other_;
};

// Differences below this share are rounding.
constexpr double rounding = 1e-9;
// Cells that are looked at to choose among trees of equal loss, at most.
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
    const std::int64_t loss = loss_(total.size(), [&](std::size_t k) { return total[k]; });
    return {loss, -1, impurity};
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
            const std::int64_t* yes = held.data() + t * classes;
            const std::int64_t loss =
                loss_(classes, [&](std::size_t k) { return yes[k]; }) +
                loss_(classes, [&](std::size_t k) { return total[k] - yes[k]; });
            if (loss > best.loss || (loss == best.loss && best.test < 0)) continue;
            const double impurity =
                impurity_of(classes, [&](std::size_t k) { return yes[k]; }) +
                impurity_of(classes, [&](std::size_t k) { return total[k] - yes[k]; });
            if (loss < best.loss || is_purer(impurity, best.impurity))
                best = {loss, static_cast<std::int32_t>(cells_.first_test(j) + t), impurity};
        }
    }
    return best;
}

Preorder SmallTrees::tree(std::span<const std::int32_t> members, std::size_t leaves) {
    if (leaves == 1) return {-1};
    const auto found = losses(members);
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

// The best tree with a test at its root, which has this loss.
SmallTrees::RootedTree SmallTrees::rooted(std::span<const std::int32_t> members, std::int32_t root,
                                          std::size_t leaves, std::int64_t loss) const {
    Members holding;
    Members others;
    cells_.divide(members, cells_.tests()[static_cast<std::size_t>(root)], holding, others);
    BestSplit yes = best_split(holding);
    BestSplit no = best_split(others);
    if (leaves == 3) {  // one side stays a leaf
        const BestSplit one = leaf(holding);
        const BestSplit other = leaf(others);
        const bool first = yes.loss + other.loss == loss;
        const bool second = one.loss + no.loss == loss;
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

std::unique_ptr<SmallTrees> small_trees_of(const Cells& cells, const LeafLoss& loss,
                                           bool by_impurity, std::size_t threads) {
    if (loss.impurity > 0) {
        const ImpurityLoss leaf = {static_cast<double>(loss.error),
                                   static_cast<double>(loss.impurity)};
        return std::make_unique<CountedTrees<ImpurityLoss>>(cells, loss, leaf, by_impurity,
                                                            threads);
    }
    if (is_narrow(cells))
        return std::make_unique<CountedTrees<NarrowLoss>>(cells, loss, NarrowLoss{}, by_impurity,
                                                          threads);
    return std::make_unique<CountedTrees<WideLoss>>(cells, loss, WideLoss{}, by_impurity, threads);
}

}  // namespace rulewright
