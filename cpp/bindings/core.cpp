// Names, casts, and the release of the interpreter's lock. No arithmetic lives here.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "balls.hpp"
#include "bins.hpp"
#include "categories.hpp"
#include "gathering.hpp"
#include "geometry.hpp"
#include "half_spaces.hpp"
#include "intervals.hpp"
#include "modules.hpp"
#include "parallel.hpp"
#include "rays.hpp"
#include "sorting.hpp"
#include "tally.hpp"
#include "thresholds.hpp"

namespace rw = rulewright;
using namespace rulewright::bindings;
using namespace nb::literals;

namespace {

// `mixed` has a line of bits a column, or no columns where there are few rows.
void bin_columns(const Columns& arrays, Matrix<std::uint16_t> code, Matrix<std::uint64_t> mixed,
                 Matrix<std::uint64_t> single, Vector<double> smallest, Vector<std::int32_t> cells,
                 std::size_t threads) {
    const auto columns = columns_of(arrays, code.shape(1));
    const std::size_t d = columns.size();
    const bool ranked = code.shape(1) <= rw::most_ranked_rows;
    need(code.shape(0) == d && mixed.shape(0) == d && single.shape(0) == d &&
             smallest.shape(0) == d && cells.shape(0) == d,
         "one row of each output a column");
    need(mixed.shape(1) == (ranked ? 0 : rw::code_words) && single.shape(1) == rw::bin_words,
         "room for one bit a code and a coarse bin");
    const nb::gil_scoped_release unlocked;
    rw::for_each_task(d, threads, [&](std::size_t j) {
        rw::bin_column(columns[j], {row_of(code, j), row_of(mixed, j), row_of(single, j),
                                    smallest.data() + j, cells.data() + j});
    });
}

std::tuple<std::int64_t, bool, double, std::int64_t, std::int64_t> heaviest_threshold(
    const Columns& arrays, Matrix<const std::uint16_t> code, Matrix<const std::uint64_t> mixed,
    Matrix<const std::uint64_t> single, Vector<const double> smallest,
    Vector<const std::int32_t> cells, Vector<const std::int64_t> weight, bool gathers_missing,
    bool prefers_above, std::size_t threads) {
    const auto columns = columns_of(arrays, weight.shape(0));
    const std::size_t d = columns.size();
    need(code.shape(0) == d && mixed.shape(0) == d && single.shape(0) == d &&
             smallest.shape(0) == d && cells.shape(0) == d,
         "one row of each array a column");
    need(code.shape(1) == weight.shape(0), "one weight a row");
    need((mixed.shape(1) == 0 || mixed.shape(1) == rw::code_words) &&
             single.shape(1) == rw::bin_words,
         "one bit a code and a coarse bin");
    std::vector<rw::Bins> bins;
    bins.reserve(d);
    for (std::size_t j = 0; j < d; ++j) {
        bins.push_back({row_of(code, j), row_of(mixed, j), row_of(single, j), smallest.data()[j],
                        static_cast<std::size_t>(cells.data()[j])});
    }
    rw::HeaviestThreshold found;
    {
        const nb::gil_scoped_release unlocked;
        found = rw::heaviest_threshold(columns, bins,
                                       {span_of(weight), gathers_missing, prefers_above, threads});
    }
    return {found.column, found.above, found.cut, found.total, found.gathered};
}

void sort_columns(const Columns& arrays, Matrix<std::int32_t> order, Vector<std::int32_t> present,
                  std::size_t threads) {
    const auto columns = columns_of(arrays, order.shape(1));
    need(order.shape(0) == columns.size() && present.shape(0) == columns.size(),
         "one row of each output a column");
    const nb::gil_scoped_release unlocked;
    rw::for_each_task(columns.size(), threads, [&](std::size_t j) {
        auto* rows = reinterpret_cast<std::uint32_t*>(row_of(order, j).data());
        const std::size_t count = rw::sort_rows(columns[j], {rows, order.shape(1)}, 0);
        present.data()[j] = static_cast<std::int32_t>(count);
    });
}

void gather(const Columns& arrays, Vector<const std::int64_t> rows, Matrix<double> out) {
    const std::size_t length = arrays.empty() ? 0 : arrays.front().shape(0);
    const auto columns = columns_of(arrays, length);
    need(out.shape(0) == columns.size() && out.shape(1) == rows.shape(0),
         "one line of the output a column, one place a row");
    for (const auto row : span_of(rows)) {
        need(row >= 0 && static_cast<std::size_t>(row) < length, "a row is out of range");
    }
    const nb::gil_scoped_release unlocked;
    rw::gather(columns, span_of(rows), {out.data(), out.size()});
}

// `row` has a line of places a column, `below` the same with `classes` places for each of them.
void tally_cuts(const Columns& arrays, Matrix<const std::int32_t> order,
                Vector<const std::int32_t> present, Vector<const std::int32_t> label,
                Vector<const double> weight, std::size_t classes, Matrix<std::int32_t> row,
                Matrix<double> below, Vector<std::int32_t> cuts, std::size_t threads) {
    const auto columns = columns_of(arrays, label.shape(0));
    const std::size_t d = columns.size();
    const std::size_t rows = label.shape(0);
    need(weight.shape(0) == rows, "one weight a row");
    need(order.shape(0) == d && present.shape(0) == d && row.shape(0) == d && below.shape(0) == d &&
             cuts.shape(0) == d,
         "one row of each array a column");
    need(order.shape(1) == rows && row.shape(1) == rows && below.shape(1) == rows * classes,
         "room for every row");
    const nb::gil_scoped_release unlocked;
    rw::for_each_task(d, threads, [&](std::size_t j) {
        const auto known = static_cast<std::size_t>(present.data()[j]);
        cuts.data()[j] = static_cast<std::int32_t>(
            rw::tally_cuts(columns[j], row_of(order, j).first(known), span_of(label),
                           span_of(weight), classes, {row_of(row, j), row_of(below, j)}));
    });
}

void mark_last(const Columns& arrays, Matrix<const std::int32_t> order,
               Vector<const std::int32_t> present, Matrix<bool> last, std::size_t threads) {
    const auto columns = columns_of(arrays, order.shape(1));
    const std::size_t d = columns.size();
    need(order.shape(0) == d && present.shape(0) == d && last.shape(0) == d,
         "one row of each array a column");
    need(last.shape(1) == order.shape(1), "room for every row");
    const nb::gil_scoped_release unlocked;
    rw::for_each_task(d, threads, [&](std::size_t j) {
        const auto known = static_cast<std::size_t>(present.data()[j]);
        rw::mark_last(columns[j], row_of(order, j).first(known), row_of(last, j));
    });
}

// The marks of ends are one a row, or none where every row may be one.
std::tuple<std::int64_t, bool, std::int32_t, std::int32_t, std::int64_t, std::int64_t>
heaviest_interval(Matrix<const std::int32_t> order, Matrix<const bool> last,
                  Vector<const std::int32_t> present, Vector<const std::int64_t> weight,
                  Vector<const bool> inside_end, Vector<const bool> outside_end,
                  bool gathers_missing, bool prefers_outside, std::size_t threads) {
    const std::size_t d = order.shape(0);
    const std::size_t rows = weight.shape(0);
    need(last.shape(0) == d && present.shape(0) == d, "one row of each array a column");
    need(order.shape(1) == rows && last.shape(1) == rows, "one weight a row");
    need((inside_end.shape(0) == 0 || inside_end.shape(0) == rows) &&
             (outside_end.shape(0) == 0 || outside_end.shape(0) == rows),
         "one mark a row");
    std::vector<rw::SortedColumn> columns;
    columns.reserve(d);
    for (std::size_t j = 0; j < d; ++j) {
        const auto known = static_cast<std::size_t>(present.data()[j]);
        columns.push_back({row_of(order, j).first(known), row_of(last, j).first(known)});
    }
    rw::HeaviestInterval found;
    {
        const nb::gil_scoped_release unlocked;
        found = rw::heaviest_interval(
            columns, {span_of(weight), span_of(inside_end), span_of(outside_end), gathers_missing,
                      prefers_outside, threads});
    }
    return {found.column, found.inside, found.low, found.high, found.total, found.gathered};
}

void weigh_categories(Vector<const std::int32_t> code, Vector<const std::int64_t> weight,
                      Vector<std::int64_t> positive, Vector<std::int64_t> negative) {
    need(code.shape(0) == weight.shape(0), "one weight a row");
    need(positive.shape(0) == negative.shape(0), "two sums a category");
    const nb::gil_scoped_release unlocked;
    rw::weigh_categories(span_of(code), span_of(weight), span_of(positive), span_of(negative));
}

rw::Metric metric_of(std::int32_t number) {
    need(number >= 0 && number <= 2, "no such metric");
    return static_cast<rw::Metric>(number);
}

rw::SimilarityShape shape_of(std::int32_t kind, double gamma, double offset, std::int32_t degree) {
    need(kind >= 0 && kind <= 2, "no such similarity");
    return {static_cast<rw::Similarity>(kind), gamma, offset, degree};
}

void distances(const Columns& arrays, Vector<const double> point, std::int32_t metric,
               Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "one coordinate a column");
    const auto by = metric_of(metric);
    const nb::gil_scoped_release unlocked;
    rw::distances(columns, span_of(point), by, span_of(out));
}

