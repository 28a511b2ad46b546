#include "pruning.hpp"

#include <nanobind/stl/vector.h>

#include <array>
#include <utility>

#include "arrays.hpp"
#include "confidence.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Doubles = Vector<const double>;
using Numbers = Vector<const std::int32_t>;
using Codes = std::vector<Numbers>;

// Checks the ranges of the parts of each node.
void need_bounds(std::span<const std::int32_t> bounds, std::size_t nodes, std::size_t end) {
    need(bounds.size() == nodes + 1, "ranges must have one start per node, and the end");
    need(bounds.front() == 0 && static_cast<std::size_t>(bounds.back()) == end,
         "ranges must cover all parts");
    for (std::size_t i = 0; i < nodes; ++i)
        need(bounds[i] <= bounds[i + 1], "ranges must be in order");
}

// Every node except the root must be the child of exactly one node with a lower number.
void need_tree(const TreeArrays& tree) {
    std::vector<bool> seen(tree.size(), false);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        for (const auto child : tree.children(static_cast<Node>(i))) {
            const auto c = static_cast<std::size_t>(child);
            need(child >= 0 && c < tree.size() && c > i && !seen[c],
                 "children must come after their parent");
            seen[c] = true;
        }
    }
}

void need_test(const TreeArrays& tree, Node node, std::size_t numeric, std::size_t columns) {
    const auto i = TreeArrays::at(node);
    const Kind test = tree.test(node);
    const auto branches = static_cast<std::int32_t>(tree.children(node).size());
    need(test >= Kind::leaf && test <= Kind::present, "the kind of a node is not valid");
    need((test == Kind::leaf) == (branches == 0), "splits and no other nodes must have branches");
    if (test == Kind::leaf) return;
    const auto column = static_cast<std::size_t>(tree.column[i]);
    const bool by_category = test == Kind::subset || test == Kind::multiway;
    need(tree.column[i] >= 0 && column < columns, "the column of a node is out of range");
    need(test == Kind::present || by_category == (column >= numeric),
         "the test of a node must suit its column");
    need(by_category || branches == 2, "two branches");
    need(tree.missing[i] >= all_branches && tree.missing[i] < branches, "a branch is out of range");
    need(tree.largest[i] >= 0 && tree.largest[i] < branches, "a branch is out of range");
    for (const auto branch : tree.branch_of_code(node))
        need(branch < branches, "a branch is out of range");
}

// A tree with the arrays that hold it.
class Tree {
public:
    Tree(Vector<const std::int8_t> kind, Numbers column, Doubles low, Doubles high, Numbers missing,
         Numbers largest, Numbers start, Numbers branches, Numbers table_start, Numbers branch_of,
         Matrix<const double> weight)
        : kind_(std::move(kind)),
          weight_(std::move(weight)),
          bounds_{std::move(low), std::move(high)},
          numbers_{std::move(column),   std::move(missing),  std::move(largest),
                   std::move(start),    std::move(branches), std::move(table_start),
                   std::move(branch_of)} {
        const std::size_t n = kind_.shape(0);
        need(n > 0 && weight_.shape(1) > 0, "there must be a root and a class");
        need(weight_.shape(0) == n, "weights must have one line per node");
        need_weights(all_of(weight_));
        for (const auto& a : bounds_)
            need(a.shape(0) == n, "the arrays must have one entry per node");
        for (int i = 0; i < 3; ++i)
            need(numbers_[i].shape(0) == n, "the arrays must have one entry per node");
        need_bounds(span_of(numbers_[3]), n, numbers_[4].shape(0));
        need_bounds(span_of(numbers_[5]), n, numbers_[6].shape(0));
        need_tree(arrays());
    }

    TreeArrays arrays() const {
        return {span_of(kind_),
                span_of(numbers_[0]),
                span_of(bounds_[0]),
                span_of(bounds_[1]),
                span_of(numbers_[1]),
                span_of(numbers_[2]),
                span_of(numbers_[3]),
                span_of(numbers_[4]),
                span_of(numbers_[5]),
                span_of(numbers_[6]),
                {weight_.data(), weight_.size()},
                weight_.shape(1)};
    }

private:
    Vector<const std::int8_t> kind_;
    Matrix<const double> weight_;
    std::array<Doubles, 2> bounds_;
    std::array<Numbers, 7> numbers_;
};

