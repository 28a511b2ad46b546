#include "rule_depth.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "clones.hpp"
#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t block = 2048;     // rows whose marks stay in the first cache
constexpr std::size_t share = 8;        // rows per tested row up to which all are tested by bin
constexpr std::size_t max_tests = 255;  // numbers of tests are counted in bytes

std::size_t index(std::int32_t number) noexcept { return static_cast<std::size_t>(number); }

// A test by bin: rows in the bins from `low` to `high` may pass. Those of the bin `mixed` are to be
// tested by value.
struct BinTest {
    const std::uint8_t* bin;
    std::uint8_t low;
    std::uint8_t high;
    bool is_mixed;
    std::uint8_t mixed;
};

BinTest bin_test(const BinnedColumn& x, const ColumnTest& test) noexcept {
    BinTest found{x.bin.data(), 1, 0, false, 0};  // no row
    const std::size_t bins = x.bins();
    if (bins == 0) return found;
    const bool beyond = test.code >= x.begin.back();
    if (beyond && test.relation != Relation::at_most) return found;
    const auto after = std::upper_bound(x.begin.begin(), x.begin.end(), test.code);
    const std::size_t here =
        beyond ? bins - 1 : static_cast<std::size_t>(after - x.begin.begin()) - 1;
    const bool ends_here = beyond || test.code + 1 == x.begin[here + 1];
    const bool only_value = x.begin[here] + 1 == x.begin[here + 1];
    found.mixed = static_cast<std::uint8_t>(here);
    switch (test.relation) {
        case Relation::at_most:
            found.low = 0;
            found.high = found.mixed;
            found.is_mixed = !ends_here;
            break;
        case Relation::above:
            found.low = static_cast<std::uint8_t>(ends_here ? here + 1 : here);
            found.high = static_cast<std::uint8_t>(bins - 1);
            found.is_mixed = !ends_here;
            break;
        default:
            found.low = found.high = found.mixed;
            found.is_mixed = !only_value;
    }
    return found;
}

// For the rows of a block: whether a row passed all tests so far, how many it passed, and whether a
// test by value is needed to know.
struct Marks {
    std::array<std::uint8_t, block> passing;
    std::array<std::uint8_t, block> unsure;
};

RULEWRIGHT_CLONES std::uint8_t apply_test(const BinTest& test, std::size_t first, std::size_t count,
                                          Marks& marks, std::uint8_t* depth) noexcept {
    const std::uint8_t* bin = test.bin + first;
    const std::uint8_t low = test.low;
    const std::uint8_t high = test.high;
    std::uint8_t* passing = marks.passing.data();
    std::uint8_t any = 0;
#pragma omp simd reduction(| : any)
    for (std::size_t i = 0; i < count; ++i) {
        const auto inside = static_cast<std::uint8_t>((bin[i] >= low) & (bin[i] <= high));
        passing[i] = static_cast<std::uint8_t>(passing[i] & inside);
        depth[i] = static_cast<std::uint8_t>(depth[i] + passing[i]);
        any = static_cast<std::uint8_t>(any | passing[i]);
    }
    if (!test.is_mixed || !any) return any;
    const std::uint8_t mixed = test.mixed;
    std::uint8_t* unsure = marks.unsure.data();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const auto here = static_cast<std::uint8_t>(passing[i] & (bin[i] == mixed));
        unsure[i] = static_cast<std::uint8_t>(unsure[i] | here);
    }
    return any;
}

// Whether one of the marks of a word is set.
bool any_marked(const std::uint8_t* marks) noexcept {
    std::uint64_t together = 0;
    std::memcpy(&together, marks, word);
    return together != 0;
}

std::uint8_t depth_of(std::span<const CodedColumn> columns, std::span<const ColumnTest> tests,
                      std::size_t row) noexcept {
    std::size_t passed = 0;
    while (passed < tests.size() &&
           tests[passed].holds(columns[index(tests[passed].column)].code[row])) {
        ++passed;
    }
    return static_cast<std::uint8_t>(passed);
}

