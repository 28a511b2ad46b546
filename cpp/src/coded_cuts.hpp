// Cuts of a column at an open node that has too many rows to keep them sorted.
//
// The examples are counted by cell. The gain of a cut is a convex function of the counts below it,
// so within a cell it is at most the gain at one of four corners: before the cell, after it, and
// after all its examples of one class only. Only cells that can hold the best cut are sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

class CodedColumn {
public:
    CodedColumn(const GrowthContext& context, const OpenNode& node, std::uint32_t column);

    std::size_t present() const noexcept { return present_; }
    bool varies() const;

    // Sums of the examples with a value.
    std::vector<double> sums() const { return {counts_[0], counts_[1]}; }

    // The same cut as that of `Measure::best_cut`, for whole counts of two classes.
    Cut best_cut(const double* left, const double* right,
                 const SplitConstraints& constraints) const;

private:
    struct Cell {
        std::uint16_t code;
        bool mixed;
        double counts[2];
    };

    struct Example {
        double value;
        std::uint16_t label;
    };

    class Scan;

    std::vector<Example> sorted_examples(const std::vector<bool>& chosen) const;

    const GrowthContext& context_;
    const OpenNode& node_;
    std::uint32_t column_;
    std::size_t present_ = 0;
    double counts_[2] = {0.0, 0.0};
    std::vector<Cell> cells_;
};

}  // namespace rulewright
