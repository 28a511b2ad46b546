#include "splitting.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "category_splits.hpp"
#include "coded_counts.hpp"
#include "coded_cuts.hpp"
#include "interruption.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "split_search.hpp"

namespace rulewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool varies(std::span<const std::uint32_t> entries) {
    return std::any_of(entries.begin() + !entries.empty(), entries.end(),
                       [](std::uint32_t entry) { return !(entry & tied); });
}

// C4.5 requires a tenth of a class's share on each side, but no more than 25.
double min_by_ratio(const GrowthContext& context, const Shares& shares) noexcept {
    const double known = context.measure.weight(shares.present.data());
    return nearly(std::min(0.1 * known / static_cast<double>(context.width), 25.0));
}

// The same as `best_on_numbers` at a coded node, if the gain is near `needed`; otherwise some split
// of a lower gain.
Split best_on_codes(const GrowthContext& context, const OpenNode& node, std::size_t place,
                    double needed) {
    const GrowthOptions& options = context.options;
    const std::uint32_t number = node.numeric[place];
    const bool plain = number < context.training.plain;
    const CodedColumn column(context, node, place);
    Shares shares{node.sums, context.nil, node.size() - column.present(),
                  context.has_missing[number] != 0};
    Split split;
    split.place = place;
    split.entries = column.present();
    const bool by_presence = shares.missing && column.present();
    split.constant = !(options.cuts || !plain) || !(column.varies() || by_presence);
    if (split.constant) return split;
    if (shares.missing) {
        shares.present = column.sums();
        shares.absent = difference(node.sums, shares.present);
    }
    SplitSearch search(context, node, shares, split);
    search.cuts(column, constraints_for(context, node, 0), needed);
    if (plain) search.presence();
    return split;
}

Split best_on_numbers(const GrowthContext& context, const OpenNode& node, std::size_t place) {
    const GrowthOptions& options = context.options;
    const auto entries = node.order(place);
    const std::uint32_t column = node.numeric[place];
    const bool plain = column < context.training.plain;
    const bool asked = options.cuts || options.intervals || !plain;
    Shares shares{node.sums, context.nil, node.size() - entries.size(),
                  context.has_missing[column] != 0};
    const bool by_presence = shares.missing && !options.fractional && !entries.empty();
    Split split;
    split.place = place;
    split.constant = !asked || !(varies(entries) || by_presence);
    if (split.constant) return split;
    if (shares.missing) {
        shares.present = sums_of(context, node, entries);
        shares.absent = difference(node.sums, shares.present);
    }
    SplitSearch search(context, node, shares, split);
    const int direction = context.direction(column);
    SplitConstraints constraints = search.among_known(constraints_for(context, node, direction));
    if (options.by_ratio)
        constraints.min_weight = std::max(constraints.min_weight, min_by_ratio(context, shares));
    if (options.cuts || !plain) search.cuts(entries, constraints);
    if (!plain) return split;
    if (options.intervals && direction == 0) search.intervals(entries, constraints);
    search.presence();
    return split;
}

// Medians are computed without the missing values: these must not violate the order.
bool stays_in_order(const GrowthContext& context, const OpenNode& node, const Split& split) {
    if (context.training.direction.empty() || !context.measure.sideless()) return true;
    Split settled = split;
    if (settled.missing == undecided) settled.missing = heavier(context, node, settled);
    const auto children = make_children(context, node, settled, assign(context, node, settled));
    const int direction = split.categorical ? 0 : context.direction(node.numeric[split.place]);
    return constraints_for(context, node, direction)
        .allow(context.value(children[0]), context.value(children[1]));
}

Split* best_by_gain(std::vector<Split>& splits, double slack) noexcept {
    Split* best = nullptr;
    for (Split& split : splits) {
        if (split.found() && (!best || split.worth() > best->worth() + slack)) best = &split;
    }
    return best;
}

