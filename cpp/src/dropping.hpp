// Rules made more general: conditions are dropped while the errors to be expected do not rise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pruning.hpp"

namespace rulewright {

// Rows as bits: where each condition holds, a line each, and which rows are of each class. `weight`
// is empty where every row counts once. No bit stands beyond the rows.
struct Facts {
    std::span<const std::uint64_t> holds;
    std::span<const std::uint64_t> own;
    std::span<const double> weight;
    std::size_t words;

    const std::uint64_t* condition(std::int32_t number) const noexcept {
        return holds.data() + static_cast<std::size_t>(number) * words;
    }

    const std::uint64_t* of_class(std::int32_t number) const noexcept {
        return own.data() + static_cast<std::size_t>(number) * words;
    }
};

// Rules one after the other: the conditions of rule i are those from start[i] to start[i + 1].
struct Conditions {
    std::span<const std::int32_t> start;
    std::span<const std::int32_t> number;
    std::span<const std::int32_t> output;  // the class that a rule answers with
};

// What became of them: which conditions are kept, and the weight that is covered.
struct Generalised {
    std::span<std::uint8_t> kept;
    std::span<double> right;
    std::span<double> wrong;
};

// Of the conditions whose omission gives the lowest rate of errors to be expected, the one that
// leaves the most weight, then the first, goes, as long as that rate is not above what it was. A
// rule that covers nothing is the worst.
void drop_conditions(const Facts& facts, const Conditions& rules, const Pessimism& pessimism,
                     const Generalised& found, std::size_t threads);

}  // namespace rulewright
