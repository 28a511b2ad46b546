// Rows routed through trees: names, casts, and the release of the interpreter's lock.
#include "routing.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;
namespace rw = rulewright;
using namespace nb::literals;

namespace {

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Strided = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

template <class Column, class T>
std::vector<Column> columns_of(const std::vector<Strided<T>>& arrays, std::size_t rows) {
    std::vector<Column> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns differ in length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

// Every test leads on to later ones, so that every row arrives.
void need_sound(std::span<const rw::RouteTest> tests, std::size_t numbers, std::size_t codes,
                std::size_t words) {
    need(!tests.empty(), "tests are needed");
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const auto& test = tests[i];
        const auto later = [&](std::int32_t next) {
            return next < 0 || (static_cast<std::size_t>(next) > i &&
                                static_cast<std::size_t>(next) < tests.size());
        };
        need(later(test.inside) && later(test.outside), "a test leads back");
        need(test.column >= 0 &&
                 static_cast<std::size_t>(test.column) < (test.bits < 0 ? numbers : codes),
             "no such column");
        need(test.bits < 0 || static_cast<std::size_t>(test.bits) < words, "no such bits");
    }
}

void route(const std::vector<Strided<double>>& number_columns,
           const std::vector<Strided<std::int32_t>>& code_columns, Vector<const double> low,
           Vector<const double> high, Vector<const std::int32_t> column,
           Vector<const std::int32_t> bits, Vector<const std::int32_t> inside,
           Vector<const std::int32_t> outside, Vector<const std::uint64_t> words,
           Vector<std::int32_t> leaf, std::size_t threads) {
    const auto numbers = columns_of<rw::Column>(number_columns, leaf.shape(0));
    const auto codes = columns_of<rw::CodeColumn>(code_columns, leaf.shape(0));
    const std::size_t count = low.shape(0);
    need(high.shape(0) == count && column.shape(0) == count && bits.shape(0) == count &&
             inside.shape(0) == count && outside.shape(0) == count,
         "one of each array a test");
    const nb::gil_scoped_release unlocked;
    std::vector<rw::RouteTest> tests(count);
    for (std::size_t i = 0; i < count; ++i) {
        tests[i] = {low.data()[i],  high.data()[i],   column.data()[i],
                    bits.data()[i], inside.data()[i], outside.data()[i]};
    }
    need_sound(tests, numbers.size(), codes.size(), words.shape(0));
    rw::route({numbers, codes}, tests, {words.data(), words.shape(0)}, {leaf.data(), leaf.shape(0)},
              threads);
}

}  // namespace

void bind_routing(nb::module_& m) {
    m.def("route", &route, "numbers"_a, "codes"_a, "low"_a.noconvert(), "high"_a.noconvert(),
          "column"_a.noconvert(), "bits"_a.noconvert(), "inside"_a.noconvert(),
          "outside"_a.noconvert(), "words"_a.noconvert(), "leaf"_a.noconvert(), "threads"_a);
}
