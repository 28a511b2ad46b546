// Generalisation of rules: conditions are dropped while the pessimistic error rate does not rise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pruning.hpp"

namespace rulewright {

// Rows as bits: one line per condition, where it holds, and one per class, its rows. `weight` is
// empty if every row counts once. There are no bits beyond the rows.
struct RuleData {
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

// Consecutive rules: the conditions of rule i are those from start[i] to start[i + 1].
struct Conditions {
    std::span<const std::int32_t> start;
    std::span<const std::int32_t> number;
    std::span<const std::int32_t> output;  // the predicted class of each rule
};

// The remaining conditions and the covered weight of each rule.
struct Generalised {
    std::span<std::uint8_t> kept;
    std::span<double> right;
    std::span<double> wrong;
};

// Each step drops the condition whose omission gives the lowest pessimistic error rate, if that is
// not above the current rate. Ties go to the one that leaves the most weight, then to the first. A
// rule that covers nothing is the worst.
void drop_conditions(const RuleData& data, const Conditions& rules,
                     const PessimisticEstimate& estimate, const Generalised& found,
                     std::size_t threads);

}  // namespace rulewright
