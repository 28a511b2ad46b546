// Names, casts, and the release of the interpreter's lock. No arithmetic.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "balls.hpp"
#include "categories.hpp"
#include "dense_ranks.hpp"
#include "gather.hpp"
#include "geometry.hpp"
#include "half_spaces.hpp"
#include "memory.hpp"
#include "modules.hpp"
#include "rays.hpp"
#include "row_hashes.hpp"
#include "unlocked.hpp"

namespace rw = rulewright;
using namespace rulewright::bindings;
using namespace nb::literals;

namespace {

std::size_t dense_ranks(Strided values, Vector<std::int64_t> ranks) {
    need(values.shape(0) == ranks.shape(0), "there must be a rank for each value");
    const rw::Column column{values.data(), static_cast<std::ptrdiff_t>(values.stride(0))};
    return unlocked([&] { return rw::dense_ranks(column, span_of(ranks)); });
}

void gather(const Columns& arrays, Vector<const std::int64_t> rows, Matrix<double> out) {
    const std::size_t length = arrays.empty() ? 0 : arrays.front().shape(0);
    const auto columns = columns_of(arrays, length);
    need(out.shape(0) == columns.size() && out.shape(1) == rows.shape(0),
         "the output must have one row per column and one entry per row");
    for (const auto row : span_of(rows)) {
        need(row >= 0 && static_cast<std::size_t>(row) < length,
             "rows must be in the range of the columns", row);
    }
    unlocked([&] { rw::gather(columns, span_of(rows), {out.data(), out.size()}); });
}

void hash_rows(const Columns& arrays, const std::vector<Vector<const std::int32_t>>& code_arrays,
               Vector<std::uint64_t> hash) {
    const auto numbers = columns_of(arrays, hash.shape(0));
    std::vector<std::span<const std::int32_t>> codes;
    for (const auto& code : code_arrays) {
        need(code.shape(0) == hash.shape(0), "codes must have one number per row");
        codes.push_back(span_of(code));
    }
    unlocked([&] { rw::hash_rows(numbers, codes, span_of(hash)); });
}

void weigh_categories(Vector<const std::int32_t> code, Vector<const std::int64_t> weight,
                      Vector<std::int64_t> positive, Vector<std::int64_t> negative) {
    need(code.shape(0) == weight.shape(0), "weight must have one number per row");
    need(positive.shape(0) == negative.shape(0), "the output must have two sums per category");
    unlocked([&] {
        need_missing_or_below(span_of(code), positive.shape(0), "category");
        need_safe_sum(span_of(weight));
        rw::weigh_categories(span_of(code), span_of(weight), span_of(positive), span_of(negative));
    });
}

void count_codes(Vector<const std::int32_t> code, Vector<std::int64_t> count) {
    unlocked([&] {
        need_missing_or_below(span_of(code), count.shape(0), "code");
        rw::count_codes(span_of(code), span_of(count));
    });
}

void sum_by_code(Vector<const std::int32_t> code, Vector<const double> weight, Vector<double> sum) {
    need(code.shape(0) == weight.shape(0), "weight must have one number per row");
    unlocked([&] {
        need_missing_or_below(span_of(code), sum.shape(0), "code");
        rw::sum_by_code(span_of(code), span_of(weight), span_of(sum));
    });
}

void check_weights(Vector<const std::int64_t> weight) { need_safe_sum(span_of(weight)); }

rw::Metric metric_of(std::int32_t number) {
    need(number >= 0 && number <= 2, "metric must be from 0 to 2", number);
    return static_cast<rw::Metric>(number);
}

rw::SimilarityShape shape_of(std::int32_t kind, double gamma, double offset, std::int32_t degree) {
    need(kind >= 0 && kind <= 2, "similarity must be from 0 to 2", kind);
    static_assert(rw::max_degree == 64);
    need(degree >= 0 && degree <= rw::max_degree, "degree must be from 0 to 64", degree);
    need_number(gamma, "gamma");
    need_number(offset, "the offset");
    return {static_cast<rw::Similarity>(kind), gamma, offset, degree};
}

void distances(const Columns& arrays, Vector<const double> point, std::int32_t metric,
               Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "the point must have one coordinate per column");
    const auto by = metric_of(metric);
    unlocked([&] { rw::distances(columns, span_of(point), by, span_of(out)); });
}

void similarities(const Columns& arrays, Vector<const double> point, std::int32_t kind,
                  double gamma, double offset, std::int32_t degree, Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "the point must have one coordinate per column");
    const auto shape = shape_of(kind, gamma, offset, degree);
    unlocked([&] { rw::similarities(columns, span_of(point), shape, span_of(out)); });
}

void kernel_distances(const Columns& arrays, Vector<const double> point, std::int32_t kind,
                      double gamma, double offset, std::int32_t degree, Vector<double> self,
                      Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "the point must have one coordinate per column");
    need(self.shape(0) == out.shape(0), "self-similarities must have one number per row");
    const auto shape = shape_of(kind, gamma, offset, degree);
    unlocked([&] {
        rw::self_similarities(columns, shape, span_of(self));
        rw::kernel_distances(columns, span_of(self), span_of(point), shape, span_of(out));
    });
}

