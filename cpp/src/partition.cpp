#include "partition.hpp"

#include <cstddef>
#include <memory>
#include <numeric>

#include "coded_counts.hpp"
#include "interruption.hpp"
#include "parallel.hpp"
#include "sorting.hpp"

namespace rulewright {

std::size_t sort_entries(const GrowthContext& context, Column x,
                         std::span<const std::uint16_t> label, std::span<std::uint32_t> entries) {
    const std::size_t present = sort_rows(x, entries, tied);
    if (!context.of_two_classes()) return present;
    for (std::uint32_t& entry : entries.first(present)) {
        entry |= static_cast<std::uint32_t>(label[entry & number_mask]) << 30;
    }
    return present;
}

std::int32_t heavier(const GrowthContext& context, const OpenNode& node, const Split& split) {
    double first = 0.0, known = 0.0;
    const Members members = node.members();
    const auto count = [&](std::size_t i, bool within) {
        known += members.weight_of(i);
        first += within ? members.weight_of(i) : 0.0;
    };
    if (split.categorical) {
        const auto code = context.categories(node, split.place);
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i] >= 0) count(i, split.branch_of[static_cast<std::size_t>(code[i])] == 0);
        }
    } else if (node.coded) {
        first = static_cast<double>(split.last + 1);
        known = static_cast<double>(split.entries);
    } else {
        const auto entries = node.order(split.place);
        for (std::size_t k = 0; k < entries.size(); ++k) {
            count(entries[k] & number_mask, split.first <= k && k <= split.last);
        }
    }
    return is_heavier(2.0 * first, known) ? 0 : 1;
}

namespace {

void assign_by_category(const GrowthContext& context, const OpenNode& node, const Split& split,
                        std::vector<std::uint32_t>& branch) {
    const auto code = context.categories(node, split.place);
    const bool by_presence = split.kind == Kind::present;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i] < 0) continue;
        const auto category = static_cast<std::size_t>(code[i]);
        branch[i] = by_presence ? 0U : static_cast<std::uint32_t>(split.branch_of[category]);
    }
}

void assign_by_order(const OpenNode& node, const Split& split, std::vector<std::uint32_t>& branch) {
    const auto entries = node.order(split.place);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const bool within = split.kind == Kind::present || (split.first <= k && k <= split.last);
        branch[entries[k] & number_mask] = within ? 0U : 1U;
    }
}

// The values of the cell in which the cut lies are compared, all others by their codes.
void assign_by_code(const GrowthContext& context, const OpenNode& node, const Split& split,
                    std::vector<std::uint32_t>& branch) {
    const std::uint32_t column = node.numeric[split.place];
    const auto code = context.codes->code(column);
    const Column x = context.training.numeric[column];
    const bool by_presence = split.kind == Kind::present;
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::uint32_t row = node.row[i];
        if (code[row] == missing_code) continue;
        const bool within = by_presence || code[row] < split.code ||
                            (code[row] == split.code && !(x[row] > split.value));
        branch[i] = within ? 0U : 1U;
    }
}

}  // namespace

Assignment assign(const GrowthContext& context, const OpenNode& node, const Split& split) {
    const std::size_t n = node.size(), b = split.branches;
    const auto all = static_cast<std::uint32_t>(b);
    const auto absent = split.missing < 0 ? all : static_cast<std::uint32_t>(split.missing);
    Assignment to{std::vector<std::uint32_t>(n, absent),
                  std::vector<std::uint32_t>(n),
                  std::vector<std::uint32_t>(b, 0),
                  {}};
    if (split.categorical) {
        assign_by_category(context, node, split, to.branch);
    } else if (node.coded) {
        assign_by_code(context, node, split, to.branch);
    } else {
        assign_by_order(node, split, to.branch);
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (to.branch[i] == all) {
            to.number[i] = static_cast<std::uint32_t>(to.everywhere.size());
            to.everywhere.push_back(static_cast<std::uint32_t>(i));
        } else {
            to.number[i] = to.own[to.branch[i]]++;
        }
    }
    return to;
}

namespace {

std::vector<OpenNode> empty_children(const GrowthContext& context, const OpenNode& node,
                                     const Assignment& to, bool weighs) {
    std::vector<OpenNode> children(to.own.size());
    for (std::size_t b = 0; b < children.size(); ++b) {
        const std::size_t n = to.own[b] + to.everywhere.size();
        OpenNode& child = children[b];
        child.depth = node.depth + 1;
        child.lower = node.lower;
        child.upper = node.upper;
        child.row.resize(n);
        if (!node.label.empty()) child.label.resize(n);
        if (!node.target.empty()) child.target.resize(n);
        if (weighs) child.weight.assign(n, 1.0);
        child.sums = context.nil;
    }
    return children;
}

// Below and above a cut in a column with a direction, values stay on their side of the midpoint.
void bound(const GrowthContext& context, const OpenNode& node, const Split& split,
           std::vector<OpenNode>& children) {
    if (split.categorical || split.kind != Kind::cut) return;
    const int direction = context.direction(node.numeric[split.place]);
    if (direction == 0) return;
    const double middle = context.value(children[0]) / 2 + context.value(children[1]) / 2;
    OpenNode& smaller = children[direction > 0 ? 0 : 1];
    OpenNode& larger = children[direction > 0 ? 1 : 0];
    smaller.upper = middle;
    larger.lower = middle;
}

}  // namespace

