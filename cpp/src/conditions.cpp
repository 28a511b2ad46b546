#include "conditions.hpp"

#include <algorithm>
#include <bit>

#include "clones.hpp"

namespace rulewright {

namespace {

// The bit of each row of a word. Shifts by a variable would be slower.
constexpr auto row_bits = [] {
    std::array<std::uint64_t, 64> bits{};
    for (std::size_t k = 0; k < 64; ++k) bits[k] = std::uint64_t{1} << k;
    return bits;
}();

// Words without a wanted row are not computed.
template <class Holds>
RULEWRIGHT_INLINE void fill(const RowMask& wanted, RowMask& found, Holds holds) {
    for (std::size_t w = 0; w < block_words; ++w) {
        std::uint64_t word = 0;
        if (wanted[w] != 0) {
            for (std::size_t k = 0; k < 64; ++k) {
                word |= holds(64 * w + k) ? row_bits[k] : std::uint64_t{0};
            }
        }
        found[w] = word & wanted[w];
    }
}

RULEWRIGHT_CLONES void find_inside(const double* x, double low, double high, const RowMask& wanted,
                                   RowMask& found) {
    fill(wanted, found, [=](std::size_t k) { return (x[k] >= low) & (x[k] <= high); });
}

RULEWRIGHT_CLONES void find_not_outside(const double* x, double low, double high,
                                        const RowMask& wanted, RowMask& found) {
    fill(wanted, found, [=](std::size_t k) { return !(x[k] < low) & !(x[k] > high); });
}

RULEWRIGHT_CLONES void find_in_word(const std::int32_t* code, std::uint64_t set,
                                    const RowMask& wanted, RowMask& found) {
    fill(wanted, found, [=](std::size_t k) {
        return ((set >> (static_cast<std::uint32_t>(code[k] + 1) & 63)) & 1) != 0;
    });
}

void find_in_words(const std::int32_t* code, const std::uint64_t* set, const RowMask& wanted,
                   RowMask& found) {
    fill(wanted, found, [=](std::size_t k) {
        const auto bit = static_cast<std::size_t>(code[k] + 1);
        return ((set[bit / 64] >> (bit % 64)) & 1) != 0;
    });
}

RULEWRIGHT_CLONES void find_given(const std::uint8_t* truth, const RowMask& wanted,
                                  RowMask& found) {
    fill(wanted, found, [=](std::size_t k) { return truth[k] != 0; });
}

struct GivenColumn {
    const std::uint8_t* data;
    static constexpr std::ptrdiff_t stride = 1;

