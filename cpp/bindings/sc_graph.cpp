#include "sc_graph.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "arrays.hpp"
#include "modules.hpp"
#include "overfitting.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Flags = Vector<const std::uint8_t>;

constexpr std::size_t numbers = sizeof(RuleCounts) / sizeof(std::int32_t);

void need_split(std::int32_t objects, std::int32_t trained) {
    need(objects <= max_sc_objects, "objects must be at most 16384", objects);
    static_assert(max_sc_objects == 16384);
    need(0 < trained && trained < objects, "there must be training and hidden objects");
}

// Deviations are subtracted from one another, so their range is limited.
void need_deviation(std::int64_t min_deviation) {
    constexpr std::int64_t limit = std::int64_t{1} << 32;
    need(-limit <= min_deviation && min_deviation <= limit,
         "a deviation must be from -2^32 to 2^32", min_deviation);
}

// Rows of numbers as rules that fit the tables of the splits.
std::span<const RuleCounts> rules_of(const Matrix<const std::int32_t>& counts,
                                     std::int32_t objects) {
    need(counts.shape(1) == numbers, "counts must have one row per rule");
    const std::span<const RuleCounts> rules{reinterpret_cast<const RuleCounts*>(counts.data()),
                                            counts.shape(0)};
    for (const auto& r : rules) {
        need(r.connected >= 0 && r.inferior >= 0 && r.inferior <= r.errors &&
                 r.errors <= objects - r.connected,
             "counts must not exceed the number of objects");
        need(r.inferior_negatives >= 0 && r.inferior_negatives <= r.inferior &&
                 r.inferior_negatives <= r.negatives && r.connected_positives >= 0 &&
                 r.connected_positives <= r.connected && r.connected_positives <= r.positives,
             "parts must not exceed the whole");
        need(r.negatives - r.inferior_negatives <= objects - r.connected - r.inferior &&
                 r.positives - r.connected_positives <= objects - r.connected - r.inferior,
             "covered objects must not exceed all objects");
    }
    return rules;
}

Counted counted_of(std::int32_t counted) {
    need(0 <= counted && counted <= 2, "the kind of count is not valid");
    return static_cast<Counted>(counted);
}

std::tuple<std::size_t, std::int32_t, std::int32_t, std::int32_t> visit_sc_rules(
    const Columns& columns, Flags at_least, Flags positive, Flags possible, std::int32_t trained,
    std::int32_t layers, std::size_t always, double share, std::int64_t min_deviation,
    Matrix<std::int32_t> counts, Matrix<std::int32_t> thresholds) {
    const std::size_t objects = positive.shape(0);
    const auto all = static_cast<std::int32_t>(std::min(objects, max_rows));
    need_split(all, trained);
    need_deviation(min_deviation);
    need_number(share, "the share");
    need(possible.shape(0) == objects, "flags must have one entry per object");
    need(at_least.shape(0) == columns.size(), "directions must have one entry per column");
    need(counts.shape(0) > 0 && counts.shape(1) == numbers, "counts must have one row per rule");
    need(thresholds.shape(0) == 0 ||
             (thresholds.shape(0) == counts.shape(0) && thresholds.shape(1) == columns.size()),
         "thresholds must have one entry per rule and column");
    const auto values = columns_of(columns, objects);
    const std::span<RuleCounts> filled{reinterpret_cast<RuleCounts*>(counts.data()),
                                       counts.shape(0)};
    const ScLimits limits{counts.shape(0), layers, always, share, min_deviation};
    const ScVisit visit = unlocked([&] {
        return rulewright::visit_sc_rules(
            {values, span_of(at_least), span_of(positive), span_of(possible)}, Splits(all, trained),
            limits, filled, {thresholds.data(), thresholds.size()});
    });
    return {visit.rules, visit.lowest, visit.highest, static_cast<std::int32_t>(visit.end)};
}

double overfitting_sum(Matrix<const std::int32_t> counts, std::int32_t objects,
                       std::int32_t trained, std::int32_t counted, std::int64_t min_deviation) {
    need_split(objects, trained);
    need_deviation(min_deviation);
    const auto rules = rules_of(counts, objects);
    const Counted which = counted_of(counted);
    return unlocked([&] {
        const Splits splits(objects, trained);
        double sum = 0.0;
        for (const auto& rule : rules) {
            checkpoint(64);
            sum += splits.term(rule, which, min_deviation);
        }
        return sum;
    });
}

std::tuple<std::int64_t, std::int64_t> overfitting_quantiles(Matrix<const std::int32_t> counts,
                                                             std::int32_t objects,
                                                             std::int32_t trained, double eta) {
    need_split(objects, trained);
    need_number(eta, "eta");
    const auto rules = rules_of(counts, objects);
    return unlocked([&] {
        const Splits splits(objects, trained);
        return std::tuple(splits.exceeded_at_most(rules, Counted::negatives, eta),
                          splits.exceeded_at_most(rules, Counted::positives, eta));
    });
}

}  // namespace

void bind_sc_graph(nb::module_& m) {
    m.attr("max_sc_objects") = max_sc_objects;
    m.def("visit_sc_rules", &visit_sc_rules, "columns"_a, "at_least"_a.noconvert(),
          "positive"_a.noconvert(), "possible"_a.noconvert(), "trained"_a, "layers"_a, "always"_a,
          "share"_a, "min_deviation"_a, "counts"_a.noconvert(), "thresholds"_a.noconvert());
    m.def("overfitting_sum", &overfitting_sum, "counts"_a.noconvert(), "objects"_a, "trained"_a,
          "counted"_a, "min_deviation"_a);
    m.def("overfitting_quantiles", &overfitting_quantiles, "counts"_a.noconvert(), "objects"_a,
          "trained"_a, "eta"_a);
}

}  // namespace rulewright::bindings