std::vector<OpenNode> make_children(const GrowthContext& context, const OpenNode& node,
                                    const Split& split, const Assignment& to) {
    const Measure& measure = context.measure;
    const bool weighs = !node.weight.empty() || !to.everywhere.empty();
    std::vector<OpenNode> children = empty_children(context, node, to, weighs);
    const auto copy = [&](std::size_t i, OpenNode& child, std::size_t number, double share) {
        child.row[number] = node.row[i];
        if (!node.label.empty()) child.label[number] = node.label[i];
        if (!node.target.empty()) child.target[number] = node.target[i];
        if (weighs) child.weight[number] = node.members().weight_of(i) * share;
        measure.add(node.members(), i, share, child.sums.data());
    };
    for (std::size_t i = 0; i < node.size(); ++i) {
        if (to.branch[i] < children.size()) copy(i, children[to.branch[i]], to.number[i], 1.0);
    }
    std::vector<double> shares;
    for (const OpenNode& child : children) shares.push_back(context.weight(child));
    const double known = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (const std::uint32_t i : to.everywhere) {
        for (std::size_t b = 0; b < children.size(); ++b) {
            copy(i, children[b], to.own[b] + to.number[i], shares[b] / known);
        }
    }
    bound(context, node, split, children);
    return children;
}

namespace {

constexpr std::uint32_t upper_branch = tied;  // in a packed number: the second of two branches

// A child that does not grow is not written to: its position does not move.
struct Destination {
    std::uint32_t* at;
    std::ptrdiff_t step;
    std::uint32_t run = 0;  // the last run of equal values that came here
};

Destination destination(OpenNode& child, bool grows, std::size_t place,
                        std::uint32_t* nowhere) noexcept {
    return grows ? Destination{child.entries.get() + place * child.size(), 1}
                 : Destination{nowhere, 0};
}

inline void put(Destination& to, std::uint32_t number, std::uint32_t entry,
                std::uint32_t run) noexcept {
    *to.at = number | (entry & second) | (to.run == run ? tied : 0U);
    to.at += to.step;
    to.run = run;
}

void count_present(OpenNode& child, bool grows, std::size_t place, const Destination& to) noexcept {
    if (!grows) return;
    const std::uint32_t* begin = child.entries.get() + place * child.size();
    child.present[place] = static_cast<std::size_t>(to.at - begin);
}

// Partitions the columns of one open node, each separately.
class ColumnPartitioner {
public:
    ColumnPartitioner(const OpenNode& node, const Assignment& to, std::vector<OpenNode>& children,
                      const std::vector<bool>& grows)
        : node_(node), to_(to), children_(children), grows_(grows) {
        if (children.size() == 2 && to.everywhere.empty()) pack();
    }

    void order(std::size_t from, std::size_t place) const {
        if (packed_.empty()) {
            order_to_many(from, place);
        } else {
            order_to_two(from, place);
        }
    }

    void codes(const NodeCodes& code, std::size_t place) const {
        const auto write = [&](std::size_t b, std::size_t number, std::int32_t value) {
            if (grows_[b]) children_[b].codes[place * children_[b].size() + number] = value;
        };
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (to_.branch[i] < children_.size()) {
                write(to_.branch[i], to_.number[i], code[i]);
                continue;
            }
            for (std::size_t b = 0; b < children_.size(); ++b) {
                write(b, to_.own[b] + to_.number[i], code[i]);
            }
        }
    }

private:
    void pack() {
        packed_.resize(node_.size());
        for (std::size_t i = 0; i < packed_.size(); ++i) {
            packed_[i] = to_.number[i] | (to_.branch[i] ? upper_branch : 0U);
        }
    }

    void order_to_two(std::size_t from, std::size_t place) const noexcept {
        std::uint32_t nowhere = 0, run = 0;
        Destination places[2] = {destination(children_[0], grows_[0], place, &nowhere),
                                 destination(children_[1], grows_[1], place, &nowhere)};
        const std::uint32_t* packed = packed_.data();
        for (const std::uint32_t entry : node_.order(from)) {
            run += (entry & tied) == 0;
            const std::uint32_t number = packed[entry & number_mask];
            put(places[number >> 31], number & number_mask, entry, run);
        }
        for (std::size_t b = 0; b < 2; ++b)
            count_present(children_[b], grows_[b], place, places[b]);
    }

