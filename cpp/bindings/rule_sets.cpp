#include "rule_sets.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Rows = Vector<const std::int32_t>;

void need_marked_rows(const Rows& rows, const Vector<const std::uint8_t>& marks) {
    need_below(span_of(rows), marks.shape(0), "row");
    need_marks(span_of(marks));
}

std::size_t count_marked(Rows rows, Vector<const std::uint8_t> marks) {
    need_marked_rows(rows, marks);
    return rulewright::count_marked(span_of(rows), span_of(marks));
}

auto rows_covered(Rows rows, Vector<const std::int16_t> times, std::int16_t wanted) {
    need_below(span_of(rows), times.shape(0), "row");
    return array_of(
        unlocked([&] { return rulewright::rows_covered(span_of(rows), span_of(times), wanted); }));
}

auto part_rows(Rows rows, Vector<const std::uint8_t> own, Vector<const std::int64_t> own_draws,
               Vector<const std::int64_t> other_draws, std::int64_t parts) {
    need_marked_rows(rows, own);
    need(parts >= 1, "parts must be 1 or more", parts);
    const auto groups = [&](std::size_t size) {
        const auto each = static_cast<std::size_t>(parts);
        return size / each + (size % each != 0);
    };
    const std::size_t marked = rulewright::count_marked(span_of(rows), span_of(own));
    need(own_draws.shape(0) == groups(marked) &&
             other_draws.shape(0) == groups(rows.shape(0) - marked),
         "there must be one draw per group");
    const GroupDraws draws{span_of(own_draws), span_of(other_draws), parts};
    PartedRows found =
        unlocked([&] { return rulewright::part_rows(span_of(rows), span_of(own), draws); });
    return std::tuple(array_of(std::move(found.kept)), array_of(std::move(found.aside)));
}

std::vector<std::size_t> delete_rules(const std::vector<Rows>& rows, Rows numbers,
                                      Vector<const double> bits, Vector<const std::uint8_t> own,
                                      Vector<const double> weight, Vector<const double> totals,
                                      Vector<std::int16_t> times, Vector<std::int32_t> sum,
                                      Matrix<double> alone, Vector<double> covered, double rounding,
                                      bool only_weights) {
    const std::size_t all = own.shape(0);
    need_marks(span_of(own));
    need(weight.shape(0) == 0 || weight.shape(0) == all, "weight must have one number per row");
    need(times.shape(0) == all && sum.shape(0) == all, "the arrays must have one entry per row");
    need(totals.shape(0) == 2 && covered.shape(0) == 2 && alone.shape(1) == 2,
         "weights must be pairs");
    need(numbers.shape(0) == rows.size() && bits.shape(0) == rows.size(),
         "the arrays must have one entry per rule");
    need_below(span_of(numbers), alone.shape(0), "number");
    need_number(rounding, "the rounding error");
    std::vector<CoveringRule> rules;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rules.push_back({span_of(rows[i]), numbers.data()[i], bits.data()[i]});
    }
    const ClassRows of_class{span_of(own), span_of(weight), totals.data()[0], totals.data()[1]};
    const RuleSetCounts counts{span_of(times), span_of(sum), bindings::all_of(alone),
                               span_of(covered)};
    return unlocked(
        [&] { return rulewright::delete_rules(rules, of_class, counts, rounding, only_weights); });
}

}  // namespace

void bind_rule_sets(nb::module_& m) {
    m.def("count_marked", &count_marked, "rows"_a.noconvert(), "marks"_a.noconvert());
    m.def("rows_covered", &rows_covered, "rows"_a.noconvert(), "times"_a.noconvert(), "wanted"_a);
    m.def("part_rows", &part_rows, "rows"_a.noconvert(), "own"_a.noconvert(),
          "own_draws"_a.noconvert(), "other_draws"_a.noconvert(), "parts"_a);
    m.def("delete_rules", &delete_rules, "rows"_a, "numbers"_a.noconvert(), "bits"_a.noconvert(),
          "own"_a.noconvert(), "weight"_a.noconvert(), "totals"_a.noconvert(),
          "times"_a.noconvert(), "sum"_a.noconvert(), "alone"_a.noconvert(),
          "covered"_a.noconvert(), "rounding"_a, "only_weights"_a);
}

}  // namespace rulewright::bindings
