// Conditions and the answers of lists, votes and scorecards: names, casts, and the release of the
// interpreter's lock.
#include "conditions.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "answers.hpp"
#include "arrays.hpp"
#include "code_columns.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

constexpr std::size_t max_depth = 1000;
constexpr std::size_t max_totals = 1 << 16;

// Conditions of one model, checked once, and the number of columns and sets that they refer to.
struct CheckedConditions {
    rulewright::Conditions conditions;
    std::size_t numbers = 0;
    std::size_t codes = 0;
    std::size_t given = 0;
    std::vector<std::int32_t> set_column;
};

void need_test(const rulewright::Condition& node, CheckedConditions& checked) {
    need(node.first >= 0, "the column of a condition is out of range");
    const std::size_t columns = static_cast<std::size_t>(node.first) + 1;
    if (node.kind == ConditionKind::given) {
        checked.given = std::max(checked.given, columns);
    } else if (node.kind != ConditionKind::category) {
        checked.numbers = std::max(checked.numbers, columns);
    } else {
        const auto sets = checked.set_column.size();
        need(node.end >= 0 && static_cast<std::size_t>(node.end) < sets &&
                 checked.set_column[static_cast<std::size_t>(node.end)] == node.first,
             "the set of a condition is out of range");
    }
}

// The parts of a condition come before it, and belong to it alone. Returns its depth.
std::size_t need_parts(const rulewright::Conditions& all, std::size_t number,
                       std::vector<std::size_t>& depth) {
    const rulewright::Condition& node = all.nodes[number];
    need(node.first >= 0 && node.first <= node.end &&
             static_cast<std::size_t>(node.end) <= all.links.size(),
         "the parts of a condition are out of range");
    std::size_t deepest = 0;
    for (auto i = node.first; i < node.end; ++i) {
        const std::int32_t part = all.links[static_cast<std::size_t>(i)];
        need(part >= 0 && static_cast<std::size_t>(part) < number,
             "the parts of a condition must come before it");
        auto& inner = depth[static_cast<std::size_t>(part)];
        need(inner > 0, "a condition must be part of one condition only");
        deepest = std::max(deepest, std::exchange(inner, 0));
    }
    need(deepest < max_depth, "conditions may contain each other to a depth of 1000");
    need(node.kind != ConditionKind::at_least ||
             (node.count >= 0 && node.count <= node.end - node.first + 1),
         "the count of a condition is out of range", node.count);
    return deepest + 1;
}

void check(CheckedConditions& checked) {
    rulewright::Conditions& all = checked.conditions;
    std::vector<std::size_t> depth(all.nodes.size());
    all.depth = 0;
    for (std::size_t i = 0; i < all.nodes.size(); ++i) {
        const auto kind = all.nodes[i].kind;
        need(kind >= ConditionKind::inside && kind <= ConditionKind::at_least,
             "the kind of a condition is out of range");
        if (kind < ConditionKind::all) {
            need_test(all.nodes[i], checked);
            depth[i] = 1;
        } else {
            depth[i] = need_parts(all, i, depth);
        }
        all.depth = std::max(all.depth, depth[i]);
    }
}

void make(CheckedConditions* place, Vector<const std::int8_t> kind,
          Vector<const std::uint8_t> negated, Vector<const std::int32_t> first,
          Vector<const std::int32_t> end, Vector<const std::int32_t> count,
          Vector<const double> low, Vector<const double> high, Vector<const std::int32_t> links,
          Vector<const std::int32_t> set_column) {
    const std::size_t nodes = kind.shape(0);
    need(negated.shape(0) == nodes && first.shape(0) == nodes && end.shape(0) == nodes &&
             count.shape(0) == nodes && low.shape(0) == nodes && high.shape(0) == nodes,
         "the arrays must have one entry per condition");
    need_marks(span_of(negated));
    CheckedConditions checked;
    const auto columns = span_of(set_column);
    checked.set_column.assign(columns.begin(), columns.end());
    for (const std::int32_t column : columns) {
        need(column >= 0, "the column of a set is out of range");
        checked.codes = std::max(checked.codes, static_cast<std::size_t>(column) + 1);
    }
    const auto linked = span_of(links);
    checked.conditions.links.assign(linked.begin(), linked.end());
    for (std::size_t i = 0; i < nodes; ++i) {
        checked.conditions.nodes.push_back(
            {low.data()[i], high.data()[i], first.data()[i], end.data()[i], count.data()[i],
             static_cast<ConditionKind>(kind.data()[i]), negated.data()[i] != 0});
    }
    check(checked);
    new (place) CheckedConditions(std::move(checked));
}

