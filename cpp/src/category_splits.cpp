#include "category_splits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "split_search.hpp"

namespace rulewright {
namespace {

// A categorical column at an open node.
struct Categories {
    NodeCodes code;
    std::size_t width;
    std::vector<double> sums;  // of each category
    std::vector<std::uint32_t> count;
    std::vector<std::size_t> there;  // the categories that occur at the open node

    const double* of(std::size_t c) const noexcept { return sums.data() + c * width; }
};

// Whether whole numbers of examples of two classes are counted, which is quicker.
bool counts_two(const GrowthContext& context, const OpenNode& node) noexcept {
    return context.of_two_classes() && node.weight.empty() && context.measure.counts_two();
}

// Counts as those of coded nodes.
std::vector<std::uint64_t> count_of_two(const OpenNode& node, const Categories& known) {
    std::vector<std::uint64_t> counts(known.count.size() + 1, 0);
    for (std::size_t i = 0; i < known.code.size(); ++i) {
        counts[static_cast<std::size_t>(known.code[i] + 1)] += std::uint64_t{1}
                                                               << (node.label[i] ? 32 : 0);
    }
    return counts;
}

void add_counts_of_two(std::span<const std::uint64_t> counts, Categories& known, Shares& shares) {
    const auto first = [&](std::size_t c) { return static_cast<std::uint32_t>(counts[c]); };
    const auto other = [&](std::size_t c) { return static_cast<std::uint32_t>(counts[c] >> 32); };
    for (std::size_t c = 0; c < known.count.size(); ++c) {
        known.count[c] = first(c + 1) + other(c + 1);
        known.sums[2 * c] = first(c + 1);
        known.sums[2 * c + 1] = other(c + 1);
    }
    shares.missing = first(0) + other(0);
    shares.absent = {static_cast<double>(first(0)), static_cast<double>(other(0))};
}

void add_sums(const GrowthContext& context, const OpenNode& node, Categories& known,
              Shares& shares) {
    const Members members = node.members();
    for (std::size_t i = 0; i < known.code.size(); ++i) {
        if (known.code[i] < 0) {
            ++shares.missing;
            context.measure.add(members, i, 1.0, shares.absent.data());
            continue;
        }
        const auto c = static_cast<std::size_t>(known.code[i]);
        ++known.count[c];
        context.measure.add(members, i, 1.0, known.sums.data() + c * known.width);
    }
}

// Missing values are counted separately.
Categories tally(const GrowthContext& context, const OpenNode& node, std::size_t place,
                 Shares& shares) {
    const std::size_t width = context.width;
    const std::size_t categories = context.training.categorical[node.categorical[place]].categories;
    checkpoint(categories * width);
    Categories known{context.categories(node, place),
                     width,
                     std::vector<double>(categories * width, 0.0),
                     std::vector<std::uint32_t>(categories, 0),
                     {}};
    if (counts_two(context, node)) {
        if (node.counts.empty()) {
            add_counts_of_two(count_of_two(node, known), known, shares);
        } else {
            add_counts_of_two(node.counts.of(node.numeric.size() + place), known, shares);
        }
    } else {
        add_sums(context, node, known, shares);
    }
    for (std::size_t c = 0; c < categories; ++c) {
        if (known.count[c]) known.there.push_back(c);
    }
    if (shares.missing) shares.present = difference(node.sums, shares.absent);
    return known;
}

// The examples in an order of their categories; those of one category are tied.
std::vector<std::uint32_t> lined_up(const GrowthContext& context, const OpenNode& node,
                                    const Categories& known,
                                    const std::vector<std::size_t>& order) {
    std::vector<std::size_t> at(known.count.size(), 0);
    std::size_t before = 0;
    for (const std::size_t c : order) at[c] = std::exchange(before, before + known.count[c]);
    std::vector<std::uint32_t> entries(before);
    auto next = at;
    const bool two = context.of_two_classes();
    for (std::size_t i = 0; i < known.code.size(); ++i) {
        if (known.code[i] < 0) continue;
        const auto c = static_cast<std::size_t>(known.code[i]);
        const std::uint32_t tie = next[c] > at[c] ? tied : 0U;
        const std::uint32_t label = two ? static_cast<std::uint32_t>(node.label[i]) << 30 : 0U;
        entries[next[c]++] = static_cast<std::uint32_t>(i) | label | tie;
    }
    return entries;
}

// A split fitted to many categories reduces impurity by chance: for each category beyond the two of
// any split, by as much as an average example has. C4.5 has its own penalties, the gain ratio and
// the number of cuts. A category against all others is fitted to only one.
double charge_for(const GrowthContext& context, const OpenNode& node,
                  std::size_t categories) noexcept {
    if (context.options.by_ratio || categories <= 2) return 0.0;
    const double chance = context.measure.chance(node.impurity, context.weight(node));
    return static_cast<double>(categories - 2) * chance;
}

double charge_on(const GrowthContext& context, const OpenNode& node,
                 std::size_t categories) noexcept {
    const bool fitted = context.options.categories != CategorySplit::single;
    return fitted ? charge_for(context, node, categories) : 0.0;
}

class CategorySplitSearch : public SplitSearch {
public:
    CategorySplitSearch(const GrowthContext& context, const OpenNode& node, const Categories& known,
                        const Shares& shares, Split& split)
        : SplitSearch(context, node, shares, split, charge_on(context, node, known.there.size())),
          known_(known),
          width_(context.width),
          constraints_(among_known(constraints_for(context, node, 0))) {}

