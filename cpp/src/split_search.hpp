// Search for the best split of an open node on one column.
//
// The common part for numbers and categories: constraints and gains of splits, the branch of
// missing values, and splits of anything that can be ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coded_cuts.hpp"
#include "open_nodes.hpp"

namespace rulewright {

// Sums of the examples with a value in a column, and of those without.
struct Shares {
    std::vector<double> present, absent;
    std::size_t missing;
    bool somewhere;  // values of the column are missing, here or elsewhere
};

SplitConstraints constraints_for(const GrowthContext& context, const OpenNode& node,
                                 int direction) noexcept;

std::vector<double> sums_of(const GrowthContext& context, const OpenNode& node,
                            std::span<const std::uint32_t> entries);

std::vector<double> difference(const std::vector<double>& a, std::vector<double> b);

class SplitSearch {
public:
    SplitSearch(const GrowthContext& context, const OpenNode& node, const Shares& shares,
                Split& split, double charge = 0.0)
        : context_(context), node_(node), shares_(shares), split_(split), charge_(charge) {}

    // Returns whether one is better than the best so far.
    bool cuts(std::span<const std::uint32_t> entries, const SplitConstraints& constraints);
    bool cuts(const CodedColumn& column, const SplitConstraints& constraints, double needed);
    void intervals(std::span<const std::uint32_t> entries, const SplitConstraints& constraints);
    void presence();

    // Missing values that go down all branches pull the value of each branch towards theirs. The
    // bounds on the known values are adjusted for this.
    SplitConstraints among_known(SplitConstraints constraints) const noexcept;

protected:
    // `find` returns the best cut for initial sums below and above; `choose` is called when a cut
    // becomes the split.
    template <class Find, class Choose>
    bool cuts_by(Find&& find, Choose&& choose) {
        bool found = false;
        on_both_sides([&](const auto& below, const auto& above, int missing) {
            std::vector<double> right = shares_.present;
            if (missing == 1) {
                for (std::size_t k = 0; k < right.size(); ++k) right[k] += above[k];
            }
            const Cut cut = find(below.data(), right.data());
            if (!cut.found()) return;
            const double gain = paid(cut.gain, cut.tried);
            if (!is_better(gain, charge_)) return;
            found = true;
            split_.kind = Kind::cut;
            split_.gain = gain;
            split_.charge = charge_;
            split_.first = 0;
            split_.last = cut.position;
            split_.code = cut.code;
            split_.value = cut.value;
            split_.missing = side(missing);
            choose();
        });
        return found;
    }

    // Missing values are tried on both sides, above first; fractional ones are on no side.
    template <class Try>
    void on_both_sides(Try&& attempt) const {
        const bool fractional = context_.options.fractional;
        attempt(context_.nil, shares_.absent, fractional ? -1 : 1);
        if (!fractional && shares_.missing) attempt(shares_.absent, context_.nil, 0);
    }

    bool are_allowed(const std::vector<double>& branches,
                     const SplitConstraints& constraints) const noexcept;

    // C4.5 (release 8): a cut costs the bits that identify it among those tried.
    double paid(double gain, std::size_t tried) const noexcept;

    bool is_better(double gain, double charge = 0.0) const noexcept;

    // If no missing value occurs in training, they take the heavier branch.
    std::int32_t side(int tried) const noexcept;

    // The bits that identify an example's branch; missing values that take all branches count as
    // one more.
    double information(const std::vector<double>& branches,
                       const std::vector<double>& unknown) const noexcept;

    const GrowthContext& context_;
    const OpenNode& node_;
    const Shares& shares_;
    Split& split_;
    const double charge_;  // on splits for which sets of categories were tried

private:
    double ratio(std::span<const std::uint32_t> entries) const;
};

}  // namespace rulewright
