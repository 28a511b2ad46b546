// Objects as bits, and for every value of a column the objects up to it, which thresholds cover.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "sc_graph.hpp"

namespace rulewright::sc {

using Word = std::uint64_t;
using Level = std::uint16_t;  // a value's rank among the distinct ones of its column, from 1
using Levels = std::vector<Level>;
using Bits = std::vector<Word>;

inline constexpr std::size_t word_bits = 64;

inline bool has(const Bits& bits, std::size_t i) noexcept {
    return bits[i / word_bits] >> (i % word_bits) & 1;
}

inline void put(Bits& bits, std::size_t i) noexcept {
    bits[i / word_bits] |= Word{1} << (i % word_bits);
}

inline std::int32_t count(const Bits& bits) noexcept {
    return std::accumulate(bits.begin(), bits.end(), 0,
                           [](int sum, Word w) { return sum + std::popcount(w); });
}

template <class Take>
void each_bit(const Bits& bits, Take take) {
    for (std::size_t w = 0; w < bits.size(); ++w) {
        for (Word left = bits[w]; left; left &= left - 1) {
            take(w * word_bits + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

// One column's objects by level, and for every level the objects up to it.
struct Axis {
    std::vector<std::int32_t> order;
    std::vector<std::size_t> end;   // of each level in `order`, from level 0, which is empty
    std::vector<std::int8_t> cost;  // in the same order: errors added by covering the object
    Bits up_to;                     // one line of words per level
};

// The objects that can be covered, renumbered.
class Lattice {
public:
    explicit Lattice(const ScObjects& objects);

    std::size_t size() const noexcept { return numbers.size(); }

    const Level* levels_of(std::size_t object) const noexcept {
        return level.data() + object * columns;
    }

    const Word* up_to(std::size_t j, Level v) const noexcept {
        return axes[j].up_to.data() + v * words;
    }

    Level highest(std::size_t j) const noexcept {
        return static_cast<Level>(axes[j].end.size() - 1);
    }

    // The covered objects, or those that the other columns allow.
    void cover(const Level* thresholds, Bits& covered, std::size_t except = ~std::size_t{0}) const {
        covered.assign(words, ~Word{0});
        if (size() % word_bits) covered.back() = (Word{1} << size() % word_bits) - 1;
        for (std::size_t j = 0; j < columns; ++j) {
            if (j == except) continue;
            const Word* line = up_to(j, thresholds[j]);
            for (std::size_t w = 0; w < words; ++w) covered[w] &= line[w];
        }
    }

    // Lowers thresholds to the largest covered values.
    void tighten(const Bits& covered, Level* thresholds) const noexcept {
        for (std::size_t j = 0; j < columns; ++j) {
            std::size_t place = axes[j].end[thresholds[j]];
            while (place > 0 && !has(covered, object(j, place - 1))) --place;
            thresholds[j] = place > 0 ? levels_of(object(j, place - 1))[j] : Level{0};
        }
    }

    std::size_t object(std::size_t j, std::size_t place) const noexcept {
        return static_cast<std::size_t>(axes[j].order[place]);
    }

    std::size_t columns;
    std::size_t words = 0;
    std::int32_t positives = 0;
    std::int32_t always_wrong = 0;      // positives that no rule covers
    std::vector<std::int32_t> numbers;  // the caller's numbers of the objects
    std::vector<Level> level;
    std::vector<Axis> axes;
    Bits positive;
    Bits negative;

private:
    Axis axis_of(const Column& column, bool at_least, std::size_t j);
};

}  // namespace rulewright::sc