void similarity_rows(const Columns& arrays, Vector<const std::int32_t> rows, std::int32_t kind,
                     double gamma, double offset, std::int32_t degree, Matrix<double> out,
                     std::int64_t threads) {
    const auto columns = columns_of(arrays, out.shape(1));
    need(out.shape(0) == rows.shape(0), "the output must have one line per row");
    need_below(span_of(rows), out.shape(1), "row");
    const auto shape = shape_of(kind, gamma, offset, degree);
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rw::similarity_rows(columns, span_of(rows), shape, out.shape(1), out.data(), shared);
    });
}

using Found = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

// The masks have one byte per row; `open` may be empty.
rw::RayQuery ray_query(Vector<const std::int64_t> weight, Vector<const std::uint8_t> border,
                       Vector<const std::uint8_t> open, std::int64_t threads) {
    need(weight.shape(0) <= max_rows, "rows must be at most 2^31 - 1");
    need(border.shape(0) == weight.shape(0), "weights and marks must have one entry per row");
    need(open.shape(0) == 0 || open.shape(0) == weight.shape(0),
         "marks must have one entry per row");
    need_safe_sum(span_of(weight));
    return {span_of(weight), span_of(border), span_of(open), threads_of(threads)};
}

rw::Centres centres_of(Vector<const std::int32_t> centres, Vector<const std::uint8_t> below,
                       Vector<std::int64_t> kept, std::size_t rows) {
    need(below.shape(0) == centres.shape(0) && kept.shape(0) == centres.shape(0),
         "the arrays must have one entry per centre");
    need_below(span_of(centres), rows, "row");
    return {span_of(centres), span_of(below)};
}

// `metric` is 0 to 2, or -1 for the metric of the kernel.
rw::PrototypeConstraint prototype_constraint_of(bool apart,
                                                const Vector<const std::uint8_t>& excused,
                                                std::size_t rows) {
    need(excused.shape(0) == 0 || excused.shape(0) == rows, "marks must have one entry per row");
    return {apart, span_of(excused)};
}

Found heaviest_ball(const Columns& arrays, Vector<const std::int32_t> centres,
                    Vector<const std::uint8_t> below, std::int32_t metric, std::int32_t kind,
                    double gamma, double offset, std::int32_t degree,
                    Vector<const std::int64_t> weight, Vector<const std::uint8_t> border,
                    Vector<const std::uint8_t> open, bool apart, Vector<const std::uint8_t> excused,
                    Vector<std::int64_t> kept, std::int64_t threads) {
    const auto columns = columns_of(arrays, weight.shape(0));
    const auto query = ray_query(weight, border, open, threads);
    const auto around = centres_of(centres, below, kept, weight.shape(0));
    const auto constraint = prototype_constraint_of(apart, excused, weight.shape(0));
    need(metric >= -1, "metric must be from -1 to 2", metric);
    const rw::BallShape shape = {metric < 0, metric < 0 ? rw::Metric::l2 : metric_of(metric),
                                 shape_of(kind, gamma, offset, degree)};
    const rw::HeaviestRay found = unlocked([&] {
        return rw::heaviest_ball(columns, shape, around, constraint, query, span_of(kept));
    });
    return {found.total, found.gathered, found.ray, found.border};
}

Found heaviest_given_ball(Matrix<const double> distances, Vector<const std::int32_t> centres,
                          Vector<const std::uint8_t> below, Vector<const std::int64_t> weight,
                          Vector<const std::uint8_t> border, Vector<const std::uint8_t> open,
                          bool apart, Vector<const std::uint8_t> excused, Vector<std::int64_t> kept,
                          std::int64_t threads) {
    const auto query = ray_query(weight, border, open, threads);
    const auto around = centres_of(centres, below, kept, weight.shape(0));
    const auto constraint = prototype_constraint_of(apart, excused, weight.shape(0));
    need(distances.shape(0) == centres.shape(0) && distances.shape(1) == weight.shape(0),
         "distances must have one line per centre and one entry per row");
    const rw::HeaviestRay found = unlocked([&] {
        return rw::heaviest_given_ball(distances.data(), around, constraint, query, span_of(kept));
    });
    return {found.total, found.gathered, found.ray, found.border};
}

void couple_lines(Matrix<const double> similarity, Vector<const std::int32_t> list,
                  Vector<std::int32_t> order) {
    need_below(span_of(list), similarity.shape(0), "prototype");
    need(order.shape(0) == list.shape(0), "the order must have one entry per prototype");
    unlocked([&] {
        rw::couple_lines(similarity.data(), similarity.shape(1), span_of(list), span_of(order));
    });
}

rw::Prototypes prototypes_of(Vector<const std::int32_t> list, Vector<const std::int32_t> order,
                             std::size_t lines) {
    need_below(span_of(list), lines, "prototype");
    need(order.shape(0) == list.shape(0) && rw::is_permutation(span_of(order)),
         "the order must be a permutation of the prototypes");
    return {span_of(list), span_of(order)};
}