// C4.5 accepts a column whose gain is below the average by a thousandth of a bit.
Split* best_by_ratio(std::vector<Split>& splits, double slack) noexcept {
    double sum = 0.0, count = 0.0;
    for (const Split& split : splits) {
        if (split.found()) sum += split.gain, count += 1.0;
    }
    Split* best = nullptr;
    for (Split& split : splits) {
        if (!split.found() || split.gain < sum / count - slack) continue;
        if (!best || split.ratio > best->ratio * (1.0 + 1e-12)) best = &split;
    }
    return best;
}

// The columns in the order in which a node draws them; in their own order without a limit.
std::vector<std::size_t> drawn_columns(const GrowthContext& context, const OpenNode& node,
                                       std::size_t all) {
    std::vector<std::size_t> order(all);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (context.options.max_features >= all) return order;
    const auto number = static_cast<std::uint64_t>(node.number) + 1;
    std::mt19937_64 random(context.options.seed + 0x9E3779B97F4A7C15U * number);
    for (std::size_t left = all; left > 1; --left) {
        std::swap(order[left - 1], order[random() % left]);
    }
    return order;
}

Split best_on_column(const GrowthContext& context, const OpenNode& node, std::size_t place,
                     double needed) {
    const std::size_t d = node.numeric.size();
    if (place >= d) return best_on_categories(context, node, place - d);
    return node.coded ? best_on_codes(context, node, place, needed)
                      : best_on_numbers(context, node, place);
}

void raise_to(std::atomic<double>& highest, double value) noexcept {
    double before = highest;
    while (value > before && !highest.compare_exchange_weak(before, value)) {
    }
}

// Searches the columns at `places`. At a coded node, a column that cannot have the best split of
// all has a split of a lower gain instead of its best, unless some gains are nearly equal: only
// then can a lower one change the choice.
void search_columns(const GrowthContext& context, const OpenNode& node,
                    std::span<const std::size_t> places, std::vector<Split>& splits) {
    std::atomic<double> reached{-infinity};
    const auto search = [&](bool all_gains) {
        for_each_task(places.size(), context.threads_for(node), [&](std::size_t task) {
            const std::size_t k = places[places.size() - 1 - task];  // categories are quick
            checkpoint(node.size() + context.width);
            if (context.time_limit.over()) return;
            Split split = best_on_column(context, node, k, all_gains ? -infinity : reached.load());
            if (split.found() && !stays_in_order(context, node, split)) split = Split{};
            if (split.found()) raise_to(reached, split.worth());
            splits[k] = std::move(split);
        });
    };
    search(false);
    if (!node.coded) return;
    std::vector<double> worths;
    for (const std::size_t k : places) {
        if (splits[k].found()) worths.push_back(splits[k].worth());
    }
    if (!is_settled(worths, node.slack)) search(true);
}

}  // namespace

Split best_split(const GrowthContext& context, OpenNode& node) {
    const std::size_t all = node.numeric.size() + node.categorical.size();
    std::vector<Split> splits(all);
    std::vector<std::uint8_t> allowed(all, 1);
    for (std::size_t k = 0; context.options.columns.any() && k < all; ++k) {
        allowed[k] = context.allows(node, context.column(node, k));
        splits[k].constant = !allowed[k];  // here and below
    }
    if (node.coded && node.counts.empty() && context.options.max_features >= all) {
        count_all_codes(context, node);
    }
    const auto order = drawn_columns(context, node, all);
    const auto found = [](const Split& split) { return split.found(); };
    for (std::size_t first = 0; first < all && std::ranges::none_of(splits, found);) {
        const std::size_t count = std::min(context.options.max_features, all - first);
        std::vector<std::size_t> places;
        for (const std::size_t k : std::span(order).subspan(first, count)) {
            if (allowed[k]) places.push_back(k);
        }
        search_columns(context, node, places, splits);
        first += count;
    }
    if (context.time_limit.reached()) return Split{};
    node.constant.resize(all);
    for (std::size_t k = 0; k < all; ++k) node.constant[k] = splits[k].constant;
    Split* best = context.options.by_ratio ? best_by_ratio(splits, 1e-3 * context.weight(node))
                                           : best_by_gain(splits, node.slack);
    return best ? std::move(*best) : Split{};
}

}  // namespace rulewright