void similarities(const Columns& arrays, Vector<const double> point, std::int32_t kind,
                  double gamma, double offset, std::int32_t degree, Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "one coordinate a column");
    const auto shape = shape_of(kind, gamma, offset, degree);
    const nb::gil_scoped_release unlocked;
    rw::similarities(columns, span_of(point), shape, span_of(out));
}

void kernel_distances(const Columns& arrays, Vector<const double> point, std::int32_t kind,
                      double gamma, double offset, std::int32_t degree, Vector<double> self,
                      Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "one coordinate a column");
    need(self.shape(0) == out.shape(0), "one similarity with itself a row");
    const auto shape = shape_of(kind, gamma, offset, degree);
    const nb::gil_scoped_release unlocked;
    rw::self_similarities(columns, shape, span_of(self));
    rw::kernel_distances(columns, span_of(self), span_of(point), shape, span_of(out));
}

void similarity_rows(const Columns& arrays, Vector<const std::int32_t> rows, std::int32_t kind,
                     double gamma, double offset, std::int32_t degree, Matrix<double> out,
                     std::size_t threads) {
    const auto columns = columns_of(arrays, out.shape(1));
    need(out.shape(0) == rows.shape(0), "one line a row");
    need_below(span_of(rows), out.shape(1), "no such row");
    const auto shape = shape_of(kind, gamma, offset, degree);
    const nb::gil_scoped_release unlocked;
    rw::similarity_rows(columns, span_of(rows), shape, out.shape(1), out.data(), threads);
}

