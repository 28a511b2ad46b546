#include <algorithm>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "coded_cells.hpp"
#include "leaf_loss.hpp"
#include "modules.hpp"
#include "optimal_lists.hpp"
#include "optimal_trees.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

constexpr std::size_t max_classes = 1 << 16;
constexpr std::size_t max_table = std::size_t{1} << 28;  // counts of two columns and all classes

std::vector<TestColumn> coded_columns(const Matrix<const std::int32_t>& codes,
                                      const Vector<const std::int32_t>& values,
                                      const Vector<const std::uint8_t>& ordered) {
    need(values.shape(0) == codes.shape(0) && ordered.shape(0) == codes.shape(0),
         "values and marks must have one entry per column");
    need_marks(span_of(ordered));
    std::vector<TestColumn> columns;
    for (std::size_t j = 0; j < codes.shape(0); ++j) {
        const std::int32_t count = span_of(values)[j];
        static_assert(max_coded_values == 4096);
        need(1 <= count && static_cast<std::size_t>(count) <= max_coded_values,
             "a column must have from 1 to 4096 values", count);
        need_missing_or_below(row_of(codes, j), static_cast<std::size_t>(count), "code");
        columns.push_back({row_of(codes, j), count, span_of(ordered)[j] != 0});
    }
    return columns;
}

Cells cells_of(const Matrix<const std::int32_t>& codes, const Vector<const std::int32_t>& values,
               const Vector<const std::uint8_t>& ordered, const Vector<const std::int32_t>& label,
               const Vector<const std::int64_t>& weight, std::size_t classes) {
    const std::size_t rows = label.shape(0);
    need(rows > 0 && rows <= max_rows, "rows must be from 1 to 2^31 - 1");
    need(codes.shape(1) == rows && weight.shape(0) == rows,
         "codes, labels and weights must have one entry per row");
    need(classes >= 1 && classes <= max_classes, "classes must be from 1 to 65536");
    need_below(span_of(label), classes, "class");
    need_safe_sum(span_of(weight));
    need(std::ranges::min(span_of(weight)) >= 0 && std::ranges::max(span_of(weight)) > 0,
         "weights must be 0 or more, and one above 0");
    const auto columns = coded_columns(codes, values, ordered);
    std::size_t widest = 1;
    std::size_t tests = 1;
    for (const auto& column : columns) {
        const auto width = static_cast<std::size_t>(column.values) + 1;
        widest = std::max(widest, width);
        tests += 2 * width;
    }
    need(classes <= max_table / (widest * widest) && classes <= max_table / tests,
         "the number of classes times that of tests, or of pairs of values, must be at most 2^28");
    return unlocked([&] { return Cells(columns, span_of(label), span_of(weight), classes); });
}

SearchLimits search_limits_of(std::size_t max_subproblems, std::size_t max_memory, double seconds) {
    need(seconds >= 0.0, "seconds must be 0 or more");
    constexpr std::size_t most = std::size_t{1} << 62;
    return {max_subproblems, std::min(max_memory, most), seconds};
}

LeafLoss loss_of(const Cells& cells, std::int64_t error, std::int64_t impurity) {
    need(error >= 1 && impurity >= 0, "error must be at least 1, and impurity at least 0");
    need(impurity > 0 || error == 1, "error must be 1 where impurity is 0", error);
    const std::int64_t most = max_impurity_loss / cells.total();
    need(impurity == 0 || (impurity <= most / cells.total() && error <= most),
         "error and impurity times the total weight must be within 2^51");
    return {error, impurity};
}

TreeLimits limits_of(std::size_t max_depth, std::size_t max_leaves, std::size_t max_subproblems,
                     std::size_t max_memory, double seconds, const LeafLoss& loss, bool by_impurity,
                     std::size_t threads) {
    static_assert(max_optimal_depth == 8 && max_optimal_leaves == 64);
    need(max_depth <= max_optimal_depth, "max_depth must be at most 8");
    need(max_leaves >= 1 && max_leaves <= max_optimal_leaves, "max_leaves must be from 1 to 64");
    const auto search = search_limits_of(max_subproblems, max_memory, seconds);
    return {max_depth, max_leaves, search, loss, by_impurity, threads_of(threads)};
}

// Trees one after the other, and where each begins.
template <class Trees, class TreeOf>
std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> joined(const Trees& trees,
                                                                       TreeOf&& tree_of) {
    std::vector<std::int32_t> nodes;
    std::vector<std::int32_t> start = {0};
    for (const auto& each : trees) {
        const Preorder& tree = tree_of(each);
        nodes.insert(nodes.end(), tree.begin(), tree.end());
        start.push_back(static_cast<std::int32_t>(nodes.size()));
    }
    return {std::move(nodes), std::move(start)};
}

nb::tuple tests(const Cells& cells) {
    std::vector<std::int32_t> column;
    std::vector<std::int32_t> base;
    std::vector<std::int8_t> kind;
    for (const Test& test : cells.tests()) {
        column.push_back(test.column);
        base.push_back(test.base);
        kind.push_back(static_cast<std::int8_t>(test.kind));
    }
    return nb::make_tuple(array_of(std::move(column)), array_of(std::move(base)),
                          array_of(std::move(kind)));
}

nb::tuple trees(const Cells& cells, std::size_t max_depth, std::size_t max_leaves,
                std::size_t max_subproblems, std::size_t max_memory, double seconds,
                std::int64_t error, std::int64_t impurity, bool by_impurity, std::int64_t threads) {
    const auto limits = limits_of(max_depth, max_leaves, max_subproblems, max_memory, seconds,
                                  loss_of(cells, error, impurity), by_impurity, threads);
    auto found = unlocked([&] { return optimal_trees(cells, limits); });
    auto [nodes, start] =
        joined(found.trees, [](const Preorder& tree) -> const Preorder& { return tree; });
    return nb::make_tuple(array_of(std::move(found.losses)), array_of(std::move(found.lower)),
                          array_of(std::move(nodes)), array_of(std::move(start)), found.subproblems,
                          found.memory, found.stopped);
}

