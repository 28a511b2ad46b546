#include "gather.hpp"

#include <algorithm>
#include <cstddef>

namespace rulewright {
namespace {

// Rows of a matrix that stay in the cache while one column after the other is read.
constexpr std::size_t block_rows = 256;

}  // namespace

void gather(std::span<const Column> columns, std::span<const std::int64_t> rows,
            std::span<double> out) noexcept {
    for (std::size_t first = 0; first < rows.size(); first += block_rows) {
        const auto block = rows.subspan(first, std::min(block_rows, rows.size() - first));
        for (std::size_t j = 0; j < columns.size(); ++j) {
            const Column x = columns[j];
            double* to = out.data() + j * rows.size() + first;
            for (std::size_t i = 0; i < block.size(); ++i) {
                to[i] = x.data[block[i] * x.stride];
            }
        }
    }
}

}  // namespace rulewright
