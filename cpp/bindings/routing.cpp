// Rows routed through trees: names, casts, and the release of the interpreter's lock.
#include "routing.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "modules.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

template <class T>
using StridedOf = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

template <class ColumnOf, class T>
std::vector<ColumnOf> strided_of(const std::vector<StridedOf<T>>& arrays, std::size_t rows) {
    std::vector<ColumnOf> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns differ in length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

// Every end is a later test, a leaf or a fork of branches, so that every row arrives.
void need_sound(const rulewright::Routes& routes, std::size_t numbers, std::size_t codes) {
    const auto count = static_cast<std::int64_t>(routes.tests.size());
    const auto forks = static_cast<std::int64_t>(routes.first.size()) - 1;
    const auto leaves = static_cast<std::int64_t>(routes.output.size());
    const auto parts = static_cast<std::int64_t>(routes.target.size());
    need(count > 0 && forks >= 0, "tests are needed");
    need(routes.first[0] == 0 && routes.first.back() == parts, "the forks have other branches");
    need(routes.share.size() == routes.target.size(), "one share a branch");
    for (const auto c : routes.output) {
        need(c >= 0 && static_cast<std::size_t>(c) < routes.classes, "no such class");
    }
    // Ends of a test lead to later tests. Branches of a fork lead beyond every test that has it.
    std::vector<std::int64_t> earliest(static_cast<std::size_t>(forks), count);
    for (std::int64_t f = 0; f < forks; ++f) {
        const auto from = routes.first[static_cast<std::size_t>(f)];
        const auto to = routes.first[static_cast<std::size_t>(f) + 1];
        need(from < to && to <= parts, "a fork needs branches");
        for (auto i = from; i < to; ++i) {
            const std::int64_t end = routes.target[static_cast<std::size_t>(i)];
            need(end < count && ~end < leaves, "a fork leads nowhere");
            if (end >= 0) {
                auto& least = earliest[static_cast<std::size_t>(f)];
                least = std::min(least, end);
            }
        }
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& test = routes.tests[static_cast<std::size_t>(i)];
        for (const std::int64_t end : {test.inside, test.outside}) {
            need(end < count && ~end < leaves + forks, "a test leads nowhere");
            const bool fork = ~end >= leaves;
            need(fork ? earliest[static_cast<std::size_t>(~end - leaves)] > i : end < 0 || end > i,
                 "a test leads back");
        }
        need(test.column >= 0 &&
                 static_cast<std::size_t>(test.column) < (test.bits < 0 ? numbers : codes),
             "no such column");
        need(test.bits < 0 || static_cast<std::size_t>(test.bits) < routes.words.size(),
             "no such bits");
    }
}

template <class T>
std::span<const T> span_of(const Vector<const T>& v) {
    return {v.data(), v.shape(0)};
}

nb::tuple route(const std::vector<StridedOf<double>>& number_columns,
                const std::vector<StridedOf<std::int32_t>>& code_columns, Vector<const double> low,
                Vector<const double> high, Vector<const std::int32_t> column,
                Vector<const std::int32_t> bits, Vector<const std::int32_t> inside,
                Vector<const std::int32_t> outside, Vector<const std::uint64_t> words,
                Vector<const std::int32_t> first, Vector<const std::int32_t> target,
                Vector<const double> share, Vector<const std::int32_t> output, std::size_t classes,
                Vector<std::int32_t> leaf, std::size_t threads, bool in_parts) {
    const auto numbers = strided_of<rulewright::Column>(number_columns, leaf.shape(0));
    const auto codes = strided_of<rulewright::CodeColumn>(code_columns, leaf.shape(0));
    const std::size_t count = low.shape(0);
    need(high.shape(0) == count && column.shape(0) == count && bits.shape(0) == count &&
             inside.shape(0) == count && outside.shape(0) == count,
         "one of each array a test");
    std::vector<rulewright::RouteTest> tests(count);
    for (std::size_t i = 0; i < count; ++i) {
        tests[i] = {low.data()[i],  high.data()[i],   column.data()[i],
                    bits.data()[i], inside.data()[i], outside.data()[i]};
    }
    const rulewright::Routes routes = {tests,           span_of(words), span_of(first),
                                       span_of(target), span_of(share), span_of(output),
                                       classes};
    const std::span<std::int32_t> leaves(leaf.data(), leaf.shape(0));
    rulewright::Parts parts;
    {
        const nb::gil_scoped_release unlocked;
        need_sound(routes, numbers.size(), codes.size());
        if (in_parts) {
            parts = rulewright::route_in_parts({numbers, codes}, routes, leaves, threads);
        } else {
            rulewright::route({numbers, codes}, routes, leaves, threads);
        }
    }
    return nb::make_tuple(array_of(std::move(parts.row)), array_of(std::move(parts.leaf)),
                          array_of(std::move(parts.share)));
}

}  // namespace

void bind_routing(nb::module_& m) {
    m.def("route", &route, "numbers"_a, "codes"_a, "low"_a.noconvert(), "high"_a.noconvert(),
          "column"_a.noconvert(), "bits"_a.noconvert(), "inside"_a.noconvert(),
          "outside"_a.noconvert(), "words"_a.noconvert(), "first"_a.noconvert(),
          "target"_a.noconvert(), "share"_a.noconvert(), "output"_a.noconvert(), "classes"_a,
          "leaf"_a.noconvert(), "threads"_a, "in_parts"_a);
}

}  // namespace rulewright::bindings