// The columns of a table with the conditions to evaluate on it. The arrays are kept.
class BoundTable {
public:
    BoundTable(const CheckedConditions& checked, std::vector<StridedOf<double>> numbers,
               std::vector<StridedOf<std::int32_t>> codes,
               std::vector<Vector<const std::uint8_t>> given, Vector<const std::uint64_t> words,
               Vector<const std::int32_t> set_first, Vector<const std::int32_t> set_words,
               std::size_t rows)
        : checked_(checked),
          number_arrays_(std::move(numbers)),
          code_arrays_(std::move(codes)),
          given_arrays_(std::move(given)),
          words_(std::move(words)),
          set_first_(std::move(set_first)),
          set_words_(std::move(set_words)),
          numbers_(strided_of<rulewright::Column>(number_arrays_, rows)),
          codes_(strided_of<rulewright::CodeColumn>(code_arrays_, rows)) {
        need(rows <= max_rows, "rows must be at most 2^31 - 1");
        need(checked.numbers <= numbers_.size() && checked.codes <= codes_.size() &&
                 checked.given <= given_arrays_.size(),
             "a condition refers to a column that is not there");
        for (const auto& column : given_arrays_) {
            need(column.shape(0) == rows, "columns must have the same length");
            given_.push_back(column.data());
        }
        table_ = {
            numbers_, codes_, given_, span_of(words_), span_of(set_first_), span_of(set_words_),
            rows};
        need_bits();
    }

    const rulewright::ConditionTable& table() const noexcept { return table_; }
    const rulewright::Conditions& conditions() const noexcept { return checked_.conditions; }

    void need_roots(std::span<const std::int32_t> roots) const {
        need_below(roots, conditions().nodes.size(), "conditions");
    }

private:
    // Every code needs a bit in the sets of its column.
    void need_bits() const {
        const std::size_t sets = checked_.set_column.size();
        need(table_.set_first.size() == sets && table_.set_words.size() == sets,
             "the arrays must have one entry per set");
        std::vector<std::int64_t> largest;
        for (const auto& column : codes_) largest.push_back(largest_code(column, table_.rows));
        for (std::size_t s = 0; s < sets; ++s) {
            const std::int64_t first = table_.set_first[s], count = table_.set_words[s];
            need(first >= 0 && count >= 1 &&
                     first + count <= static_cast<std::int64_t>(table_.words.size()),
                 "the words of a set are out of range");
            const auto column = static_cast<std::size_t>(checked_.set_column[s]);
            need(largest[column] + 1 < 64 * count, "codes are larger than the bits of the set");
        }
    }

    const CheckedConditions& checked_;
    std::vector<StridedOf<double>> number_arrays_;
    std::vector<StridedOf<std::int32_t>> code_arrays_;
    std::vector<Vector<const std::uint8_t>> given_arrays_;
    Vector<const std::uint64_t> words_;
    Vector<const std::int32_t> set_first_, set_words_;
    std::vector<rulewright::Column> numbers_;
    std::vector<rulewright::CodeColumn> codes_;
    std::vector<const std::uint8_t*> given_;
    rulewright::ConditionTable table_{};
};

void first_true(const BoundTable& bound, Vector<const std::int32_t> roots,
                Vector<std::int32_t> answer, std::int64_t threads) {
    bound.need_roots(span_of(roots));
    need(answer.shape(0) == bound.table().rows, "answers must have one entry per row");
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rulewright::first_true(bound.table(), bound.conditions(), span_of(roots), span_of(answer),
                               shared);
    });
}

void find_truth(const BoundTable& bound, Vector<const std::int32_t> roots,
                Matrix<std::uint8_t> truth, std::int64_t threads) {
    bound.need_roots(span_of(roots));
    need(truth.shape(0) == roots.shape(0) && truth.shape(1) == bound.table().rows,
         "the truth needs a line per condition and an entry per row");
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rulewright::find_truth(bound.table(), bound.conditions(), span_of(roots), all_of(truth),
                               shared);
    });
}

// Results that are not requested have no rows.
template <class T>
void need_results(const Matrix<T>& results, std::size_t rows, std::size_t classes) {
    need(results.size() == 0 || (results.shape(0) == rows && results.shape(1) == classes),
         "results must have a line per row and an entry per class");
}