Found heaviest_half_space(Matrix<const double> similarity, Vector<const std::int32_t> prototypes,
                          Vector<const std::int32_t> toward, Vector<const std::int32_t> away,
                          Vector<const std::int32_t> toward_order,
                          Vector<const std::int32_t> away_order, Vector<const std::int64_t> weight,
                          Vector<const std::uint8_t> border, Vector<const std::uint8_t> open,
                          bool apart, Vector<const std::uint8_t> excused, Vector<std::int64_t> kept,
                          std::int64_t threads) {
    const auto query = ray_query(weight, border, open, threads);
    need(similarity.shape(0) == prototypes.shape(0) && similarity.shape(1) == weight.shape(0),
         "similarities must have one line per prototype and one entry per row");
    const auto constraint = prototype_constraint_of(apart, excused, weight.shape(0));
    need(kept.shape(0) == toward.shape(0) * away.shape(0), "limits must have one number per pair");
    need_below(span_of(prototypes), weight.shape(0), "row");
    const rw::Pairs pairs = {similarity.data(), span_of(prototypes),
                             prototypes_of(toward, toward_order, prototypes.shape(0)),
                             prototypes_of(away, away_order, prototypes.shape(0))};
    const rw::HeaviestRay found =
        unlocked([&] { return rw::heaviest_half_space(pairs, constraint, query, span_of(kept)); });
    return {found.total, found.gathered, found.ray, found.border};
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Rulewright's kernels. Call them through rulewright.kernels.";
    m.def("check_weights", &check_weights, "weight"_a.noconvert());
    m.def("keep_freed_memory", &rw::keep_freed_memory);
    m.def("dense_ranks", &dense_ranks, "values"_a.noconvert(), "ranks"_a.noconvert());
    m.def("hash_rows", &hash_rows, "numbers"_a, "codes"_a.noconvert(), "hash"_a.noconvert());
    m.def("gather", &gather, "columns"_a, "rows"_a.noconvert(), "out"_a.noconvert());
    m.def("weigh_categories", &weigh_categories, "code"_a.noconvert(), "weight"_a.noconvert(),
          "positive"_a.noconvert(), "negative"_a.noconvert());
    m.def("count_codes", &count_codes, "code"_a.noconvert(), "count"_a.noconvert());
    m.def("sum_by_code", &sum_by_code, "code"_a.noconvert(), "weight"_a.noconvert(),
          "sum"_a.noconvert());
    m.def("distances", &distances, "columns"_a, "point"_a.noconvert(), "metric"_a,
          "out"_a.noconvert());
    m.def("similarities", &similarities, "columns"_a, "point"_a.noconvert(), "kind"_a, "gamma"_a,
          "offset"_a, "degree"_a, "out"_a.noconvert());
    m.def("kernel_distances", &kernel_distances, "columns"_a, "point"_a.noconvert(), "kind"_a,
          "gamma"_a, "offset"_a, "degree"_a, "self"_a.noconvert(), "out"_a.noconvert());
    m.def("similarity_rows", &similarity_rows, "columns"_a, "rows"_a.noconvert(), "kind"_a,
          "gamma"_a, "offset"_a, "degree"_a, "out"_a.noconvert(), "threads"_a);
    m.def("heaviest_ball", &heaviest_ball, "columns"_a, "centres"_a.noconvert(),
          "below"_a.noconvert(), "metric"_a, "kind"_a, "gamma"_a, "offset"_a, "degree"_a,
          "weight"_a.noconvert(), "border"_a.noconvert(), "open"_a.noconvert(), "apart"_a,
          "excused"_a.noconvert(), "kept"_a.noconvert(), "threads"_a);
    m.def("heaviest_given_ball", &heaviest_given_ball, "distances"_a.noconvert(),
          "centres"_a.noconvert(), "below"_a.noconvert(), "weight"_a.noconvert(),
          "border"_a.noconvert(), "open"_a.noconvert(), "apart"_a, "excused"_a.noconvert(),
          "kept"_a.noconvert(), "threads"_a);
    m.def("couple_lines", &couple_lines, "similarity"_a.noconvert(), "list"_a.noconvert(),
          "order"_a.noconvert());
    m.def("heaviest_half_space", &heaviest_half_space, "similarity"_a.noconvert(),
          "prototypes"_a.noconvert(), "toward"_a.noconvert(), "away"_a.noconvert(),
          "toward_order"_a.noconvert(), "away_order"_a.noconvert(), "weight"_a.noconvert(),
          "border"_a.noconvert(), "open"_a.noconvert(), "apart"_a, "excused"_a.noconvert(),
          "kept"_a.noconvert(), "threads"_a);
    // A model that lives until the interpreter ends keeps its compiled conditions, which is no
    // leak.
    nb::set_leak_warnings(false);
    bind_cell_counts(m);
    bind_columns(m);
    bind_conditions(m);
    bind_generalisation(m);
    bind_extensions(m);
    bind_growing(m);
    bind_optimal(m);
    bind_pruning(m);
    bind_routing(m);
    bind_rows(m);
    bind_rule_sets(m);
    bind_sc_graph(m);
    bind_scorecards(m);
}