    void multiway() {
        std::vector<double> branches;
        std::size_t largest = 0, enough = 0;
        for (std::size_t b = 0; b < known_.there.size(); ++b) {
            const double* sums = known_.of(known_.there[b]);
            const double weight = context_.measure.weight(sums);
            branches.insert(branches.end(), sums, sums + width_);
            enough += weight >= nearly(context_.options.min_leaf);
            if (is_heavier(weight, context_.measure.weight(&branches[largest * width_]))) {
                largest = b;
            }
        }
        if (enough < 2) return;
        const bool fractional = context_.options.fractional;
        if (shares_.missing && !fractional) {
            for (std::size_t k = 0; k < width_; ++k) {
                branches[largest * width_ + k] += shares_.absent[k];
            }
        }
        if (!lie_between_bounds(branches)) return;
        const double gain = context_.measure.gain(branches);
        if (!is_better(gain, charge_)) return;
        split_.kind = Kind::multiway;
        split_.gain = gain;
        split_.charge = charge_;
        split_.branches = known_.there.size();
        split_.missing = fractional && shares_.somewhere ? -1 : static_cast<std::int32_t>(largest);
        split_.branch_of = one_each();
        if (context_.options.by_ratio) {
            split_.ratio = gain / information(branches, fractional ? shares_.absent : context_.nil);
        }
    }

    // Neighbouring ranges are joined: small ones first, then those whose union is worth as much, or
    // that are more than the tree may have leaves.
    void ranges() {
        std::vector<std::size_t> ends;  // the places after the last range of each branch
        for (std::size_t b = 1; b <= known_.there.size(); ++b) ends.push_back(b);
        join_small(ends);
        while (ends.size() > 2) {
            const Union best = best_union(ends, 0, ends.size() - 1);
            const bool fit = ends.size() <= context_.options.max_leaves;
            if (fit && best.worth < worth(ends) - node_.slack) break;
            ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best.at));
        }
        if (ends.size() < 2) return;
        std::vector<double> branches = sums_up_to(ends);
        std::size_t largest = 0;
        for (std::size_t b = 1; b < ends.size(); ++b) {
            if (weight_of(branches, b) > weight_of(branches, largest)) largest = b;
        }
        const bool fractional = context_.options.fractional;
        for (std::size_t k = 0; shares_.missing && !fractional && k < width_; ++k) {
            branches[largest * width_ + k] += shares_.absent[k];
        }
        if (!lie_between_bounds(branches)) return;
        const double gain = paid_for(context_.measure.gain(branches), ends.size());
        const double charge = charge_for(context_, node_, ends.size());
        if (!is_better(gain, charge)) return;
        split_.kind = Kind::multiway;
        split_.gain = gain;
        split_.charge = charge;
        split_.branches = ends.size();
        split_.missing = fractional && shares_.somewhere ? -1 : static_cast<std::int32_t>(largest);
        split_.branch_of = by_range(ends);
        if (context_.options.by_ratio) {
            split_.ratio = gain / information(branches, fractional ? shares_.absent : context_.nil);
        }
    }

