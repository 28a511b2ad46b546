#include "growing.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "arrays.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

constexpr std::size_t max_classes = 1 << 16;  // labels are stored as 16 bits

rulewright::Scoring scoring_of(nb::callable function, std::size_t classes) {
    return [function, classes](std::span<const double> covered, std::span<const double> all,
                               std::span<double> scores) {
        const nb::gil_scoped_acquire locked;
        using Shown = nb::ndarray<nb::numpy, const double>;
        const Shown rows(covered.data(), {covered.size() / classes, classes}, nb::handle());
        const Shown totals(all.data(), {classes}, nb::handle());
        Vector<const double> found;
        const bool numbers = nb::try_cast(function(nb::cast(rows), nb::cast(totals)), found);
        need(numbers && found.shape(0) == scores.size(),
             "a criterion must return an array with one score per row");
        std::copy_n(found.data(), scores.size(), scores.begin());
    };
}

nb::tuple grow(const Columns& numeric, const std::vector<Vector<const std::int32_t>>& codes,
               const std::vector<std::size_t>& categories, std::size_t ranges,
               Vector<const std::int32_t> label, Vector<const double> target,
               Vector<const double> weight, Vector<const std::int8_t> direction, std::size_t plain,
               std::size_t classes, nb::object scoring, int impurity, bool cuts, bool intervals,
               int category_splits, bool fractional, bool by_ratio, std::size_t max_depth,
               std::size_t max_leaves, double min_split, double min_leaf, double min_gain,
               std::int64_t threads, double seconds, std::size_t max_columns,
               std::size_t max_on_path, Matrix<const std::uint8_t> groups,
               Vector<const std::uint8_t> used, std::size_t max_features, std::uint64_t seed,
               std::size_t max_sorted_rows) {
    const std::size_t n = std::max(label.shape(0), target.shape(0));
    need(n > 0 && n <= rulewright::number_mask, "rows must be from 1 to 2^30");
    need((label.shape(0) == 0) != (target.shape(0) == 0),
         "either labels or numbers to predict are needed");
    need(impurity >= 0 && impurity <= 4, "impurity must be from 0 to 4", impurity);
    need(category_splits >= 0 && category_splits <= 3,
         "the splits of categories must be from 0 to 3", category_splits);
    need(classes >= 1 && classes <= max_classes, "classes must be from 1 to 65536");
    need(scoring.is_none() || nb::callable::check_(scoring), "a criterion must be a function");
    need(max_leaves >= 1, "max_leaves must be 1 or more, got 0");
    for (const double number : {min_split, min_leaf, min_gain})
        need_number(number, "the minimum weight");
    need(seconds >= 0.0, "seconds must be 0 or more");
    need(max_columns >= 1 && max_on_path >= 1 && max_features >= 1,
         "the maximum number of columns must be 1 or more");
    const std::size_t all = numeric.size() + codes.size();
    need(groups.shape(0) == 0 || groups.shape(1) == all, "groups must have one mark per column");
    need(used.shape(0) == 0 || used.shape(0) == all, "used must have one mark per column");
    need_marks(span_of(used));
    const bool of_numbers = impurity >= static_cast<int>(rulewright::Impurity::variance);
    need(of_numbers == (label.shape(0) == 0) && (scoring.is_none() || label.shape(0) > 0),
         "variance and absolute need numbers to predict, all others classes");
    need(weight.shape(0) == 0 || weight.shape(0) == n,
         "weight must have one number per row, or none");
    need_weights(span_of(weight));
    need(std::ranges::find(span_of(weight), 0.0) == span_of(weight).end(),
         "weights must be above 0");
    need(are_finite(span_of(target)), "the numbers to predict must be finite");
    need(direction.shape(0) == 0 || direction.shape(0) == numeric.size(),
         "directions must have one entry per column");
    need(codes.size() == categories.size(),
         "the numbers of categories must have one entry per column");
    need(ranges <= codes.size(), "ranges must be at most the number of columns of codes");
    const auto columns = columns_of(numeric, n);
    std::vector<rulewright::Codes> categorical;
    for (std::size_t j = 0; j < codes.size(); ++j) {
        need(codes[j].shape(0) == n, "columns must have the same length");
        need_values(categories[j], n, "categories");
        need_missing_or_below(span_of(codes[j]), categories[j], "category");
        categorical.push_back({span_of(codes[j]), categories[j], j >= codes.size() - ranges});
    }
    need_below(span_of(label), classes, "class");
    const std::vector<std::uint16_t> labels(label.data(), label.data() + label.shape(0));
    const rulewright::TrainingColumns training = {
        columns, plain, categorical, labels, span_of(target), span_of(weight), span_of(direction)};
    rulewright::ColumnLimits limits = {max_columns, max_on_path, {}, {}};
    for (std::size_t g = 0; g < groups.shape(0); ++g) {
        limits.groups.emplace_back(groups.data() + g * all, all);
        need_marks(limits.groups.back());
    }
    limits.used.assign(used.data(), used.data() + used.shape(0));
    const rulewright::GrowthOptions options = {
        cuts,
        intervals,
        static_cast<rulewright::CategorySplit>(category_splits),
        fractional,
        by_ratio,
        max_depth,
        max_leaves,
        min_split,
        min_leaf,
        min_gain,
        threads_of(threads),
        seconds,
        limits,
        max_features,
        seed,
        max_sorted_rows};
    const auto measure =
        scoring.is_none()
            ? rulewright::measure_of(static_cast<rulewright::Impurity>(impurity), classes, n)
            : rulewright::scored_measure(classes,
                                         scoring_of(nb::cast<nb::callable>(scoring), classes));
    auto grown = unlocked([&] { return rulewright::grow(training, options, *measure); });
    return nb::make_tuple(array_of(std::move(grown.kind)), array_of(std::move(grown.column)),
                          array_of(std::move(grown.low)), array_of(std::move(grown.high)),
                          array_of(std::move(grown.low_row)), array_of(std::move(grown.high_row)),
                          array_of(std::move(grown.missing)), array_of(std::move(grown.largest)),
                          array_of(std::move(grown.start)), array_of(std::move(grown.branches)),
                          array_of(std::move(grown.table_start)),
                          array_of(std::move(grown.branch_of)), array_of(std::move(grown.sums)),
                          array_of(std::move(grown.gain)), array_of(std::move(grown.impurity)),
                          array_of(std::move(grown.value)), grown.stopped);
}

}  // namespace

void bind_growing(nb::module_& m) {
    m.def("grow", &grow, "numeric"_a, "codes"_a, "categories"_a, "ranges"_a, "label"_a.noconvert(),
          "target"_a.noconvert(), "weight"_a.noconvert(), "direction"_a.noconvert(), "plain"_a,
          "classes"_a, "scoring"_a.none(), "impurity"_a, "cuts"_a, "intervals"_a,
          "category_splits"_a, "fractional"_a, "by_ratio"_a, "max_depth"_a, "max_leaves"_a,
          "min_split"_a, "min_leaf"_a, "min_gain"_a, "threads"_a, "seconds"_a, "max_columns"_a,
          "max_on_path"_a, "groups"_a.noconvert(), "used"_a.noconvert(), "max_features"_a, "seed"_a,
          "max_sorted_rows"_a);
}

}  // namespace rulewright::bindings
