#include "splitting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "category_splits.hpp"
#include "handing_on.hpp"
#include "interruption.hpp"
#include "parallel.hpp"
#include "trials.hpp"

namespace rulewright {
namespace {

bool varies(std::span<const std::uint32_t> entries) {
    return std::any_of(entries.begin() + !entries.empty(), entries.end(),
                       [](std::uint32_t entry) { return !(entry & tied); });
}

// C4.5 wants a tenth of a class's share on each side, but no more than 25.
double least_by_ratio(const Ground& ground, const Shares& shares) noexcept {
    const double known = ground.measure.weight(shares.present.data());
    return std::min(0.1 * known / static_cast<double>(ground.width), 25.0);
}

Split best_on_numbers(const Ground& ground, const Bud& bud, std::size_t place) {
    const Habits& habits = ground.habits;
    const auto entries = bud.order(place);
    const std::uint32_t column = bud.numeric[place];
    const bool plain = column < ground.soil.plain;
    const bool asked = habits.cuts || habits.intervals || !plain;
    Shares shares{bud.sums, ground.nil, bud.size() - entries.size(),
                  ground.has_missing[column] != 0};
    const bool by_presence = shares.missing && !habits.fractional && !entries.empty();
    Split split;
    split.place = place;
    split.constant = !asked || !(varies(entries) || by_presence);
    if (split.constant) return split;
    if (shares.missing) {
        shares.present = sums_of(ground, bud, entries);
        shares.absent = difference(bud.sums, shares.present);
    }
    Trial trial(ground, bud, shares, split);
    const int direction = ground.direction(column);
    Terms terms = trial.among_known(terms_for(ground, bud, direction));
    if (habits.by_ratio) terms.least = std::max(terms.least, least_by_ratio(ground, shares));
    if (habits.cuts || !plain) trial.cuts(entries, terms);
    if (!plain) return split;
    if (habits.intervals && direction == 0) trial.intervals(entries, terms);
    trial.presence();
    return split;
}

// Medians are found without the missing values: those must not put them out of order.
bool stays_in_order(const Ground& ground, const Bud& bud, const Split& split) {
    if (ground.soil.direction.empty() || !ground.measure.sideless()) return true;
    Split settled = split;
    if (settled.missing == undecided) settled.missing = heavier(bud, settled);
    const auto children = make_children(ground, bud, settled, assign(bud, settled));
    const int direction = split.categorical ? 0 : ground.direction(bud.numeric[split.place]);
    return terms_for(ground, bud, direction)
        .allow(ground.value(children[0]), ground.value(children[1]));
}

Split* best_by_gain(std::vector<Split>& splits, double slack) noexcept {
    Split* best = nullptr;
    for (Split& split : splits) {
        if (split.found() && (!best || split.worth() > best->worth() + slack)) best = &split;
    }
    return best;
}

// C4.5 lets a column pass that is below the average by a thousandth of a bit.
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

}  // namespace

Split best_split(const Ground& ground, Bud& bud) {
    const std::size_t d = bud.numeric.size(), all = d + bud.categorical.size();
    std::vector<Split> splits(all);
    for_each_task(all, ground.threads_for(bud), [&](std::size_t k) {
        checkpoint(bud.size() + ground.width);
        splits[k] =
            k < d ? best_on_numbers(ground, bud, k) : best_on_categories(ground, bud, k - d);
        if (splits[k].found() && !stays_in_order(ground, bud, splits[k])) splits[k] = Split{};
    });
    bud.constant.resize(all);
    for (std::size_t k = 0; k < all; ++k) bud.constant[k] = splits[k].constant;
    Split* best = ground.habits.by_ratio ? best_by_ratio(splits, 1e-3 * ground.weight(bud))
                                         : best_by_gain(splits, bud.slack);
    return best ? std::move(*best) : Split{};
}

}  // namespace rulewright
