// Routing of rows through trees: names, casts, and the release of the interpreter's lock.
#include "routing.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "code_columns.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

constexpr std::size_t max_classes = 1 << 16;
constexpr std::int64_t max_ways = 1 << 26;

// Nested forks could send a row along too many paths.
void need_few_ways(const rulewright::Routes& routes) {
    const std::size_t leaves = routes.output.size();
    std::vector<std::int64_t> ways(
        routes.tests.size());  // maximum number of paths of a row from each test
    std::vector<std::int64_t> fork_ways(routes.first.size() - 1, 0);
    const auto from = [&](std::int32_t end) -> std::int64_t {
        if (end >= 0) return ways[static_cast<std::size_t>(end)];
        const auto number = static_cast<std::size_t>(~end);
        if (number < leaves) return 1;
        const std::size_t fork = number - leaves;
        if (fork_ways[fork] > 0) return fork_ways[fork];
        for (auto i = routes.first[fork]; i < routes.first[fork + 1]; ++i) {
            const std::int32_t target = routes.target[static_cast<std::size_t>(i)];
            fork_ways[fork] += target < 0 ? 1 : ways[static_cast<std::size_t>(target)];
        }
        need(fork_ways[fork] <= max_ways, "a row may have at most 2^26 paths", fork_ways[fork]);
        return fork_ways[fork];
    };
    for (std::size_t i = ways.size(); i-- > 0;) {
        for (const std::int32_t end : routes.tests[i].ends) ways[i] = std::max(ways[i], from(end));
    }
}

// The bits of a test of categories must cover every code.
void need_bits(const rulewright::Routes& routes, const rulewright::RoutedTable& table,
               std::size_t rows) {
    std::vector<std::size_t> words;
    for (const auto& column : table.codes) {
        words.push_back(static_cast<std::size_t>(largest_code(column, rows) + 1) / 64 + 1);
    }
    for (const auto& test : routes.tests) {
        if (test.bits < 0) continue;
        const auto column = static_cast<std::size_t>(test.column);
        need(static_cast<std::size_t>(test.bits) + words[column] <= routes.words.size(),
             "codes are larger than the bits of the test");
    }
}

// Every end must be a later test, a leaf or a fork, so that every row reaches a leaf.
void need_sound(const rulewright::Routes& routes, std::size_t numbers, std::size_t codes) {
    const auto count = static_cast<std::int64_t>(routes.tests.size());
    const auto forks = static_cast<std::int64_t>(routes.first.size()) - 1;
    const auto leaves = static_cast<std::int64_t>(routes.output.size());
    const auto parts = static_cast<std::int64_t>(routes.target.size());
    need(count > 0 && forks >= 0, "there must be tests");
    need(routes.first[0] == 0 && routes.first.back() == parts,
         "the ranges of the forks must cover all branches");
    need(routes.share.size() == routes.target.size(), "shares must have one entry per branch");
    need_weights(routes.share);
    need_below(routes.output, routes.classes, "class");
    // A row that was split at forks needs a sum for every class.
    need(forks == 0 || routes.classes <= std::max(routes.output.size(), max_classes),
         "classes must be from 1 to 65536");
    // Ends of a test lead to later tests. Branches of a fork lead beyond every test that has it.
    std::vector<std::int64_t> earliest(static_cast<std::size_t>(forks), count);
    for (std::int64_t f = 0; f < forks; ++f) {
        const auto from = routes.first[static_cast<std::size_t>(f)];
        const auto to = routes.first[static_cast<std::size_t>(f) + 1];
        need(from < to && to <= parts, "a fork must have branches");
        for (auto i = from; i < to; ++i) {
            const std::int64_t end = routes.target[static_cast<std::size_t>(i)];
            need(end < count && ~end < leaves, "the end of a fork is out of range");
            if (end >= 0) {
                auto& first = earliest[static_cast<std::size_t>(f)];
                first = std::min(first, end);
            }
        }
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto& test = routes.tests[static_cast<std::size_t>(i)];
        for (const std::int64_t end : test.ends) {
            need(end < count && ~end < leaves + forks, "the end of a test is out of range");
            const bool fork = ~end >= leaves;
            need(fork ? earliest[static_cast<std::size_t>(~end - leaves)] > i : end < 0 || end > i,
                 "a test must lead to later tests");
        }
        need(test.column >= 0 &&
                 static_cast<std::size_t>(test.column) < (test.bits < 0 ? numbers : codes),
             "the column of a test is out of range");
    }
}

nb::tuple route(const std::vector<StridedOf<double>>& number_columns,
                const std::vector<StridedOf<std::int32_t>>& code_columns, Vector<const double> low,
                Vector<const double> high, Vector<const std::int32_t> column,
                Vector<const std::int32_t> bits, Vector<const std::int32_t> inside,
                Vector<const std::int32_t> outside, Vector<const std::int32_t> missing,
                Vector<const std::uint64_t> words, Vector<const std::int32_t> first,
                Vector<const std::int32_t> target, Vector<const double> share,
                Vector<const std::int32_t> output, std::size_t classes, Vector<std::int32_t> leaf,
                std::int64_t threads, bool in_parts) {
    const auto numbers = strided_of<rulewright::Column>(number_columns, leaf.shape(0));
    const auto codes = strided_of<rulewright::CodeColumn>(code_columns, leaf.shape(0));
    const std::size_t count = low.shape(0);
    need(high.shape(0) == count && column.shape(0) == count && bits.shape(0) == count &&
             inside.shape(0) == count && outside.shape(0) == count && missing.shape(0) == count,
         "the arrays must have one entry per test");
    need(leaf.shape(0) <= max_rows, "rows must be at most 2^31 - 1");
    const std::size_t shared = threads_of(threads);
    rulewright::Parts parts;
    unlocked([&] {
        std::vector<rulewright::RouteTest> tests(count);
        for (std::size_t i = 0; i < count; ++i) {
            tests[i] = {low.data()[i],
                        high.data()[i],
                        column.data()[i],
                        bits.data()[i],
                        {inside.data()[i], outside.data()[i], missing.data()[i]}};
        }
        const rulewright::Routes routes = {tests,           span_of(words), span_of(first),
                                           span_of(target), span_of(share), span_of(output),
                                           classes};
        const rulewright::RoutedTable table = {numbers, codes};
        need_sound(routes, numbers.size(), codes.size());
        need_few_ways(routes);
        need_bits(routes, table, leaf.shape(0));
        if (in_parts) {
            parts = rulewright::route_in_parts(table, routes, span_of(leaf), shared);
        } else {
            rulewright::route(table, routes, span_of(leaf), shared);
        }
    });
    return nb::make_tuple(array_of(std::move(parts.row)), array_of(std::move(parts.leaf)),
                          array_of(std::move(parts.share)));
}

}  // namespace

void bind_routing(nb::module_& m) {
    m.def("route", &route, "numbers"_a, "codes"_a, "low"_a.noconvert(), "high"_a.noconvert(),
          "column"_a.noconvert(), "bits"_a.noconvert(), "inside"_a.noconvert(),
          "outside"_a.noconvert(), "missing"_a.noconvert(), "words"_a.noconvert(),
          "first"_a.noconvert(), "target"_a.noconvert(), "share"_a.noconvert(),
          "output"_a.noconvert(), "classes"_a, "leaf"_a.noconvert(), "threads"_a, "in_parts"_a);
}

}  // namespace rulewright::bindings
