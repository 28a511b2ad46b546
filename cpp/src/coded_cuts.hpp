// Cuts of a column at an open node that has too many rows to keep them sorted.
//
// The examples are counted by cell. The gain of a cut is a convex function of the counts below it,
// so within a cell it is at most the gain at one of four corners: before the cell, after it, and
// after all its examples of one class only. Only cells that can hold the best cut are sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

// Whether a gain may be among the best where another one is reached. Gains that differ by this
// share are compared exactly, since limits of gains are rounded as gains are.
inline bool is_near(double gain, double reached, double slack) noexcept {
    constexpr double rounding = 1e-9;
    return gain + rounding * gain + 4.0 * slack >= reached;
}

// Whether the first of the best gains is the same whatever lower gains there are, where a later one
// counts only if it is higher by more than the slack: no gain before it is nearly as high.
bool is_settled(std::span<const double> gains, double slack) noexcept;

class CodedColumn {
public:
    // A numeric column of a node, by its place.
    CodedColumn(const GrowthContext& context, const OpenNode& node, std::size_t place);

    std::size_t present() const noexcept { return present_; }
    bool varies() const;

    // Sums of the examples with a value.
    std::vector<double> sums() const { return {counts_[0], counts_[1]}; }

    // The same cut as that of `Measure::best_cut`, for whole counts of two classes, if its gain is
    // near `needed` or higher; otherwise some cut of a lower gain.
    Cut best_cut(const double* left, const double* right, const SplitConstraints& constraints,
                 double needed) const;

private:
    void add_cells(std::span<const std::uint64_t> counts);

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
