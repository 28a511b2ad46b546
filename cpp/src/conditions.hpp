// Conditions on rows, evaluated in blocks of rows that fit in the cache. The truth of a condition
// on a block is a mask with a bit for each row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "column.hpp"
#include "routing.hpp"

namespace rulewright {

inline constexpr std::size_t block_words = 16;
inline constexpr std::size_t block_rows = 64 * block_words;

using RowMask = std::array<std::uint64_t, block_words>;

enum class ConditionKind : std::int8_t {
    inside,       // a number is from `low` to `high`; never if missing
    not_outside,  // the same, or missing
    category,     // the bit of a category is set in one of the sets
    given,        // the truth is known
    all,
    any,
    at_least,  // `count` of the parts
};

// `first` is the column of a test; that of a category has the number of its set in `end`. The parts
// of other conditions are `links[first]` up to `links[end]`, which have lower numbers.
struct Condition {
    double low;
    double high;
    std::int32_t first;
    std::int32_t end;
    std::int32_t count;
    ConditionKind kind;
    bool negated;
};

// `depth` is the largest number of conditions that contain each other.
struct Conditions {
    std::vector<Condition> nodes;
    std::vector<std::int32_t> links;
    std::size_t depth;
};

// The bits of set s begin at `words[set_first[s]]`; the first bit is that of missing values.
struct ConditionTable {
    std::span<const Column> numbers;
    std::span<const CodeColumn> codes;
    std::span<const std::uint8_t* const> given;
    std::span<const std::uint64_t> words;
    std::span<const std::int32_t> set_first;
    std::span<const std::int32_t> set_words;
    std::size_t rows;
};

inline bool any_of(const RowMask& mask) noexcept {
    std::uint64_t found = 0;
    for (const std::uint64_t word : mask) found |= word;
    return found != 0;
}

// Evaluates conditions on one block of rows after the other. It has buffers of its own, so every
// thread needs one.
class BlockEvaluator {
public:
    BlockEvaluator(const ConditionTable& table, const Conditions& conditions);

    // Goes to the block that begins at a row. Returns the mask of its rows.
    RowMask open(std::size_t first_row);

    std::size_t rows() const noexcept { return rows_; }

    // Writes the truth of a condition on the rows in `wanted`; other rows get 0. The masks must be
    // different objects.
    void truth(std::int32_t condition, const RowMask& wanted, RowMask& found) {
        evaluate(condition, wanted, found, 0);
    }

private:
    struct Level {
        RowMask rest;
        RowMask part;
        std::vector<RowMask> planes;
    };

    // A column's values in the block, copied where they are not contiguous or too few.
    template <class T>
    struct Buffer {
        std::vector<T> values;
        std::size_t block = 0;
    };

    void evaluate(std::int32_t number, const RowMask& wanted, RowMask& found, std::size_t depth);
    void test(const Condition& node, const RowMask& wanted, RowMask& found);
    void all(const Condition& node, const RowMask& wanted, RowMask& found, std::size_t depth);
    void any(const Condition& node, const RowMask& wanted, RowMask& found, std::size_t depth);
    void at_least(const Condition& node, const RowMask& wanted, RowMask& found, std::size_t depth);

    std::span<const std::int32_t> parts(const Condition& node) const noexcept;

    template <class T, class Source>
    const T* values(const Source& source, Buffer<T>& buffer);

    ConditionTable table_;
    const Conditions& conditions_;
    std::size_t first_ = 0;
    std::size_t rows_ = 0;
    std::size_t block_ = 0;  // number of blocks opened so far
    std::vector<Level> levels_;
    std::vector<Buffer<double>> numbers_;
    std::vector<Buffer<std::int32_t>> codes_;
    std::vector<Buffer<std::uint8_t>> given_;
};

}  // namespace rulewright