void count_votes(const BoundTable& bound, Vector<const std::int32_t> roots,
                 Vector<const std::int32_t> output, Vector<const double> weight,
                 Vector<const std::int32_t> heaviest_first, std::size_t classes,
                 Vector<std::int32_t> answer, Matrix<double> votes, Matrix<double> chance,
                 Vector<const double> default_chance, std::int64_t threads) {
    const std::size_t rows = bound.table().rows, voters = roots.shape(0);
    bound.need_roots(span_of(roots));
    need(
        output.shape(0) == voters && weight.shape(0) == voters && heaviest_first.shape(0) == voters,
        "the arrays must have one entry per voter");
    need(classes >= 1 && classes <= max_totals, "classes must be from 1 to 65536");
    need_below(span_of(output), classes, "class");
    need_below(span_of(heaviest_first), voters, "voters");
    need(answer.shape(0) == rows, "answers must have one entry per row");
    need_results(votes, rows, classes);
    need_results(chance, rows, classes);
    need(chance.size() == 0 || default_chance.shape(0) == classes,
         "the default needs an entry per class");
    for (const double number : span_of(weight)) need_number(number, "a weight");
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rulewright::count_votes(
            bound.table(), bound.conditions(),
            {span_of(roots), span_of(output), span_of(weight), span_of(heaviest_first), classes},
            {span_of(answer), all_of(votes), all_of(chance), span_of(default_chance)}, shared);
    });
}

void add_points(const BoundTable& bound, Vector<const std::int32_t> roots,
                Matrix<const std::int32_t> points, Vector<const std::int32_t> start,
                Vector<const std::int32_t> lows, double slope, Vector<std::int32_t> answer,
                Matrix<std::int64_t> totals, Matrix<double> chance, std::int64_t threads) {
    const std::size_t rows = bound.table().rows, classes = start.shape(0);
    bound.need_roots(span_of(roots));
    need(classes >= 1 && classes <= max_totals, "classes must be from 1 to 65536");
    need(points.shape(0) == roots.shape(0) && points.shape(1) == classes,
         "points must have a line per condition and an entry per class");
    need(classes == 1 || lows.shape(0) == 0, "several totals have no bands");
    need(answer.shape(0) == rows, "answers must have one entry per row");
    need_results(totals, rows, classes);
    need_results(chance, rows, classes);
    need(slope >= 0 && std::isfinite(slope), "the slope must be finite and 0 or more");
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rulewright::add_points(
            bound.table(), bound.conditions(),
            {span_of(roots), all_of(points), span_of(start), span_of(lows), slope},
            {span_of(answer), all_of(totals), all_of(chance)}, shared);
    });
}

}  // namespace

void bind_conditions(nb::module_& m) {
    nb::class_<CheckedConditions>(m, "Conditions")
        .def("__init__", &make, "kind"_a.noconvert(), "negated"_a.noconvert(),
             "first"_a.noconvert(), "end"_a.noconvert(), "count"_a.noconvert(), "low"_a.noconvert(),
             "high"_a.noconvert(), "links"_a.noconvert(), "set_column"_a.noconvert());
    nb::class_<BoundTable>(m, "ConditionTable")
        .def(nb::init<const CheckedConditions&, std::vector<StridedOf<double>>,
                      std::vector<StridedOf<std::int32_t>>, std::vector<Vector<const std::uint8_t>>,
                      Vector<const std::uint64_t>, Vector<const std::int32_t>,
                      Vector<const std::int32_t>, std::size_t>(),
             nb::keep_alive<1, 2>(), "conditions"_a, "numbers"_a, "codes"_a, "given"_a,
             "words"_a.noconvert(), "set_first"_a.noconvert(), "set_words"_a.noconvert(), "rows"_a)
        .def("first_true", &first_true, "roots"_a.noconvert(), "answer"_a.noconvert(), "threads"_a)
        .def("find_truth", &find_truth, "roots"_a.noconvert(), "truth"_a.noconvert(), "threads"_a)
        .def("count_votes", &count_votes, "roots"_a.noconvert(), "output"_a.noconvert(),
             "weight"_a.noconvert(), "heaviest_first"_a.noconvert(), "classes"_a,
             "answer"_a.noconvert(), "votes"_a.noconvert(), "chance"_a.noconvert(),
             "default_chance"_a.noconvert(), "threads"_a)
        .def("add_points", &add_points, "roots"_a.noconvert(), "points"_a.noconvert(),
             "start"_a.noconvert(), "lows"_a.noconvert(), "slope"_a, "answer"_a.noconvert(),
             "totals"_a.noconvert(), "chance"_a.noconvert(), "threads"_a);
}

}  // namespace rulewright::bindings