using Found = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

// The masks have a byte a row; `open` may be empty.
rw::RayQuery ray_query(Vector<const std::int64_t> weight, Vector<const std::uint8_t> border,
                       Vector<const std::uint8_t> open, std::size_t threads) {
    need(border.shape(0) == weight.shape(0), "one weight and one mark a row");
    need(open.shape(0) == 0 || open.shape(0) == weight.shape(0), "one mark a row");
    return {span_of(weight), span_of(border), span_of(open), threads};
}

rw::Centres centres_of(Vector<const std::int32_t> centres, Vector<const std::uint8_t> below,
                       Vector<std::int64_t> kept, std::size_t rows) {
    need(below.shape(0) == centres.shape(0) && kept.shape(0) == centres.shape(0),
         "one of each array a centre");
    need_below(span_of(centres), rows, "no such row");
    return {span_of(centres), span_of(below)};
}

// `metric` 0 to 2, or -1 for the metric of the kernel.
rw::Apartness apartness_of(bool apart, const Vector<const std::uint8_t>& excused,
                           std::size_t rows) {
    need(excused.shape(0) == 0 || excused.shape(0) == rows, "one mark a row");
    return {apart, span_of(excused)};
}

Found heaviest_ball(const Columns& arrays, Vector<const std::int32_t> centres,
                    Vector<const std::uint8_t> below, std::int32_t metric, std::int32_t kind,
                    double gamma, double offset, std::int32_t degree,
                    Vector<const std::int64_t> weight, Vector<const std::uint8_t> border,
                    Vector<const std::uint8_t> open, bool apart, Vector<const std::uint8_t> excused,
                    Vector<std::int64_t> kept, std::size_t threads) {
    const auto columns = columns_of(arrays, weight.shape(0));
    const auto query = ray_query(weight, border, open, threads);
    const auto around = centres_of(centres, below, kept, weight.shape(0));
    const auto apartness = apartness_of(apart, excused, weight.shape(0));
    const rw::BallShape shape = {metric < 0, metric < 0 ? rw::Metric::l2 : metric_of(metric),
                                 shape_of(kind, gamma, offset, degree)};
    rw::HeaviestRay found;
    {
        const nb::gil_scoped_release unlocked;
        found = rw::heaviest_ball(columns, shape, around, apartness, query, span_of(kept));
    }
    return {found.total, found.gathered, found.ray, found.border};
}

Found heaviest_given_ball(Matrix<const double> distances, Vector<const std::int32_t> centres,
                          Vector<const std::uint8_t> below, Vector<const std::int64_t> weight,
                          Vector<const std::uint8_t> border, Vector<const std::uint8_t> open,
                          bool apart, Vector<const std::uint8_t> excused, Vector<std::int64_t> kept,
                          std::size_t threads) {
    const auto query = ray_query(weight, border, open, threads);
    const auto around = centres_of(centres, below, kept, weight.shape(0));
    const auto apartness = apartness_of(apart, excused, weight.shape(0));
    need(distances.shape(0) == centres.shape(0) && distances.shape(1) == weight.shape(0),
         "one line a centre, one distance a row");
    rw::HeaviestRay found;
    {
        const nb::gil_scoped_release unlocked;
        found = rw::heaviest_given_ball(distances.data(), around, apartness, query, span_of(kept));
    }
    return {found.total, found.gathered, found.ray, found.border};
}

