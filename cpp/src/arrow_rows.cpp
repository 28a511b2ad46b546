#include "arrow_rows.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace rulewright {

namespace {

// Whether a row is known; its number counts the offset of the array.
bool is_known(const ArrowArray& array, std::size_t row) noexcept {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    return bits == nullptr || ((bits[row / 8] >> (row % 8)) & 1) != 0;
}

// Numbers different texts in the order of their first occurrence. A table without nodes of its own
// takes half the time of std::unordered_map.
class TextNumbers {
public:
    std::int32_t number(std::string_view text) {
        const std::size_t hash = std::hash<std::string_view>{}(text);
        for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
            const std::int32_t found = slots_[slot];
            if (found < 0) return insert(slot, hash, text);
            const auto place = static_cast<std::size_t>(found);
            if (hashes_[place] == hash && texts_[place] == text) return found;
        }
    }

    std::vector<std::string_view> take_texts() { return std::move(texts_); }

private:
    std::size_t mask() const noexcept { return slots_.size() - 1; }

    std::int32_t insert(std::size_t slot, std::size_t hash, std::string_view text) {
        const auto number = static_cast<std::int32_t>(texts_.size());
        texts_.push_back(text);
        hashes_.push_back(hash);
        slots_[slot] = number;
        if (2 * texts_.size() > slots_.size()) grow();
        return number;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t i = 0; i < hashes_.size(); ++i) {
            std::size_t slot = hashes_[i] & mask();
            while (slots_[slot] >= 0) slot = (slot + 1) & mask();
            slots_[slot] = static_cast<std::int32_t>(i);
        }
    }

    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(64, -1);  // a power of 2
    std::vector<std::size_t> hashes_;
    std::vector<std::string_view> texts_;
};

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
        codes[i] = numbers.number({size == 0 ? "" : bytes + from, size});
    }
    return numbers.take_texts();
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