nb::tuple roots(const Cells& cells, std::int64_t max_loss, std::size_t max_depth,
                std::size_t max_leaves, std::size_t max_subproblems, std::size_t max_memory,
                double seconds, std::int64_t error, std::int64_t impurity, bool by_impurity,
                std::int64_t threads) {
    const auto limits = limits_of(max_depth, max_leaves, max_subproblems, max_memory, seconds,
                                  loss_of(cells, error, impurity), by_impurity, threads);
    const std::int64_t largest = (error + impurity) * cells.total();
    const std::int64_t most = std::clamp(max_loss, std::int64_t{-1}, largest);
    const auto found = unlocked([&] { return root_choices(cells, limits, most); });
    std::vector<std::int64_t> losses;
    for (const RootChoice& choice : found.choices) losses.push_back(choice.loss);
    auto [nodes, start] = joined(
        found.choices, [](const RootChoice& choice) -> const Preorder& { return choice.tree; });
    return nb::make_tuple(array_of(std::move(losses)), array_of(std::move(nodes)),
                          array_of(std::move(start)), found.stopped);
}

ListLimits list_limits_of(const Cells& cells, std::size_t max_rules, std::size_t max_terms,
                          std::size_t max_subproblems, std::size_t max_memory, double seconds) {
    static_assert(max_optimal_rules == 8 && max_optimal_terms == 3 && max_list_tests == 2048);
    need(max_rules <= max_optimal_rules, "max_rules must be at most 8");
    need(max_terms >= 1 && max_terms <= max_optimal_terms, "max_terms must be from 1 to 3");
    need(cells.tests().size() <= max_list_tests, "a search for lists may have at most 2048 tests",
         static_cast<std::int64_t>(cells.tests().size()));
    return {max_rules, max_terms, search_limits_of(max_subproblems, max_memory, seconds)};
}

// Lists one after the other, three literals a rule, and where each begins.
std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> joined_lists(
    std::span<const std::vector<CodedRule>> lists) {
    std::vector<std::int32_t> literals;
    std::vector<std::int32_t> start = {0};
    for (const auto& list : lists) {
        for (const CodedRule& rule : list)
            literals.insert(literals.end(), rule.literals.begin(), rule.literals.end());
        start.push_back(static_cast<std::int32_t>(literals.size()));
    }
    return {std::move(literals), std::move(start)};
}

nb::tuple lists(const Cells& cells, std::size_t max_rules, std::size_t max_terms,
                std::size_t max_subproblems, std::size_t max_memory, double seconds) {
    const auto limits =
        list_limits_of(cells, max_rules, max_terms, max_subproblems, max_memory, seconds);
    auto found = unlocked([&] { return optimal_lists(cells, limits); });
    auto [literals, start] = joined_lists(found.lists);
    return nb::make_tuple(array_of(std::move(found.errors)), array_of(std::move(found.lower)),
                          array_of(std::move(literals)), array_of(std::move(start)),
                          found.subproblems, found.memory, found.stopped);
}

nb::tuple first(const Cells& cells, std::int64_t max_errors, std::size_t max_rules,
                std::size_t max_terms, std::size_t max_subproblems, std::size_t max_memory,
                double seconds) {
    const auto limits =
        list_limits_of(cells, max_rules, max_terms, max_subproblems, max_memory, seconds);
    const std::int64_t most = std::clamp(max_errors, std::int64_t{-1}, cells.total());
    auto found = unlocked([&] { return first_rules(cells, limits, most); });
    std::vector<std::int64_t> errors;
    std::vector<std::vector<CodedRule>> rules;
    for (auto& choice : found.choices) {
        errors.push_back(choice.errors);
        rules.push_back(std::move(choice.rules));
    }
    auto [literals, start] = joined_lists(rules);
    return nb::make_tuple(array_of(std::move(errors)), array_of(std::move(literals)),
                          array_of(std::move(start)), found.stopped);
}

}  // namespace

void bind_optimal(nb::module_& m) {
    nb::class_<Cells>(m, "CodedCells")
        .def(
            "__init__",
            [](Cells* self, Matrix<const std::int32_t> codes, Vector<const std::int32_t> values,
               Vector<const std::uint8_t> ordered, Vector<const std::int32_t> label,
               Vector<const std::int64_t> weight, std::size_t classes) {
                new (self) Cells(cells_of(codes, values, ordered, label, weight, classes));
            },
            "codes"_a.noconvert(), "values"_a.noconvert(), "ordered"_a.noconvert(),
            "label"_a.noconvert(), "weight"_a.noconvert(), "classes"_a)
        .def("tests", &tests)
        .def("optimal_trees", &trees, "max_depth"_a, "max_leaves"_a, "max_subproblems"_a,
             "max_memory"_a, "seconds"_a, "error"_a, "impurity"_a, "by_impurity"_a, "threads"_a)
        .def("root_choices", &roots, "max_loss"_a, "max_depth"_a, "max_leaves"_a,
             "max_subproblems"_a, "max_memory"_a, "seconds"_a, "error"_a, "impurity"_a,
             "by_impurity"_a, "threads"_a)
        .def("optimal_lists", &lists, "max_rules"_a, "max_terms"_a, "max_subproblems"_a,
             "max_memory"_a, "seconds"_a)
        .def("first_rules", &first, "max_errors"_a, "max_rules"_a, "max_terms"_a,
             "max_subproblems"_a, "max_memory"_a, "seconds"_a);
}

}  // namespace rulewright::bindings
