#include "arrow_rows.hpp"

#include <algorithm>
#include <limits>

#include "text_numbers.hpp"

namespace rulewright {

namespace {

// Whether a row is known; its number counts the offset of the array.
bool is_known(const ArrowArray& array, std::size_t row) noexcept {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    return bits == nullptr || ((bits[row / 8] >> (row % 8)) & 1) != 0;
}

template <class Offset>
std::vector<std::string_view> code(const ArrowArray& array, std::size_t first,
                                   std::span<std::int32_t> codes) {
    const auto* ends = static_cast<const Offset*>(array.buffers[1]);
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    TextNumbers numbers;
    const std::size_t begin = first + static_cast<std::size_t>(array.offset);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!is_known(array, begin + i)) {
            codes[i] = -1;
            continue;
        }
        const auto from = static_cast<std::size_t>(ends[begin + i]);
        const auto size = static_cast<std::size_t>(ends[begin + i + 1]) - from;
        const std::string_view text(size == 0 ? "" : bytes + from, size);
        codes[i] = numbers.number(text, key_of(text));
    }
    return numbers.texts();
}

}  // namespace

void copy_numbers(const ArrowArray& array, std::size_t first, std::span<double> values) {
    const auto* numbers = static_cast<const double*>(array.buffers[1]);
    const std::size_t begin = first + static_cast<std::size_t>(array.offset);
    if (array.null_count == 0 || array.buffers[0] == nullptr) {
        std::copy_n(numbers + begin, values.size(), values.begin());
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = is_known(array, begin + i) ? numbers[begin + i]
                                               : std::numeric_limits<double>::quiet_NaN();
    }
}

std::vector<std::string_view> code_texts(const ArrowArray& array, ArrowType type, std::size_t first,
                                         std::span<std::int32_t> codes) {
    return type == ArrowType::text ? code<std::int32_t>(array, first, codes)
                                   : code<std::int64_t>(array, first, codes);
}

}  // namespace rulewright
