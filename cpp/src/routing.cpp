#include "routing.hpp"

#include <algorithm>
#include <array>

#include "parallel.hpp"

namespace rulewright {

namespace {

constexpr std::size_t block = 4096;  // rows a task
constexpr std::size_t abreast = 8;   // rows that go down together: a step waits for memory

bool is_inside(const RoutedTable& table, const RouteTest& test,
               std::span<const std::uint64_t> words, std::size_t row) noexcept {
    const auto column = static_cast<std::size_t>(test.column);
    if (test.bits < 0) {
        const double x = table.numbers[column][row];
        return (x >= test.low) & (x <= test.high);
    }
    const auto bit = static_cast<std::size_t>(table.codes[column][row] + 1);
    return (words[static_cast<std::size_t>(test.bits) + bit / 64] >> (bit % 64)) & 1;
}

void route_rows(const RoutedTable& table, std::span<const RouteTest> tests,
                std::span<const std::uint64_t> words, std::size_t first,
                std::span<std::int32_t> leaf) noexcept {
    std::array<std::int32_t, abreast> at{};
    for (std::size_t start = 0; start < leaf.size(); start += abreast) {
        const std::size_t count = std::min(abreast, leaf.size() - start);
        at.fill(0);
        for (bool going = true; going;) {
            going = false;
            for (std::size_t k = 0; k < count; ++k) {
                if (at[k] < 0) continue;
                const RouteTest& test = tests[static_cast<std::size_t>(at[k])];
                const bool inside = is_inside(table, test, words, first + start + k);
                at[k] = inside ? test.inside : test.outside;
                going |= at[k] >= 0;
            }
        }
        for (std::size_t k = 0; k < count; ++k) leaf[start + k] = ~at[k];
    }
}

}  // namespace

void route(const RoutedTable& table, std::span<const RouteTest> tests,
           std::span<const std::uint64_t> words, std::span<std::int32_t> leaf,
           std::size_t threads) {
    const std::size_t blocks = (leaf.size() + block - 1) / block;
    for_each_task(blocks, threads, [&](std::size_t number) {
        const std::size_t first = number * block;
        const auto rows = leaf.subspan(first, std::min(block, leaf.size() - first));
        route_rows(table, tests, words, first, rows);
    });
}

}  // namespace rulewright
