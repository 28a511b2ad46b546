#include "extensions.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "modules.hpp"
#include "rule_depth.hpp"
#include "rule_growing.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Words = Vector<const std::uint64_t>;
using Numbers = Vector<std::int32_t>;

// An array that NumPy owns from now on.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(const std::vector<ValueTally>& slots,
                                                T ValueTally::* member) {
    auto* values = new std::vector<T>;
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    values->reserve(slots.size());
    for (const ValueTally& slot : slots) values->push_back(slot.*member);
    return {values->data(), {values->size()}, owner};
}

// Columns as numbers of their values, prepared once for any number of searches.
class ExtensionTable {
public:
    ExtensionTable(Matrix<const std::int32_t> codes, Vector<const std::int32_t> values,
                   std::vector<Words> bits, std::int64_t threads)
        : codes_(std::move(codes)),
          values_(std::move(values)),
          bits_(std::move(bits)),
          threads_(threads_of(threads)) {
        const std::size_t rows = codes_.shape(1);
        need(rows <= max_rows, "rows must be at most 2^31 - 1");
        words_ = (rows + 63) / 64;
        need(values_.shape(0) == codes_.shape(0) && bits_.size() == codes_.shape(0),
             "the arrays must have one entry per column");
        for (std::size_t j = 0; j < codes_.shape(0); ++j) {
            const std::int32_t count = values_.data()[j];
            need(count >= 0, "the number of values of a column must be 0 or more", count);
            const auto values_here = static_cast<std::size_t>(count);
            need_values(values_here, rows, "values");
            const auto code = row_of(codes_, j);
            need_missing_or_below(code, values_here, "value");
            const std::size_t lines = bits_[j].shape(0);
            need(lines == 0 || lines == (values_here + 1) * words_,
                 "the masks must have one line of bits per value");
            columns_.push_back({code, values_here, span_of(bits_[j])});
        }
    }

    auto tally(Words rows, Words own, Vector<const double> weight) const {
        const Covered covered = covered_by(rows, own, weight);
        const std::vector<ValueTally> slots =
            unlocked([&] { return tally_values(columns_, covered, threads_); });
        return std::tuple(array_of(slots, &ValueTally::column), array_of(slots, &ValueTally::code),
                          array_of(slots, &ValueTally::own), array_of(slots, &ValueTally::other));
    }

    auto terms(Words rows, Words own, Vector<const double> weight, Vector<const std::uint8_t> cut,
               Vector<const std::uint8_t> single, Matrix<const std::uint8_t> allowed,
               bool boundaries) const {
        const std::size_t count = columns_.size();
        need(cut.shape(0) == count && single.shape(0) == count && allowed.shape(0) == count,
             "the arrays must have one entry per column");
        need(allowed.shape(1) == term_kinds, "there must be six marks per column");
        const Covered covered = covered_by(rows, own, weight);
        const TermQuery query{span_of(cut), span_of(single), all_of(allowed), boundaries};
        TermTallies found =
            unlocked([&] { return tally_terms(columns_, covered, query, threads_); });
        return std::tuple(bindings::array_of(std::move(found.column)),
                          bindings::array_of(std::move(found.relation)),
                          bindings::array_of(std::move(found.code)),
                          bindings::array_of(std::move(found.own)),
                          bindings::array_of(std::move(found.other)));
    }

    // The tests of a rule as rows of column, relation and value.
    auto grow(Vector<const std::int32_t> rows, Vector<const std::uint8_t> own,
              Vector<const double> weight, Vector<const std::uint8_t> numeric,
              Vector<const std::uint8_t> allowed, Matrix<const std::int32_t> first, bool foil,
              double min_weight, std::size_t max_tests) {
        const std::size_t all = codes_.shape(1);
        need_below(span_of(rows), all, "row");
        need(own.shape(0) == all, "classes must have one entry per row");
        need_marks(span_of(own));
        need(weight.shape(0) == 0 || weight.shape(0) == all, "weight must have one number per row");
        need_weights(span_of(weight));
        need_number(min_weight, "the minimum weight");
        need(numeric.shape(0) == columns_.size() && allowed.shape(0) == columns_.size(),
             "the arrays must have one entry per column");
        for (std::size_t i = 1; i < rows.shape(0); ++i) {
            need(rows.data()[i - 1] < rows.data()[i], "rows must be in increasing order");
        }
        const std::vector<ColumnTest> begin = tests_of(first);
        prepare_bins();
        const RuleGrowthOptions options{foil ? Gain::foil : Gain::boosting, min_weight, max_tests};
        const std::vector<ColumnTest> tests = unlocked([&] {
            return grow_rule({columns_, binned_, span_of(numeric), span_of(allowed)},
                             {span_of(rows), span_of(own), span_of(weight)}, begin, options,
                             threads_);
        });
        std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> found;
        for (const ColumnTest& t : tests) {
            found.emplace_back(t.column, static_cast<std::int32_t>(t.relation), t.code);
        }
        return found;
    }