    void order_to_many(std::size_t from, std::size_t place) const {
        std::uint32_t nowhere = 0, run = 0;
        std::vector<Destination> places;
        for (std::size_t b = 0; b < children_.size(); ++b) {
            places.push_back(destination(children_[b], grows_[b], place, &nowhere));
        }
        for (const std::uint32_t entry : node_.order(from)) {
            run += (entry & tied) == 0;
            const std::size_t i = entry & number_mask;
            if (to_.branch[i] < children_.size()) {
                put(places[to_.branch[i]], to_.number[i], entry, run);
                continue;
            }
            for (std::size_t b = 0; b < children_.size(); ++b) {
                put(places[b], to_.own[b] + to_.number[i], entry, run);
            }
        }
        for (std::size_t b = 0; b < children_.size(); ++b) {
            count_present(children_[b], grows_[b], place, places[b]);
        }
    }

    const OpenNode& node_;
    const Assignment& to_;
    std::vector<OpenNode>& children_;
    const std::vector<bool>& grows_;
    std::vector<std::uint32_t> packed_;  // with two branches: each example's branch and number
};

// Positions of the columns that still vary.
struct Kept {
    std::vector<std::size_t> numeric, categorical;

    // Among all columns of the node, numeric ones first.
    std::vector<std::size_t> places(const OpenNode& node) const {
        std::vector<std::size_t> found = numeric;
        for (const std::size_t k : categorical) found.push_back(node.numeric.size() + k);
        return found;
    }
};

Kept kept_by(const OpenNode& node) {
    const std::size_t d = node.numeric.size();
    Kept kept;
    for (std::size_t k = 0; k < node.constant.size(); ++k) {
        if (node.constant[k]) continue;
        if (k < d) {
            kept.numeric.push_back(k);
        } else {
            kept.categorical.push_back(k - d);
        }
    }
    return kept;
}

void make_room(const GrowthContext& context, const OpenNode& node, const Kept& kept,
               OpenNode& child) {
    for (const auto k : kept.numeric) child.numeric.push_back(node.numeric[k]);
    for (const auto k : kept.categorical) child.categorical.push_back(node.categorical[k]);
    const std::size_t n = child.size();
    child.coded = node.coded && context.is_coded(n);
    if (child.coded) return;
    child.present.resize(kept.numeric.size());
    child.entries = std::make_unique_for_overwrite<std::uint32_t[]>(kept.numeric.size() * n);
    child.codes = std::make_unique_for_overwrite<std::int32_t[]>(kept.categorical.size() * n);
}

// Gives the child of a coded node columns of its own.
void sort_child(const GrowthContext& context, OpenNode& child) {
    const std::size_t n = child.size(), d = child.numeric.size();
    for_each_task(d + child.categorical.size(), context.threads_for(child), [&](std::size_t t) {
        checkpoint(n);
        if (context.time_limit.over()) return;
        if (t < d) {
            std::vector<double> values;
            values.reserve(n);
            const Column x = context.training.numeric[child.numeric[t]];
            for (const std::uint32_t row : child.row) values.push_back(x[row]);
            child.present[t] = sort_entries(context, {values.data(), 1}, child.label,
                                            {child.entries.get() + t * n, n});
            return;
        }
        const auto code = context.training.categorical[child.categorical[t - d]].code;
        std::int32_t* to = child.codes.get() + (t - d) * n;
        for (const std::uint32_t row : child.row) *to++ = code[row];
    });
}

}  // namespace

void partition_columns(const GrowthContext& context, const OpenNode& node, const Assignment& to,
                       std::vector<OpenNode>& children, const std::vector<bool>& grows) {
    const Kept kept = kept_by(node);
    for (std::size_t b = 0; b < children.size(); ++b) {
        if (!grows[b]) continue;
        make_room(context, node, kept, children[b]);
        if (node.coded && !children[b].coded) sort_child(context, children[b]);
    }
    if (node.coded) {
        if (!node.counts.empty()) pass_on_counts(context, node, kept.places(node), children, grows);
        return;
    }
    const ColumnPartitioner partitioner(node, to, children, grows);
    const std::size_t d = kept.numeric.size(), all = d + kept.categorical.size();
    for_each_task(all, context.threads_for(node), [&](std::size_t t) {
        checkpoint(node.size());
        if (context.time_limit.over()) return;
        if (t < d) {
            partitioner.order(kept.numeric[t], t);
        } else {
            partitioner.codes(context.categories(node, kept.categorical[t - d]), t - d);
        }
    });
}

}  // namespace rulewright