    std::uint8_t operator[](std::size_t row) const noexcept { return data[row]; }
};

}  // namespace

BlockEvaluator::BlockEvaluator(const ConditionTable& table, const Conditions& conditions)
    : table_(table),
      conditions_(conditions),
      levels_(conditions.depth),
      numbers_(table.numbers.size()),
      codes_(table.codes.size()),
      given_(table.given.size()) {}

RowMask BlockEvaluator::open(std::size_t first_row) {
    first_ = first_row;
    rows_ = std::min(block_rows, table_.rows - first_row);
    ++block_;
    RowMask rows{};
    for (std::size_t w = 0; 64 * w < rows_; ++w) {
        const std::size_t count = std::min<std::size_t>(64, rows_ - 64 * w);
        rows[w] = ~std::uint64_t{0} >> (64 - count);
    }
    return rows;
}

template <class T, class Source>
const T* BlockEvaluator::values(const Source& source, Buffer<T>& buffer) {
    if (source.stride == 1 && rows_ == block_rows) return source.data + first_;
    if (buffer.block != block_) {
        buffer.block = block_;
        buffer.values.resize(block_rows);
        for (std::size_t k = 0; k < rows_; ++k) buffer.values[k] = source[first_ + k];
        std::fill(buffer.values.begin() + static_cast<std::ptrdiff_t>(rows_), buffer.values.end(),
                  T{});
    }
    return buffer.values.data();
}

void BlockEvaluator::evaluate(std::int32_t number, const RowMask& wanted, RowMask& found,
                              std::size_t depth) {
    const Condition& node = conditions_.nodes[static_cast<std::size_t>(number)];
    switch (node.kind) {
        case ConditionKind::all:
            all(node, wanted, found, depth);
            break;
        case ConditionKind::any:
            any(node, wanted, found, depth);
            break;
        case ConditionKind::at_least:
            at_least(node, wanted, found, depth);
            break;
        default:
            test(node, wanted, found);
    }
    if (!node.negated) return;
    for (std::size_t w = 0; w < block_words; ++w) found[w] = wanted[w] & ~found[w];
}

void BlockEvaluator::test(const Condition& node, const RowMask& wanted, RowMask& found) {
    const auto column = static_cast<std::size_t>(node.first);
    if (node.kind == ConditionKind::given) {
        const GivenColumn source{table_.given[column]};
        return find_given(values(source, given_[column]), wanted, found);
    }
    if (node.kind == ConditionKind::category) {
        const std::int32_t* code = values(table_.codes[column], codes_[column]);
        const auto set = static_cast<std::size_t>(node.end);
        const std::uint64_t* words =
            table_.words.data() + static_cast<std::size_t>(table_.set_first[set]);
        if (table_.set_words[set] == 1) return find_in_word(code, *words, wanted, found);
        return find_in_words(code, words, wanted, found);
    }
    const double* x = values(table_.numbers[column], numbers_[column]);
    if (node.kind == ConditionKind::inside) {
        find_inside(x, node.low, node.high, wanted, found);
    } else {
        find_not_outside(x, node.low, node.high, wanted, found);
    }
}

std::span<const std::int32_t> BlockEvaluator::parts(const Condition& node) const noexcept {
    const auto first = static_cast<std::size_t>(node.first);
    return std::span(conditions_.links).subspan(first, static_cast<std::size_t>(node.end) - first);
}

// A part is evaluated only on the rows that the parts before it leave open.
void BlockEvaluator::all(const Condition& node, const RowMask& wanted, RowMask& found,
                         std::size_t depth) {
    found = wanted;
    for (const std::int32_t part : parts(node)) {
        Level& level = levels_[depth];
        level.rest = found;
        evaluate(part, level.rest, found, depth + 1);
        if (!any_of(found)) break;
    }
}

void BlockEvaluator::any(const Condition& node, const RowMask& wanted, RowMask& found,
                         std::size_t depth) {
    Level& level = levels_[depth];
    level.rest = wanted;
    for (const std::int32_t part : parts(node)) {
        evaluate(part, level.rest, level.part, depth + 1);
        for (std::size_t w = 0; w < block_words; ++w) level.rest[w] &= ~level.part[w];
        if (!any_of(level.rest)) break;
    }
    for (std::size_t w = 0; w < block_words; ++w) found[w] = wanted[w] & ~level.rest[w];
}

// The true parts of each row are counted in binary: plane p has the bit of 2^p.
void BlockEvaluator::at_least(const Condition& node, const RowMask& wanted, RowMask& found,
                              std::size_t depth) {
    Level& level = levels_[depth];
    const auto some = parts(node);
    const auto count = static_cast<std::uint32_t>(node.count);
    level.planes.assign(static_cast<std::size_t>(std::bit_width(some.size() + 1)), RowMask{});
    for (const std::int32_t part : some) {
        evaluate(part, wanted, level.part, depth + 1);
        for (RowMask& plane : level.planes) {
            for (std::size_t w = 0; w < block_words; ++w) {
                const std::uint64_t carry = plane[w] & level.part[w];
                plane[w] ^= level.part[w];
                level.part[w] = carry;
            }
        }
    }
    RowMask more{}, equal = wanted;
    for (std::size_t p = level.planes.size(); p-- > 0;) {
        const std::uint64_t bit = ((count >> p) & 1) != 0 ? ~std::uint64_t{0} : 0;
        for (std::size_t w = 0; w < block_words; ++w) {
            more[w] |= equal[w] & level.planes[p][w] & ~bit;
            equal[w] &= ~(level.planes[p][w] ^ bit);
        }
    }
    for (std::size_t w = 0; w < block_words; ++w) found[w] = more[w] | equal[w];
}

}  // namespace rulewright
