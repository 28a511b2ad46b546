// Splits of an open node on one column, tried one after the other: a search keeps the best.
//
// Here is what numbers and categories share: what a split may be, what it is worth, where missing
// values go, and the splits of anything that can be put in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "open_nodes.hpp"

namespace rulewright {

// What is known of the examples that have a value in a column, and of the others.
struct Shares {
    std::vector<double> present, absent;
    std::size_t missing;
    bool somewhere;  // values of the column are missing, here or elsewhere
};

Terms terms_for(const GrowthContext& context, const OpenNode& node, int direction) noexcept;

std::vector<double> sums_of(const GrowthContext& context, const OpenNode& node,
                            std::span<const std::uint32_t> entries);

std::vector<double> difference(const std::vector<double>& a, std::vector<double> b);

class SplitSearch {
public:
    SplitSearch(const GrowthContext& context, const OpenNode& node, const Shares& shares,
                Split& split, double charge = 0.0)
        : context_(context), node_(node), shares_(shares), split_(split), charge_(charge) {}

    // Says whether one is better than the best so far.
    bool cuts(std::span<const std::uint32_t> entries, const Terms& terms);
    void intervals(std::span<const std::uint32_t> entries, const Terms& terms);
    void presence();

    // Missing values that go down all branches pull the value of each towards theirs: the bounds on
    // what the known values of a branch may have make up for it.
    Terms among_known(Terms terms) const noexcept;

protected:
    // Missing values are tried on both sides, above first; as fractions they take no part.
    template <class Try>
    void on_both_sides(Try&& attempt) const {
        const bool fractional = context_.options.fractional;
        attempt(context_.nil, shares_.absent, fractional ? -1 : 1);
        if (!fractional && shares_.missing) attempt(shares_.absent, context_.nil, 0);
    }

    bool are_allowed(const std::vector<double>& branches, const Terms& terms) const noexcept;

    // C4.5 (release 8): a cut costs the bits that say which of those tried it is.
    double paid(double gain, std::size_t tried) const noexcept;

    bool is_better(double gain, double charge = 0.0) const noexcept;

    // Where no missing value can teach it, the heavier branch is theirs.
    std::int32_t side(int tried) const noexcept;

    // The bits that say which branch an example takes; missing values that take all are one more.
    double information(const std::vector<double>& branches,
                       const std::vector<double>& unknown) const noexcept;

    const GrowthContext& context_;
    const OpenNode& node_;
    const Shares& shares_;
    Split& split_;
    const double charge_;  // on splits that sets of categories were tried for

private:
    double ratio(std::span<const std::uint32_t> entries) const;
};

}  // namespace rulewright