// The number of the first failing test of every row there is.
std::vector<std::uint8_t> depth_by_bin(const TestedColumns& columns,
                                       std::span<const ColumnTest> tests, std::size_t all) {
    std::vector<BinTest> by_bin;
    for (const ColumnTest& test : tests) {
        by_bin.push_back(bin_test(columns.binned[index(test.column)], test));
    }
    std::vector<std::uint8_t> depth(all);
    Marks marks;
    for (std::size_t first = 0; first < all; first += block) {
        const std::size_t count = std::min(block, all - first);
        checkpoint(count);
        marks.passing.fill(1);
        marks.unsure.fill(0);
        for (const BinTest& test : by_bin) {
            if (!apply_test(test, first, count, marks, depth.data() + first)) break;
        }
        for (std::size_t i = 0; i < count; i += word) {
            if (!any_marked(marks.unsure.data() + i)) continue;
            for (std::size_t k = i; k < std::min(i + word, count); ++k) {
                if (marks.unsure[k]) depth[first + k] = depth_of(columns.coded, tests, first + k);
            }
        }
    }
    return depth;
}

bool by_bin_is_faster(const TestedColumns& columns, std::span<const ColumnTest> tests,
                      std::size_t rows) noexcept {
    return !columns.binned.empty() && !tests.empty() && tests.size() <= max_tests &&
           rows >= columns.coded.front().code.size() / share;
}

// The places of the rows that pass all tests. Each test reports on those that passed before it.
template <class Report>
std::vector<std::uint32_t> test_by_value(const TestedColumns& columns,
                                         std::span<const ColumnTest> tests,
                                         std::span<const std::int32_t> rows, Report&& report) {
    std::vector<std::uint32_t> passing(rows.size());
    for (std::uint32_t place = 0; place < rows.size(); ++place) passing[place] = place;
    for (const ColumnTest& test : tests) {
        checkpoint(passing.size());
        const auto code = columns.coded[index(test.column)].code;
        std::size_t kept = 0;
        for (const auto place : passing) {
            const bool passes = test.holds(code[index(rows[place])]);
            report(place, passes);
            passing[kept] = place;  // no branch: a row that fails is overwritten by the next
            kept += passes;
        }
        passing.resize(kept);
    }
    return passing;
}

}  // namespace

void first_failing(const TestedColumns& columns, std::span<const ColumnTest> tests,
                   std::span<const std::int32_t> rows, std::span<std::int32_t> depth) {
    if (by_bin_is_faster(columns, tests, rows.size())) {
        const auto all = depth_by_bin(columns, tests, columns.coded.front().code.size());
        for (std::size_t i = 0; i < rows.size(); ++i) depth[i] = all[index(rows[i])];
        return;
    }
    std::fill(depth.begin(), depth.end(), 0);
    if (tests.empty()) return;
    test_by_value(columns, tests, rows,
                  [&](std::uint32_t place, bool passes) { depth[place] += passes; });
}

std::vector<std::int32_t> passing_rows(const TestedColumns& columns,
                                       std::span<const ColumnTest> tests,
                                       std::span<const std::int32_t> rows) {
    std::vector<std::int32_t> found;
    if (tests.empty()) return {rows.begin(), rows.end()};
    if (by_bin_is_faster(columns, tests, rows.size())) {
        const auto all = depth_by_bin(columns, tests, columns.coded.front().code.size());
        const auto whole = static_cast<std::uint8_t>(tests.size());
        for (const auto row : rows) {
            if (all[index(row)] == whole) found.push_back(row);
        }
        return found;
    }
    const auto places = test_by_value(columns, tests, rows, [](std::uint32_t, bool) {});
    found.reserve(places.size());
    for (const auto place : places) found.push_back(rows[place]);
    return found;
}

}  // namespace rulewright
