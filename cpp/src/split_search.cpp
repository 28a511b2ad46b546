#include "split_search.hpp"

#include <cmath>

#include "interval_splits.hpp"
#include "logarithms.hpp"

namespace rulewright {

SplitConstraints constraints_for(const GrowthContext& context, const OpenNode& node,
                                 int direction) noexcept {
    SplitConstraints constraints;
    constraints.min_weight = nearly(context.options.min_leaf);
    constraints.slack = node.slack;
    constraints.bounded = !context.training.direction.empty();
    constraints.direction = direction;
    constraints.lower = node.lower;
    constraints.upper = node.upper;
    return constraints;
}

std::vector<double> sums_of(const GrowthContext& context, const OpenNode& node,
                            std::span<const std::uint32_t> entries) {
    std::vector<double> sums = context.nil;
    const Members members = node.members();
    for (const auto entry : entries) {
        context.measure.add(members, entry & number_mask, 1.0, sums.data());
    }
    return sums;
}

std::vector<double> difference(const std::vector<double>& a, std::vector<double> b) {
    for (std::size_t k = 0; k < b.size(); ++k) b[k] = a[k] - b[k];
    return b;
}

bool SplitSearch::cuts(std::span<const std::uint32_t> entries,
                       const SplitConstraints& constraints) {
    return cuts_by(
        [&](const double* left, const double* right) {
            return context_.measure.best_cut(node_.members(), entries, left, right, constraints);
        },
        [&] {
            if (context_.options.by_ratio) split_.ratio = ratio(entries);
        });
}

bool SplitSearch::cuts(const CodedColumn& column, const SplitConstraints& constraints,
                       double needed) {
    return cuts_by(
        [&](const double* left, const double* right) {
            return column.best_cut(left, right, constraints, needed);
        },
        [] {});
}

void SplitSearch::intervals(std::span<const std::uint32_t> entries,
                            const SplitConstraints& constraints) {
    on_both_sides([&](const auto& inside, const auto& outside, int missing) {
        const auto& beyond = missing == 1 ? outside : context_.nil;
        const IntervalSplit found = best_interval(context_.measure, node_.members(), entries,
                                                  inside.data(), beyond.data(), constraints);
        if (!found.found()) return;
        // If it reaches an end of the column, it is a cut.
        const bool inner = found.first > 0 && found.last + 1 < entries.size();
        if (context_.options.cuts && !inner) return;
        const double gain = paid(found.gain, entries.size() * (entries.size() + 1) / 2);
        if (!is_better(gain)) return;
        split_.kind = Kind::interval;
        split_.gain = gain;
        split_.first = found.first;
        split_.last = found.last;
        split_.missing = side(missing);
        if (context_.options.by_ratio) split_.ratio = ratio(entries);
    });
}

void SplitSearch::presence() {
    const Measure& measure = context_.measure;
    if (context_.options.fractional || !shares_.missing || measure.sideless()) return;
    std::vector<double> branches = shares_.present;
    branches.insert(branches.end(), shares_.absent.begin(), shares_.absent.end());
    if (!are_allowed(branches, constraints_for(context_, node_, 0))) return;
    const double gain = measure.gain(branches);
    if (!is_better(gain)) return;
    split_.kind = Kind::present;
    split_.gain = gain;
    split_.charge = 0.0;
    split_.missing = 1;
    split_.branches = 2;
    split_.branch_of.clear();
    if (context_.options.by_ratio) split_.ratio = gain / information(branches, context_.nil);
}

SplitConstraints SplitSearch::among_known(SplitConstraints constraints) const noexcept {
    const Measure& measure = context_.measure;
    const bool pulled = context_.options.fractional && shares_.missing;
    if (!pulled || !constraints.bounded || measure.sideless()) return constraints;
    const double known = measure.weight(shares_.present.data());
    const double unknown = measure.weight(shares_.absent.data());
    const double pull = unknown * measure.value(shares_.absent.data());
    constraints.lower = (constraints.lower * (known + unknown) - pull) / known;
    constraints.upper = (constraints.upper * (known + unknown) - pull) / known;
    return constraints;
}

bool SplitSearch::are_allowed(const std::vector<double>& branches,
                              const SplitConstraints& constraints) const noexcept {
    const Measure& measure = context_.measure;
    const double *one = branches.data(), *other = one + context_.width;
    return measure.weight(one) >= constraints.min_weight &&
           measure.weight(other) >= constraints.min_weight &&
           (!constraints.bounded || constraints.allow(measure.value(one), measure.value(other)));
}

double SplitSearch::paid(double gain, std::size_t tried) const noexcept {
    return context_.options.by_ratio ? gain - std::log2(static_cast<double>(tried)) : gain;
}

bool SplitSearch::is_better(double gain, double charge) const noexcept {
    const bool counts = !context_.options.by_ratio || gain > 1e-6 * context_.weight(node_);
    return counts && gain - charge > split_.worth() + node_.slack;
}

std::int32_t SplitSearch::side(int tried) const noexcept {
    if (context_.options.fractional && shares_.somewhere) return -1;
    return shares_.missing && !context_.measure.sideless() ? tried : undecided;
}

double SplitSearch::ratio(std::span<const std::uint32_t> entries) const {
    const std::size_t width = context_.width;
    std::vector<double> branches =
        sums_of(context_, node_, entries.subspan(split_.first, split_.last + 1 - split_.first));
    const auto rest = difference(shares_.present, branches);
    branches.insert(branches.end(), rest.begin(), rest.end());
    if (split_.missing >= 0 && shares_.missing) {
        for (std::size_t k = 0; k < width; ++k) {
            branches[static_cast<std::size_t>(split_.missing) * width + k] += shares_.absent[k];
        }
    }
    return split_.gain / information(branches, split_.missing < 0 ? shares_.absent : context_.nil);
}

double SplitSearch::information(const std::vector<double>& branches,
                                const std::vector<double>& unknown) const noexcept {
    double total = context_.measure.weight(unknown.data()), parts = xlogx(total);
    for (std::size_t at = 0; at < branches.size(); at += context_.width) {
        const double weight = context_.measure.weight(branches.data() + at);
        total += weight;
        parts += xlogx(weight);
    }
    return xlogx(total) - parts;
}

}  // namespace rulewright
