#include "coded_counts.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

// Rows of a node with their classes: the second class in the highest bit.
using Entries = std::vector<std::uint32_t>;

Entries entries_of(const OpenNode& node) {
    Entries entries(node.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i] = node.row[i] | static_cast<std::uint32_t>(node.label[i] != 0) << 31;
    }
    return entries;
}

std::size_t cells_of(const GrowthContext& context, const OpenNode& node, std::size_t place) {
    const std::size_t d = node.numeric.size();
    return place < d ? codes
                     : context.training.categorical[node.categorical[place - d]].categories + 1;
}

// Calls `change(cell, one example of its class)` for rows of a column.
template <class Change>
void for_each_cell(const GrowthContext& context, const OpenNode& node, std::size_t place,
                   const Entries& entries, Change&& change) {
    checkpoint(entries.size());
    const std::size_t d = node.numeric.size();
    const auto visit = [&](const auto& code, std::int32_t first) {
        for (const std::uint32_t entry : entries) {
            const std::uint64_t other = entry >> 31;
            const auto cell = static_cast<std::size_t>(code[entry & ~(1U << 31)] + first);
            change(cell, (1 - other) + (other << 32));
        }
    };
    if (place < d) {
        visit(context.codes->code(node.numeric[place]), 0);
    } else {
        visit(context.training.categorical[node.categorical[place - d]].code, 1);
    }
}

void add_rows(const GrowthContext& context, const OpenNode& node, std::size_t place,
              const Entries& entries, std::span<std::uint64_t> counts) {
    for_each_cell(context, node, place, entries,
                  [&](std::size_t cell, std::uint64_t one) { counts[cell] += one; });
}

// Room for the counts of some columns of a node.
CodedCounts no_counts(const GrowthContext& context, const OpenNode& node,
                      std::span<const std::size_t> places) {
    CodedCounts counts;
    counts.start.push_back(0);
    for (const std::size_t place : places) {
        counts.start.push_back(counts.start.back() + cells_of(context, node, place));
    }
    counts.count.resize(counts.start.back(), 0);
    return counts;
}

std::vector<std::size_t> all_places(const OpenNode& node) {
    std::vector<std::size_t> places(node.numeric.size() + node.categorical.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = k;
    return places;
}

}  // namespace

std::vector<std::uint64_t> count_codes(const GrowthContext& context, const OpenNode& node,
                                       std::size_t place) {
    std::vector<std::uint64_t> counts(cells_of(context, node, place), 0);
    add_rows(context, node, place, entries_of(node), counts);
    return counts;
}

void count_all_codes(const GrowthContext& context, OpenNode& node) {
    const auto places = all_places(node);
    CodedCounts counts = no_counts(context, node, places);
    const Entries entries = entries_of(node);
    for_each_task(places.size(), context.threads_for(node), [&](std::size_t place) {
        add_rows(context, node, place, entries, counts.of(place));
    });
    node.counts = std::move(counts);
}

void pass_on_counts(const GrowthContext& context, const OpenNode& node,
                    const std::vector<std::size_t>& kept, std::vector<OpenNode>& children,
                    const std::vector<bool>& grows) {
    const auto by_size = [&](const OpenNode& one, const OpenNode& other) {
        return one.size() < other.size();
    };
    const auto heir = std::ranges::max_element(children, by_size);
    const auto number = static_cast<std::size_t>(heir - children.begin());
    if (!grows[number] || !heir->coded || 2 * heir->size() < node.size()) return;
    std::vector<Entries> uncounted;
    for (std::size_t b = 0; b < children.size(); ++b) {
        if (b == number) continue;
        if (grows[b] && children[b].coded) {
            count_all_codes(context, children[b]);
        } else {
            uncounted.push_back(entries_of(children[b]));
        }
    }
    CodedCounts counts = no_counts(context, node, kept);
    for_each_task(kept.size(), context.threads_for(*heir), [&](std::size_t place) {
        const auto left = counts.of(place);
        std::ranges::copy(node.counts.of(kept[place]), left.begin());
        for (const OpenNode& child : children) {
            if (child.counts.empty()) continue;
            std::ranges::transform(left, child.counts.of(place), left.begin(), std::minus{});
        }
        for (const Entries& entries : uncounted) {
            for_each_cell(context, *heir, place, entries,
                          [&](std::size_t cell, std::uint64_t one) { left[cell] -= one; });
        }
    });
    heir->counts = std::move(counts);
}

}  // namespace rulewright