// Rows with the spans that refer to them.
struct PruningData {
    std::vector<Column> numeric;
    std::vector<std::span<const std::int32_t>> codes;
    Rows rows;

    PruningData(const TreeArrays& tree, const Columns& numbers, const Codes& categories,
                const Numbers& label, const Doubles& weight)
        : numeric(columns_of(numbers, label.shape(0))) {
        for (const auto& a : categories) {
            need(a.shape(0) == label.shape(0), "columns must have the same length");
            codes.push_back(span_of(a));
        }
        need(weight.shape(0) == label.shape(0), "weight must have one number per row");
        need_weights(span_of(weight));
        need_below(span_of(label), tree.classes, "class");
        for (std::size_t i = 0; i < tree.size(); ++i) {
            need_test(tree, static_cast<Node>(i), numeric.size(), numeric.size() + codes.size());
        }
        rows = {numeric, codes, span_of(label), span_of(weight)};
    }

    PruningData(const PruningData&) = delete;
    PruningData& operator=(const PruningData&) = delete;
};

Pruned pruned_of(const TreeArrays& tree, const Vector<std::int32_t>& instead,
                 const Vector<std::int32_t>& leaf, const Matrix<double>& weight) {
    need(instead.shape(0) == tree.size() && leaf.shape(0) == tree.size() &&
             weight.shape(0) == tree.size() && weight.shape(1) == tree.classes,
         "the outputs must have one entry per node");
    return {span_of(instead), span_of(leaf), {weight.data(), weight.size()}, tree.classes};
}

void prune_pessimistic(const Tree& tree, const Columns& numeric, const Codes& codes, Numbers label,
                       Doubles weight, double confidence, double deviations, bool raising,
                       Vector<std::int32_t> instead, Vector<std::int32_t> leaf,
                       Matrix<double> weights) {
    const TreeArrays arrays = tree.arrays();
    const PruningData table(arrays, numeric, codes, label, weight);
    const Pruned pruned = pruned_of(arrays, instead, leaf, weights);
    const PessimisticEstimate estimate = pessimistic_estimate_of(confidence, deviations);
    unlocked([&] { rulewright::prune_pessimistic(arrays, table.rows, estimate, raising, pruned); });
}

void prune_reduced_error(const Tree& tree, const Columns& numeric, const Codes& codes,
                         Numbers label, Doubles weight, bool raising, Vector<std::int32_t> instead,
                         Vector<std::int32_t> leaf, Matrix<double> weights) {
    const TreeArrays arrays = tree.arrays();
    const PruningData table(arrays, numeric, codes, label, weight);
    const Pruned pruned = pruned_of(arrays, instead, leaf, weights);
    unlocked([&] { rulewright::prune_reduced_error(arrays, table.rows, raising, pruned); });
}

}  // namespace

void bind_pruning(nb::module_& m) {
    nb::class_<Tree>(m, "Tree").def(
        nb::init<Vector<const std::int8_t>, Numbers, Doubles, Doubles, Numbers, Numbers, Numbers,
                 Numbers, Numbers, Numbers, Matrix<const double>>(),
        "kind"_a.noconvert(), "column"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
        "missing"_a.noconvert(), "largest"_a.noconvert(), "start"_a.noconvert(),
        "branches"_a.noconvert(), "table_start"_a.noconvert(), "branch_of"_a.noconvert(),
        "weight"_a.noconvert());
    m.def("prune_pessimistic", &prune_pessimistic, "tree"_a, "numeric"_a, "codes"_a,
          "label"_a.noconvert(), "weight"_a.noconvert(), "confidence"_a, "deviations"_a,
          "raising"_a, "instead"_a.noconvert(), "leaf"_a.noconvert(), "weights"_a.noconvert());
    m.def("prune_reduced_error", &prune_reduced_error, "tree"_a, "numeric"_a, "codes"_a,
          "label"_a.noconvert(), "weight"_a.noconvert(), "raising"_a, "instead"_a.noconvert(),
          "leaf"_a.noconvert(), "weights"_a.noconvert());
}

}  // namespace rulewright::bindings