void couple_lines(Matrix<const double> similarity, Vector<const std::int32_t> list,
                  Vector<std::int32_t> order) {
    need_below(span_of(list), similarity.shape(0), "no such prototype");
    need(order.shape(0) == list.shape(0), "one place a prototype");
    const nb::gil_scoped_release unlocked;
    rw::couple_lines(similarity.data(), similarity.shape(1), span_of(list), span_of(order));
}

rw::Prototypes prototypes_of(Vector<const std::int32_t> list, Vector<const std::int32_t> order,
                             std::size_t lines) {
    need_below(span_of(list), lines, "no such prototype");
    need_below(span_of(order), list.shape(0), "no such place");
    need(order.shape(0) == list.shape(0), "one place a prototype");
    return {span_of(list), span_of(order)};
}

Found heaviest_half_space(Matrix<const double> similarity, Vector<const std::int32_t> prototypes,
                          Vector<const std::int32_t> toward, Vector<const std::int32_t> away,
                          Vector<const std::int32_t> toward_order,
                          Vector<const std::int32_t> away_order, Vector<const std::int64_t> weight,
                          Vector<const std::uint8_t> border, Vector<const std::uint8_t> open,
                          bool apart, Vector<const std::uint8_t> excused, Vector<std::int64_t> kept,
                          std::size_t threads) {
    const auto query = ray_query(weight, border, open, threads);
    need(similarity.shape(0) == prototypes.shape(0) && similarity.shape(1) == weight.shape(0),
         "one line a prototype, one similarity a row");
    const auto apartness = apartness_of(apart, excused, weight.shape(0));
    need(kept.shape(0) == toward.shape(0) * away.shape(0), "one limit a pair");
    need_below(span_of(prototypes), weight.shape(0), "no such row");
    const rw::Pairs pairs = {similarity.data(), span_of(prototypes),
                             prototypes_of(toward, toward_order, prototypes.shape(0)),
                             prototypes_of(away, away_order, prototypes.shape(0))};
    rw::HeaviestRay found;
    {
        const nb::gil_scoped_release unlocked;
        found = rw::heaviest_half_space(pairs, apartness, query, span_of(kept));
    }
    return {found.total, found.gathered, found.ray, found.border};
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Rulewright's kernels. Call them through rulewright.kernels.";
    m.attr("most_ranked_rows") = rw::most_ranked_rows;
    m.attr("code_words") = rw::code_words;
    m.attr("bin_words") = rw::bin_words;
    m.def("bin_columns", &bin_columns, "columns"_a, "code"_a.noconvert(), "mixed"_a.noconvert(),
          "single"_a.noconvert(), "smallest"_a.noconvert(), "cells"_a.noconvert(), "threads"_a);
    m.def("heaviest_threshold", &heaviest_threshold, "columns"_a, "code"_a.noconvert(),
          "mixed"_a.noconvert(), "single"_a.noconvert(), "smallest"_a.noconvert(),
          "cells"_a.noconvert(), "weight"_a.noconvert(), "gathers_missing"_a, "prefers_above"_a,
          "threads"_a);
    m.def("gather", &gather, "columns"_a, "rows"_a.noconvert(), "out"_a.noconvert());
    m.def("sort_columns", &sort_columns, "columns"_a, "order"_a.noconvert(),
          "present"_a.noconvert(), "threads"_a);
    m.def("tally_cuts", &tally_cuts, "columns"_a, "order"_a.noconvert(), "present"_a.noconvert(),
          "label"_a.noconvert(), "weight"_a.noconvert(), "classes"_a, "row"_a.noconvert(),
          "below"_a.noconvert(), "cuts"_a.noconvert(), "threads"_a);
    m.def("mark_last", &mark_last, "columns"_a, "order"_a.noconvert(), "present"_a.noconvert(),
          "last"_a.noconvert(), "threads"_a);
    m.def("heaviest_interval", &heaviest_interval, "order"_a.noconvert(), "last"_a.noconvert(),
          "present"_a.noconvert(), "weight"_a.noconvert(), "inside_end"_a.noconvert(),
          "outside_end"_a.noconvert(), "gathers_missing"_a, "prefers_outside"_a, "threads"_a);
    m.def("weigh_categories", &weigh_categories, "code"_a.noconvert(), "weight"_a.noconvert(),
          "positive"_a.noconvert(), "negative"_a.noconvert());
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
    bind_dropping(m);
    bind_extensions(m);
    bind_growing(m);
    bind_pruning(m);
    bind_routing(m);
    bind_sc_graph(m);
}