    void single() {
        for (const std::size_t c : known_.there) {
            on_both_sides([&](const auto& within, const auto& beyond, int missing) {
                const std::vector<double> own(known_.of(c), known_.of(c) + width_);
                const auto rest = difference(shares_.present, own);
                std::vector<double> branches(2 * width_);
                for (std::size_t k = 0; k < width_; ++k) {
                    branches[k] = own[k] + within[k];
                    branches[width_ + k] = rest[k] + (missing == 1 ? beyond[k] : 0.0);
                }
                if (!are_allowed(branches, constraints_)) return;
                const double gain = paid(context_.measure.gain(branches), known_.there.size());
                if (!is_better(gain)) return;
                split_.kind = Kind::subset;
                split_.gain = gain;
                split_.missing = side(missing);
                split_.branch_of.assign(known_.count.size(), 1);
                split_.branch_of[c] = 0;
                if (context_.options.by_ratio) {
                    const auto& unknown = missing < 0 ? shares_.absent : context_.nil;
                    split_.ratio = gain / information(branches, unknown);
                }
            });
        }
    }

    // The categories as one sorted column, by the share of a class or by their mean. For two
    // classes and for numbers, the best set of categories is a prefix of this order (Breiman et al.
    // 1984, theorem 4.5). For more classes, the order of each class is tried.
    void subsets() {
        const bool classes = !context_.training.label.empty();
        const std::size_t first = classes && width_ > 2 ? 0 : 1;
        const std::size_t last = classes ? std::max<std::size_t>(width_, 2) : 2;
        for (std::size_t k = first; k < last; ++k) try_order(ordered_by(k));
    }

private:
    struct Union {
        std::size_t at;  // the branch that is joined to the next
        double worth;
    };

    double weight_of(const std::vector<double>& branches, std::size_t b) const noexcept {
        return context_.measure.weight(&branches[b * width_]);
    }

    std::vector<double> sums_up_to(const std::vector<std::size_t>& ends) const {
        std::vector<double> branches(ends.size() * width_, 0.0);
        for (std::size_t b = 0, place = 0; b < ends.size(); ++b) {
            for (; place < ends[b]; ++place) {
                const double* sums = known_.of(known_.there[place]);
                for (std::size_t k = 0; k < width_; ++k) branches[b * width_ + k] += sums[k];
            }
        }
        return branches;
    }

    // C4.5 charges for the choice of the cuts among those that are possible.
    double paid_for(double gain, std::size_t branches) const noexcept {
        if (!context_.options.by_ratio) return gain;
        double bits = 0.0;
        for (std::size_t cut = 1; cut < branches; ++cut) {
            bits += std::log2(static_cast<double>(known_.there.size() - cut));
            bits -= std::log2(static_cast<double>(cut));
        }
        return gain - bits;
    }

    // What a split into ranges is worth by the criterion, as far as values are known.
    double worth(const std::vector<std::size_t>& ends) const {
        const std::vector<double> branches = sums_up_to(ends);
        const double gain = paid_for(context_.measure.gain(branches), ends.size());
        if (!context_.options.by_ratio) return gain - charge_for(context_, node_, ends.size());
        return ends.size() < 2 ? gain : gain / information(branches, context_.nil);
    }

