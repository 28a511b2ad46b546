// Numeric columns that are prepared once: coded for thresholds, sorted for tallies and intervals.
//
// The arrays that a search reads are made and kept here, so they always fit the columns.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "bins.hpp"
#include "interruption.hpp"
#include "intervals.hpp"
#include "modules.hpp"
#include "parallel.hpp"
#include "sorting.hpp"
#include "tally.hpp"
#include "thresholds.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

// A matrix with one row per column, in one block of memory.
template <class T>
class LineBuffer {
public:
    LineBuffer(std::size_t lines, std::size_t width)
        : width_(width), values_(std::make_unique_for_overwrite<T[]>(lines * width)) {}

    std::span<T> operator[](std::size_t line) const noexcept {
        return {values_.get() + line * width_, width_};
    }

private:
    std::size_t width_;
    std::unique_ptr<T[]> values_;
};

std::size_t rows_of(const Columns& arrays) { return arrays.empty() ? 0 : arrays[0].shape(0); }

class BinnedColumns {
public:
    BinnedColumns(Columns arrays, std::int64_t threads)
        : arrays_(std::move(arrays)),
          rows_(rows_of(arrays_)),
          threads_(threads_of(threads)),
          columns_(columns_of(arrays_, rows_)),
          code_(columns_.size(), rows_),
          mixed_(columns_.size(), rows_ > max_ranked_rows ? code_words : 0),
          single_(columns_.size(), bin_words),
          smallest_(columns_.size()),
          cells_(columns_.size()) {
        unlocked([&] {
            for_each_task(columns_.size(), threads_, [&](std::size_t j) {
                bin_column(columns_[j],
                           {code_[j], mixed_[j], single_[j], &smallest_[j], &cells_[j]});
            });
        });
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            bins_.push_back({code_[j], mixed_[j], single_[j], smallest_[j],
                             static_cast<std::size_t>(cells_[j])});
        }
    }

    std::tuple<std::int64_t, bool, double, std::int64_t, std::int64_t> heaviest(
        Vector<const std::int64_t> weight, bool gathers_missing, bool prefers_above) const {
        need(weight.shape(0) == rows_, "weight must have one number per row");
        const auto found = unlocked([&] {
            need_safe_sum(span_of(weight));
            return heaviest_threshold(columns_, bins_,
                                      {span_of(weight), gathers_missing, prefers_above, threads_});
        });
        return {found.column, found.above, found.cut, found.total, found.gathered};
    }

private:
    Columns arrays_;
    std::size_t rows_;
    std::size_t threads_;
    std::vector<Column> columns_;
    LineBuffer<std::uint16_t> code_;
    LineBuffer<std::uint64_t> mixed_;
    LineBuffer<std::uint64_t> single_;
    std::vector<double> smallest_;
    std::vector<std::int32_t> cells_;
    std::vector<Bins> bins_;
};

class SortedColumns {
public:
    SortedColumns(Columns arrays, std::int64_t threads)
        : arrays_(std::move(arrays)),
          rows_(rows_of(arrays_)),
          threads_(threads_of(threads)),
          columns_(columns_of(arrays_, rows_)),
          order_(columns_.size(), rows_),
          last_(columns_.size(), rows_),
          present_(columns_.size()) {
        unlocked([&] {
            for_each_task(columns_.size(), threads_, [&](std::size_t j) {
                auto* const rows = reinterpret_cast<std::uint32_t*>(order_[j].data());
                present_[j] = sort_rows(columns_[j], {rows, rows_}, 0);
                mark_last(columns_[j], order(j), last_[j]);
            });
        });
    }

    // `row` has one matrix row per column, and `below` one entry per class for each of its entries.
    void tally(std::size_t first, Vector<const std::int32_t> label, Vector<const double> weight,
               std::size_t classes, Matrix<std::int32_t> row, Matrix<double> below,
               Vector<std::int32_t> cuts) const {
        const std::size_t d = row.shape(0);
        need(first <= columns_.size() && d <= columns_.size() - first,
             "the range of columns is not valid");
        need(label.shape(0) == rows_ && weight.shape(0) == rows_,
             "labels and weights must have one number per row");
        need(below.shape(0) == d && cuts.shape(0) == d, "the outputs must have one row per column");
        need(classes >= 1 && classes <= max_rows, "classes must be 1 or more");
        need(row.shape(1) == rows_ && below.shape(1) == rows_ * classes,
             "the outputs must have one entry per row");
        unlocked([&] {
            need_below(span_of(label), classes, "class");
            need_weights(span_of(weight));
            for_each_task(d, threads_, [&](std::size_t j) {
                checkpoint(rows_ + classes);
                const TallyOut out{row_of(row, j), row_of(below, j)};
                cuts.data()[j] = static_cast<std::int32_t>(
                    tally_cuts(columns_[first + j], order(first + j), span_of(label),
                               span_of(weight), classes, out));
            });
        });
    }

    // The marks of ends have one entry per row, or none if every row may be an end.
    std::tuple<std::int64_t, bool, std::int32_t, std::int32_t, std::int64_t, std::int64_t> heaviest(
        Vector<const std::int64_t> weight, Vector<const std::uint8_t> inside_end,
        Vector<const std::uint8_t> outside_end, bool gathers_missing, bool prefers_outside) const {
        need(weight.shape(0) == rows_, "weight must have one number per row");
        for (const auto& ends : {inside_end, outside_end}) {
            need(ends.shape(0) == 0 || ends.shape(0) == rows_, "marks must have one entry per row");
        }
        std::vector<SortedColumn> sorted;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            sorted.push_back({order(j), last_[j].first(present_[j])});
        }
        const auto found = unlocked([&] {
            need_safe_sum(span_of(weight));
            return heaviest_interval(sorted,
                                     {span_of(weight), span_of(inside_end), span_of(outside_end),
                                      gathers_missing, prefers_outside, threads_});
        });
        return {found.column, found.inside, found.low, found.high, found.total, found.gathered};
    }

private:
    std::span<const std::int32_t> order(std::size_t j) const noexcept {
        return order_[j].first(present_[j]);
    }

    Columns arrays_;
    std::size_t rows_;
    std::size_t threads_;
    std::vector<Column> columns_;
    LineBuffer<std::int32_t> order_;
    LineBuffer<bool> last_;
    std::vector<std::size_t> present_;
};

}  // namespace

void bind_columns(nb::module_& m) {
    nb::class_<BinnedColumns>(m, "BinnedColumns")
        .def(nb::init<Columns, std::int64_t>(), "columns"_a, "threads"_a)
        .def("heaviest", &BinnedColumns::heaviest, "weight"_a.noconvert(), "gathers_missing"_a,
             "prefers_above"_a);
    nb::class_<SortedColumns>(m, "SortedColumns")
        .def(nb::init<Columns, std::int64_t>(), "columns"_a, "threads"_a)
        .def("tally", &SortedColumns::tally, "first"_a, "label"_a.noconvert(),
             "weight"_a.noconvert(), "classes"_a, "row"_a.noconvert(), "below"_a.noconvert(),
             "cuts"_a.noconvert())
        .def("heaviest", &SortedColumns::heaviest, "weight"_a.noconvert(),
             "inside_end"_a.noconvert(), "outside_end"_a.noconvert(), "gathers_missing"_a,
             "prefers_outside"_a);
}

}  // namespace rulewright::bindings