    void depth(Matrix<const std::int32_t> tests, Vector<const std::int32_t> rows,
               Vector<std::int32_t> out) const {
        need_below(span_of(rows), codes_.shape(1), "row");
        need(out.shape(0) == rows.shape(0), "the output must have one entry per row");
        const std::vector<ColumnTest> allowed = tests_of(tests);
        const TestedColumns tested{columns_, binned_};
        unlocked([&] { first_failing(tested, allowed, span_of(rows), span_of(out)); });
    }

    auto passing(Matrix<const std::int32_t> tests, Vector<const std::int32_t> rows) const {
        need_below(span_of(rows), codes_.shape(1), "row");
        const std::vector<ColumnTest> allowed = tests_of(tests);
        const TestedColumns tested{columns_, binned_};
        return bindings::array_of(
            unlocked([&] { return passing_rows(tested, allowed, span_of(rows)); }));
    }

private:
    Covered covered_by(const Words& rows, const Words& own,
                       const Vector<const double>& weight) const {
        need(rows.shape(0) == words_ && own.shape(0) == words_,
             "the masks must have one bit per row");
        need(weight.shape(0) == 0 || weight.shape(0) == codes_.shape(1),
             "weight must have one number per row");
        need_weights(span_of(weight));
        const std::size_t last = codes_.shape(1) % 64;
        need(!words_ || !last || rows.data()[words_ - 1] >> last == 0,
             "the masks must have no bits beyond the rows");
        return {span_of(rows), span_of(own), span_of(weight)};
    }

    // All at once, under the lock: another thread may have made them already, and reads them.
    void prepare_bins() {
        if (!binned_.empty()) return;
        std::vector<BinnedColumn> made = unlocked([&] {
            std::vector<BinnedColumn> bins;
            for (const CodedColumn& x : columns_) bins.push_back(bin_values(x));
            return bins;
        });
        if (binned_.empty()) binned_ = std::move(made);
    }

    std::vector<ColumnTest> tests_of(const Matrix<const std::int32_t>& numbers) const {
        std::vector<ColumnTest> tests;
        for (std::size_t i = 0; i < numbers.shape(0); ++i) {
            const auto test = row_of(numbers, i);
            need(test.size() == 3, "tests must have a column, a relation and a value");
            need(test[0] >= 0 && static_cast<std::size_t>(test[0]) < columns_.size(),
                 "the column of a test is out of range");
            need(test[1] >= 0 && test[1] <= 2, "the relation of a test is not valid");
            need(test[2] >= 0, "the value of a test is out of range");
            tests.push_back({test[0], static_cast<Relation>(test[1]), test[2]});
        }
        return tests;
    }

    Matrix<const std::int32_t> codes_;
    Vector<const std::int32_t> values_;
    std::vector<Words> bits_;
    std::size_t threads_;
    std::size_t words_ = 0;
    std::vector<CodedColumn> columns_;
    std::vector<BinnedColumn> binned_;  // made when the first rule is grown
};

}  // namespace

void bind_extensions(nb::module_& m) {
    nb::class_<ExtensionTable>(m, "ExtensionTable")
        .def(nb::init<Matrix<const std::int32_t>, Vector<const std::int32_t>, std::vector<Words>,
                      std::int64_t>(),
             "codes"_a.noconvert(), "values"_a.noconvert(), "bits"_a, "threads"_a)
        .def("tally", &ExtensionTable::tally, "rows"_a.noconvert(), "own"_a.noconvert(),
             "weight"_a.noconvert())
        .def("terms", &ExtensionTable::terms, "rows"_a.noconvert(), "own"_a.noconvert(),
             "weight"_a.noconvert(), "cut"_a.noconvert(), "single"_a.noconvert(),
             "allowed"_a.noconvert(), "boundaries"_a)
        .def("grow", &ExtensionTable::grow, "rows"_a.noconvert(), "own"_a.noconvert(),
             "weight"_a.noconvert(), "numeric"_a.noconvert(), "allowed"_a.noconvert(),
             "first"_a.noconvert(), "foil"_a, "min_weight"_a, "max_tests"_a)
        .def("depth", &ExtensionTable::depth, "tests"_a.noconvert(), "rows"_a.noconvert(),
             "out"_a.noconvert())
        .def("passing", &ExtensionTable::passing, "tests"_a.noconvert(), "rows"_a.noconvert());
}

}  // namespace rulewright::bindings