    // The best union of two neighbours among some branches, the first on ties.
    Union best_union(const std::vector<std::size_t>& ends, std::size_t from, std::size_t to) const {
        Union best{from, -std::numeric_limits<double>::infinity()};
        for (std::size_t at = from; at < to; ++at) {
            std::vector<std::size_t> joined = ends;
            joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(at));
            const double found = worth(joined);
            if (found > best.worth + node_.slack) best = {at, found};
        }
        return best;
    }

    // Joins the lightest branch to a neighbour as long as it is too light.
    void join_small(std::vector<std::size_t>& ends) const {
        while (ends.size() > 1) {
            const std::vector<double> branches = sums_up_to(ends);
            std::size_t lightest = 0;
            for (std::size_t b = 1; b < ends.size(); ++b) {
                if (weight_of(branches, b) < weight_of(branches, lightest)) lightest = b;
            }
            if (weight_of(branches, lightest) >= nearly(context_.options.min_leaf)) return;
            const std::size_t from = lightest > 0 ? lightest - 1 : 0;
            const Union best = best_union(ends, from, std::min(lightest + 1, ends.size() - 1));
            ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best.at));
        }
    }

    // Ranges that do not occur at the node belong to the branch above them, or to the last.
    std::vector<std::int32_t> by_range(const std::vector<std::size_t>& ends) const {
        std::vector<std::int32_t> branch_of(known_.count.size());
        std::size_t b = 0;
        for (std::size_t c = 0; c < branch_of.size(); ++c) {
            while (b + 1 < ends.size() && c > known_.there[ends[b] - 1]) ++b;
            branch_of[c] = static_cast<std::int32_t>(b);
        }
        return branch_of;
    }

    bool lie_between_bounds(const std::vector<double>& branches) const noexcept {
        for (std::size_t at = 0; at < branches.size(); at += width_) {
            const double value = context_.measure.value(&branches[at]);
            if (!constraints_.allow(value, value)) return false;
        }
        return true;
    }

    std::vector<std::int32_t> one_each() const {
        std::vector<std::int32_t> branch_of(known_.count.size(), -1);
        for (std::size_t b = 0; b < known_.there.size(); ++b) {
            branch_of[known_.there[b]] = static_cast<std::int32_t>(b);
        }
        return branch_of;
    }

    std::vector<std::int32_t> only(std::span<const std::size_t> chosen) const {
        std::vector<std::int32_t> branch_of(known_.count.size(), -1);
        for (const std::size_t c : known_.there) branch_of[c] = 1;
        for (const std::size_t c : chosen) branch_of[c] = 0;
        return branch_of;
    }

    std::vector<std::size_t> ordered_by(std::size_t sum) const {
        std::vector<std::pair<double, std::size_t>> keyed;
        for (const std::size_t c : known_.there) {
            const double* sums = known_.of(c);
            keyed.emplace_back(sums[sum] / context_.measure.weight(sums), c);
        }
        std::sort(keyed.begin(), keyed.end());
        std::vector<std::size_t> order;
        for (const auto& [key, c] : keyed) order.push_back(c);
        return order;
    }

    void try_order(const std::vector<std::size_t>& order) {
        checkpoint(known_.code.size() + known_.count.size());
        const bool counted =
            counts_two(context_, node_) && !constraints_.bounded && !context_.options.by_ratio;
        const bool found = counted ? counted_cuts(order)
                                   : cuts(lined_up(context_, node_, known_, order), constraints_);
        if (!found) return;
        std::size_t chosen = 0;
        for (std::size_t seen = 0; seen <= split_.last; ++chosen) {
            seen += known_.count[order[chosen]];
        }
        split_.kind = Kind::subset;
        split_.branch_of = only({order.data(), chosen});
    }

    // The same as `cuts` of the examples in this order.
    bool counted_cuts(const std::vector<std::size_t>& order) {
        return cuts_by(
            [&](const double* left, const double* right) {
                return cut_between(order, {left[0], left[1]}, {right[0], right[1]});
            },
            [] {});
    }

    Cut cut_between(const std::vector<std::size_t>& order, std::array<double, 2> below,
                    std::array<double, 2> above) const {
        Cut best;
        double more = best.gain;
        std::size_t seen = 0;
        for (std::size_t place = 0; place + 1 < order.size(); ++place) {
            const double* sums = known_.of(order[place]);
            for (std::size_t k = 0; k < 2; ++k) below[k] += sums[k], above[k] -= sums[k];
            seen += known_.count[order[place]];
            if (!(below[0] + below[1] >= constraints_.min_weight &&
                  above[0] + above[1] >= constraints_.min_weight)) {
                continue;
            }
            ++best.tried;
            const double gain = context_.measure.gain_of_two(below.data(), above.data());
            if (gain > more) {
                best.gain = gain;
                more = gain + constraints_.slack;
                best.position = seen - 1;
            }
        }
        return best;
    }

    const Categories& known_;
    const std::size_t width_;
    const SplitConstraints constraints_;
};

}  // namespace

Split best_on_categories(const GrowthContext& context, const OpenNode& node, std::size_t place) {
    const std::size_t column = context.training.numeric.size() + node.categorical[place];
    Shares shares{node.sums, context.nil, 0, context.has_missing[column] != 0};
    const Categories known = tally(context, node, place, shares);
    Split split;
    split.categorical = true;
    split.place = place;
    const bool varies = known.there.size() > 1;
    if (!varies && (!shares.missing || context.options.fractional || known.there.empty())) {
        split.constant = true;
        return split;
    }
    CategorySplitSearch search(context, node, known, shares, split);
    if (varies) {
        if (context.training.categorical[node.categorical[place]].ranges) {
            search.ranges();
        } else if (context.options.categories == CategorySplit::multiway) {
            search.multiway();
        } else if (context.options.categories == CategorySplit::single) {
            search.single();
        } else {
            search.subsets();
        }
    }
    search.presence();
    return split;
}

}  // namespace rulewright
