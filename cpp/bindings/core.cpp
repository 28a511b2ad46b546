// Names, casts, and the release of the interpreter's lock. No arithmetic lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bins.hpp"
#include "categories.hpp"
#include "geometry.hpp"
#include "parallel.hpp"
#include "tally.hpp"
#include "thresholds.hpp"

namespace nb = nanobind;
namespace rw = rulewright;
using namespace nb::literals;

namespace {

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Columns = std::vector<Strided>;

void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

template <class T>
std::span<T> span_of(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}

template <class T>
std::span<T> row_of(const Matrix<T>& m, std::size_t row) {
    return {m.data() + row * m.shape(1), m.shape(1)};
}

std::vector<rw::Column> columns_of(const Columns& arrays, std::size_t rows) {
    std::vector<rw::Column> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns differ in length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

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
        present.data()[j] =
            static_cast<std::int32_t>(rw::sort_present(columns[j], row_of(order, j)));
    });
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

void weigh_categories(Vector<const std::int32_t> code, Vector<const std::int64_t> weight,
                      Vector<std::int64_t> positive, Vector<std::int64_t> negative) {
    need(code.shape(0) == weight.shape(0), "one weight a row");
    need(positive.shape(0) == negative.shape(0), "two sums a category");
    const nb::gil_scoped_release unlocked;
    rw::weigh_categories(span_of(code), span_of(weight), span_of(positive), span_of(negative));
}

void distances(const Columns& arrays, Vector<const double> point, std::int32_t metric,
               Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "one coordinate a column");
    need(metric >= 0 && metric <= 2, "no such metric");
    const nb::gil_scoped_release unlocked;
    rw::distances(columns, span_of(point), static_cast<rw::Metric>(metric), span_of(out));
}

void similarities(const Columns& arrays, Vector<const double> point, std::int32_t kind,
                  double gamma, double offset, std::int32_t degree, Vector<double> out) {
    const auto columns = columns_of(arrays, out.shape(0));
    need(point.shape(0) == columns.size(), "one coordinate a column");
    need(kind >= 0 && kind <= 2, "no such similarity");
    const nb::gil_scoped_release unlocked;
    rw::similarities(columns, span_of(point),
                     {static_cast<rw::Similarity>(kind), gamma, offset, degree}, span_of(out));
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
    m.def("sort_columns", &sort_columns, "columns"_a, "order"_a.noconvert(),
          "present"_a.noconvert(), "threads"_a);
    m.def("tally_cuts", &tally_cuts, "columns"_a, "order"_a.noconvert(), "present"_a.noconvert(),
          "label"_a.noconvert(), "weight"_a.noconvert(), "classes"_a, "row"_a.noconvert(),
          "below"_a.noconvert(), "cuts"_a.noconvert(), "threads"_a);
    m.def("weigh_categories", &weigh_categories, "code"_a.noconvert(), "weight"_a.noconvert(),
          "positive"_a.noconvert(), "negative"_a.noconvert());
    m.def("distances", &distances, "columns"_a, "point"_a.noconvert(), "metric"_a,
          "out"_a.noconvert());
    m.def("similarities", &similarities, "columns"_a, "point"_a.noconvert(), "kind"_a, "gamma"_a,
          "offset"_a, "degree"_a, "out"_a.noconvert());
}
