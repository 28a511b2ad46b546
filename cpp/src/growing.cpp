#include "growing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "interruption.hpp"
#include "open_nodes.hpp"
#include "parallel.hpp"
#include "partition.hpp"
#include "splitting.hpp"

namespace rulewright {
namespace {

struct QueuedNode {
    OpenNode node;
    Split split;
};

bool is_less_useful(const QueuedNode& a, const QueuedNode& b) noexcept {
    const double one = a.split.worth(), other = b.split.worth();
    return one != other ? one < other : a.node.number > b.node.number;
}

// The largest value of a column up to each of some numbers, and the first row that has it.
class LargestUpTo {
public:
    LargestUpTo() = default;

    LargestUpTo(Column x, std::size_t rows, std::vector<double> numbers)
        : numbers_(std::move(numbers)) {
        std::ranges::sort(numbers_);
        found_.resize(numbers_.size(), {-1, -std::numeric_limits<double>::infinity()});
        for (std::size_t row = 0; row < rows; ++row) {
            const double v = x[row];
            if (!(v <= numbers_.back())) continue;
            const auto at = std::ranges::lower_bound(numbers_, v) - numbers_.begin();
            auto& [first, value] = found_[static_cast<std::size_t>(at)];
            if (first < 0 || v > value) first = static_cast<std::int32_t>(row), value = v;
        }
        for (std::size_t k = 1; k < found_.size(); ++k) {
            if (found_[k].first < 0) found_[k] = found_[k - 1];
        }
    }

    std::pair<std::int32_t, double> row_of(double number) const {
        const auto at = std::ranges::lower_bound(numbers_, number) - numbers_.begin();
        const auto& [row, value] = found_[static_cast<std::size_t>(at)];
        return {row, value + 0.0};
    }

private:
    std::vector<double> numbers_;
    std::vector<std::pair<std::int32_t, double>> found_;
};

class Grower {
public:
    Grower(const TrainingColumns& training, const GrowthOptions& options, const Measure& measure)
        : context_(training, options, measure),
          training_(training),
          options_(options),
          measure_(measure) {}

    Grown grow() {
        OpenNode root = make_root();
        total_ = context_.weight(root);
        max_postponed_ = max_postponed(root);
        if (describe(root)) consider(std::move(root));
        split_queued();
        grow_postponed();
        finish();
        grown_.stopped = context_.time_limit.reached();
        return std::move(grown_);
    }

private:
    void split_queued() {
        std::size_t leaves = 1;
        while (!queued_.empty()) {
            QueuedNode next = take();
            const std::uint32_t column = column_of(next);
            if (!context_.may_use(column)) {  // other columns came into use meanwhile
                consider(std::move(next.node));
                continue;
            }
            const std::size_t more = next.split.branches - 1;
            if (more > options_.max_leaves - leaves) continue;
            if (context_.time_limit.over()) break;
            leaves += more;
            use(column);
            divide(next.node, next.split);
        }
    }

    // Maximum number of cells of nodes that are postponed, to be grown on several threads; 0 if the
    // rest of the tree depends on them, or the tree is too small.
    std::size_t max_postponed(const OpenNode& root) const noexcept {
        constexpr std::size_t worth_sharing = 1 << 14, parts_per_thread = 8;
        const std::size_t columns = training_.numeric.size() + training_.categorical.size();
        const bool independent = !is_best_first() && options_.max_features >= columns;
        if (options_.threads == 1 || !independent || context_.cells(root) < worth_sharing) return 0;
        return std::min(context_.cells(root) / (parts_per_thread * options_.threads),
                        GrowthContext::worth_sharing);
    }

    void grow_postponed() {
        if (postponed_.empty()) return;
        std::vector<std::size_t> order(postponed_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::ranges::greater{},
                                 [&](std::size_t i) { return context_.cells(postponed_[i]); });
        std::vector<std::unique_ptr<Grower>> subtrees(postponed_.size());
        std::vector<std::int32_t> roots;
        for (const OpenNode& node : postponed_) roots.push_back(node.number);
        for_each_task(order.size(), options_.threads, [&](std::size_t i) {
            auto subtree = std::make_unique<Grower>(training_, options_, measure_);
            subtree->grow_from(std::move(postponed_[order[i]]), context_.has_missing, total_);
            subtrees[order[i]] = std::move(subtree);
        });
        for (std::size_t i = 0; i < subtrees.size(); ++i) append(*subtrees[i], roots[i]);
        renumber();
    }

    // Grows the tree below a node, which becomes its root; its nodes have no places of cuts yet.
    void grow_from(OpenNode node, const std::vector<char>& has_missing, double total) {
        context_.has_missing = has_missing;
        total_ = total;
        if (describe(node)) consider(std::move(node));
        split_queued();
        sorted_.reset();
    }

    // Appends the nodes of a subtree, whose root is one of the leaves so far.
    void append(Grower& subtree, std::int32_t root) {
        const auto at = static_cast<std::size_t>(root);
        const auto moved = static_cast<std::int32_t>(grown_.kind.size()) - 1;
        const auto number = [&](std::int32_t i) { return i == 0 ? root : i + moved; };
        for_each_array(grown_, subtree.grown_, [&](auto& to, const auto& from, std::size_t width) {
            const auto each = static_cast<std::ptrdiff_t>(width);
            std::copy_n(from.begin(), width, to.begin() + static_cast<std::ptrdiff_t>(at) * each);
            to.insert(to.end(), from.begin() + each, from.end());
        });
        for (auto& [first, count] : subtree.children_) first = number(first);
        children_[at] = subtree.children_.front();
        children_.insert(children_.end(), subtree.children_.begin() + 1, subtree.children_.end());
        for (auto& [node, branch_of] : subtree.tables_) {
            tables_.emplace_back(number(node), std::move(branch_of));
        }
    }

    // Numbers the nodes as if they had been split one after the other.
    void renumber() {
        std::vector<std::int32_t> number_of(grown_.kind.size()), stack{0};
        std::int32_t next = 1;
        while (!stack.empty()) {
            const auto [first, count] = children_[static_cast<std::size_t>(stack.back())];
            stack.pop_back();
            for (std::int32_t b = 0; b < count; ++b) {
                number_of[static_cast<std::size_t>(first + b)] = next++;
            }
            for (std::int32_t b = count; b-- > 0;) stack.push_back(first + b);
        }
        for_each_array(grown_, grown_, [&](auto& to, const auto&, std::size_t width) {
            auto from = to;
            for (std::size_t i = 0; i < number_of.size(); ++i) {
                const auto place = static_cast<std::size_t>(number_of[i]) * width;
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                            to.begin() + static_cast<std::ptrdiff_t>(place));
            }
        });
        auto children = children_;
        for (std::size_t i = 0; i < number_of.size(); ++i) {
            auto [first, count] = children[i];
            if (count > 0) first = number_of[static_cast<std::size_t>(first)];
            children_[static_cast<std::size_t>(number_of[i])] = {first, count};
        }
        for (auto& [node, branch_of] : tables_) node = number_of[static_cast<std::size_t>(node)];
    }

    // Calls `change(array, other's array, entries per node)` for the arrays of nodes.
    template <class Change>
    void for_each_array(Grown& to, const Grown& from, Change&& change) const {
        change(to.kind, from.kind, 1);
        change(to.column, from.column, 1);
        change(to.low, from.low, 1);
        change(to.high, from.high, 1);
        change(to.low_row, from.low_row, 1);
        change(to.high_row, from.high_row, 1);
        change(to.missing, from.missing, 1);
        change(to.largest, from.largest, 1);
        change(to.sums, from.sums, context_.width);
        change(to.gain, from.gain, 1);
        change(to.impurity, from.impurity, 1);
        change(to.value, from.value, 1);
    }

    std::uint32_t column_of(const QueuedNode& queued) const noexcept {
        const std::size_t before = queued.split.categorical ? queued.node.numeric.size() : 0;
        return context_.column(queued.node, before + queued.split.place);
    }

    void use(std::uint32_t column) noexcept {
        context_.in_use += !context_.used[column];
        context_.used[column] = 1;
    }

    OpenNode make_root() {
        OpenNode root;
        const std::size_t n = training_.rows();
        root.row.resize(n);
        std::iota(root.row.begin(), root.row.end(), 0U);
        root.label.assign(training_.label.begin(), training_.label.end());
        root.target.assign(training_.target.begin(), training_.target.end());
        root.weight.assign(training_.weight.begin(), training_.weight.end());
        root.sums = context_.nil;
        const Members members = root.members();
        for (std::size_t i = 0; i < n; ++i) measure_.add(members, i, 1.0, root.sums.data());
        root.coded = n > options_.max_sorted_rows && context_.can_code();
        if (root.coded) {
            code_columns(root);
        } else {
            sort_columns(root);
        }
        copy_codes(root);
        return root;
    }

    void code_columns(OpenNode& root) {
        const std::size_t d = training_.numeric.size();
        context_.codes =
            std::make_unique<ColumnCodes>(training_.numeric, training_.rows(), options_.threads);
        root.numeric.resize(d);
        std::iota(root.numeric.begin(), root.numeric.end(), 0U);
        for (std::size_t j = 0; j < d; ++j)
            context_.has_missing[j] = context_.codes->has_missing(j);
    }

    void sort_columns(OpenNode& root) {
        const std::size_t n = training_.rows();
        const std::size_t d = training_.numeric.size();
        root.entries = std::make_unique_for_overwrite<std::uint32_t[]>(d * n);
        root.present.resize(d);
        root.numeric.resize(d);
        std::iota(root.numeric.begin(), root.numeric.end(), 0U);
        for_each_task(d, options_.threads, [&](std::size_t j) {
            checkpoint(n);
            if (context_.time_limit.over()) return;
            const std::span<std::uint32_t> entries(root.entries.get() + j * n, n);
            root.present[j] =
                sort_entries(context_, training_.numeric[j], training_.label, entries);
            context_.has_missing[j] = root.present[j] < n;
        });
    }

    void copy_codes(OpenNode& root) {
        const std::size_t n = training_.rows();
        if (!root.coded) {
            root.codes =
                std::make_unique_for_overwrite<std::int32_t[]>(training_.categorical.size() * n);
        }
        for (std::size_t j = 0; j < training_.categorical.size(); ++j) {
            checkpoint(n);
            if (!is_asked(root, j)) continue;
            const auto missing = [](std::int32_t code) { return code < 0; };
            const auto code = training_.categorical[j].code;
            context_.has_missing[training_.numeric.size() + j] = std::ranges::any_of(code, missing);
            if (!root.coded) {
                std::ranges::copy(code, root.codes.get() + root.categorical.size() * n);
            }
            root.categorical.push_back(static_cast<std::uint32_t>(j));
        }
    }

    // C4.5 ignores columns with nearly as many categories as rows, unless there are no others.
    bool is_asked(const OpenNode& root, std::size_t column) const {
        if (training_.categorical[column].ranges) return true;
        const double max_categories = 0.3 * context_.weight(root);
        const auto many = [&](const Codes& codes) {
            return static_cast<double>(codes.categories) >= max_categories;
        };
        const bool only =
            training_.numeric.empty() && std::ranges::all_of(training_.categorical, many);
        return options_.categories != CategorySplit::none &&
               (!options_.by_ratio || only || !many(training_.categorical[column]));
    }

    // Enters a node as a leaf, which it is until it is split, and returns whether it can be split.
    bool describe(OpenNode& node) {
        const Summary summary = measure_.summary(node.members(), node.sums.data());
        node.impurity = summary.impurity;
        node.slack = measure_.rounding(summary.impurity);
        node.number = static_cast<std::int32_t>(grown_.kind.size());
        grown_.kind.push_back(static_cast<std::int8_t>(Kind::leaf));
        grown_.column.push_back(-1);
        grown_.low.push_back(0.0);
        grown_.high.push_back(0.0);
        grown_.low_row.push_back(-1);
        grown_.high_row.push_back(-1);
        grown_.missing.push_back(-1);
        grown_.largest.push_back(-1);
        record_sums(node);
        grown_.gain.push_back(0.0);
        grown_.impurity.push_back(summary.impurity);
        grown_.value.push_back(summary.value);
        children_.emplace_back(0, 0);
        return !summary.pure && node.size() > 1 && node.depth < options_.max_depth &&
               context_.weight(node) >= nearly(options_.min_split);
    }

    // Fractions are rounded, so that their sums do not depend on the order of the rows.
    void record_sums(const OpenNode& node) {
        const bool rounds = options_.fractional && context_.of_classes();
        for (const double sum : node.sums) {
            grown_.sums.push_back(rounds ? std::nearbyint(sum * fineness) / fineness : sum);
        }
    }

    void consider(OpenNode node) {
        Split split = best_split(context_, node);
        if (!context_.keeps_counts(node)) node.counts = {};
        if (!split.found()) return;
        if (options_.min_gain > 0.0 && !(split.gain >= options_.min_gain * total_)) return;
        queued_.push_back({std::move(node), std::move(split)});
        if (is_best_first()) std::push_heap(queued_.begin(), queued_.end(), is_less_useful);
    }

    bool is_best_first() const noexcept {
        return options_.max_leaves < std::numeric_limits<std::size_t>::max() ||
               context_.time_limit.limited() || options_.columns.limited();
    }

    QueuedNode take() {
        if (is_best_first()) std::pop_heap(queued_.begin(), queued_.end(), is_less_useful);
        QueuedNode next = std::move(queued_.back());
        queued_.pop_back();
        return next;
    }

    void divide(OpenNode& node, Split& split) {
        if (split.missing == undecided) split.missing = heavier(context_, node, split);
        const Assignment to = assign(context_, node, split);
        std::vector<OpenNode> children = make_children(context_, node, split, to);
        record(node, split, children, to);
        if (options_.columns.any()) extend_paths(node, split, children);
        std::vector<bool> grows;
        for (OpenNode& child : children) grows.push_back(describe(child));
        if (std::ranges::find(grows, true) != grows.end()) {
            partition_columns(context_, node, to, children, grows);
        }
        if (node.number == 0) {  // the order of all rows, which places the cuts at the end
            sorted_ = std::move(node.entries);
            sorted_present_ = node.present;
        }
        node = OpenNode{};
        for (std::size_t b = children.size(); b-- > 0;) {
            if (!grows[b]) continue;
            // The codes of coded nodes are those of this tree.
            if (!children[b].coded && context_.cells(children[b]) <= max_postponed_) {
                postponed_.push_back(std::move(children[b]));
            } else {
                consider(std::move(children[b]));
            }
        }
    }

    void extend_paths(const OpenNode& node, const Split& split,
                      std::vector<OpenNode>& children) const {
        const std::size_t before = split.categorical ? node.numeric.size() : 0;
        const std::uint32_t column = context_.column(node, before + split.place);
        std::vector<std::uint32_t> path = node.path;
        if (std::ranges::find(path, column) == path.end()) path.push_back(column);
        for (OpenNode& child : children) child.path = path;
    }

    void record(const OpenNode& node, const Split& split, const std::vector<OpenNode>& children,
                const Assignment& to) {
        const auto i = static_cast<std::size_t>(node.number);
        grown_.kind[i] = static_cast<std::int8_t>(split.kind);
        grown_.gain[i] = split.gain;
        grown_.missing[i] = split.missing;
        grown_.largest[i] = split.missing >= 0 ? split.missing : largest_of(children);
        children_[i] = {static_cast<std::int32_t>(grown_.kind.size()),
                        static_cast<std::int32_t>(children.size())};
        if (split.categorical) {
            grown_.column[i] =
                static_cast<std::int32_t>(training_.numeric.size() + node.categorical[split.place]);
            tables_.emplace_back(node.number, split.branch_of);
        } else {
            grown_.column[i] = static_cast<std::int32_t>(node.numeric[split.place]);
            if (split.kind != Kind::present) record_ends(node, split, to);
        }
    }

    // The first of the heaviest.
    std::int32_t largest_of(const std::vector<OpenNode>& children) const noexcept {
        std::size_t largest = 0;
        for (std::size_t b = 1; b < children.size(); ++b) {
            if (is_heavier(context_.weight(children[b]), context_.weight(children[largest]))) {
                largest = b;
            }
        }
        return static_cast<std::int32_t>(largest);
    }

    void record_ends(const OpenNode& node, const Split& split, const Assignment& to) {
        const auto i = static_cast<std::size_t>(node.number);
        const Column x = training_.numeric[node.numeric[split.place]];
        if (node.coded) {
            std::tie(grown_.low[i], grown_.high[i]) = ends_of(node, x, to);
            return;
        }
        const auto entries = node.order(split.place);
        // Adding 0 turns -0 into 0.
        const auto value_at = [&](std::size_t k) {
            return x[node.row[entries[k] & number_mask]] + 0.0;
        };
        const bool is_cut = split.kind == Kind::cut;
        grown_.low[i] = value_at(is_cut ? split.last : split.first);
        grown_.high[i] = value_at(is_cut ? split.last + 1 : split.last);
    }

    // The largest value below a cut, and the smallest above it.
    static std::pair<double, double> ends_of(const OpenNode& node, Column x, const Assignment& to) {
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        for (std::size_t k = 0; k < node.size(); ++k) {
            const double v = x[node.row[k]];  // comparisons with NaN are false
            if (to.branch[k] == 0) {
                low = v > low ? v : low;
            } else {
                high = v < high ? v : high;
            }
        }
        return {low + 0.0, high + 0.0};
    }

    void finish() {
        if (!sorted_) find_rows();
        std::vector<std::size_t> table(grown_.kind.size(), tables_.size());
        for (std::size_t t = 0; t < tables_.size(); ++t) {
            table[static_cast<std::size_t>(tables_[t].first)] = t;
        }
        grown_.start.push_back(0);
        grown_.table_start.push_back(0);
        for (std::size_t i = 0; i < grown_.kind.size(); ++i) {
            const auto [first, count] = children_[i];
            for (std::int32_t b = 0; b < count; ++b) grown_.branches.push_back(first + b);
            if (table[i] < tables_.size()) {
                const auto& branch_of = tables_[table[i]].second;
                grown_.branch_of.insert(grown_.branch_of.end(), branch_of.begin(), branch_of.end());
            }
            grown_.start.push_back(static_cast<std::int32_t>(grown_.branches.size()));
            grown_.table_start.push_back(static_cast<std::int32_t>(grown_.branch_of.size()));
            place(i);
        }
    }

    double middle_of(std::size_t i) const noexcept {
        const double middle = grown_.low[i] / 2 + grown_.high[i] / 2;
        return std::clamp(middle, grown_.low[i], grown_.high[i]);
    }

    // Without sorted columns, the rows of all cuts of a column are found together.
    void find_rows() {
        std::vector<std::vector<double>> numbers(training_.numeric.size());
        for (std::size_t i = 0; i < grown_.kind.size(); ++i) {
            if (static_cast<Kind>(grown_.kind[i]) != Kind::cut) continue;
            auto& of_column = numbers[static_cast<std::size_t>(grown_.column[i])];
            of_column.push_back(grown_.low[i]);
            of_column.push_back(middle_of(i));
        }
        found_rows_.resize(numbers.size());
        for_each_task(numbers.size(), options_.threads, [&](std::size_t j) {
            if (numbers[j].empty()) return;
            checkpoint(training_.rows());
            found_rows_[j] = LargestUpTo(training_.numeric[j], training_.rows(), numbers[j]);
        });
    }

    // A cut lies at the largest value of any row up to the midpoint between its two sides, as in
    // C4.5; an interval ends where its examples do. Both are identified by the first row of the
    // value.
    void place(std::size_t i) {
        const auto kind = static_cast<Kind>(grown_.kind[i]);
        if (kind != Kind::cut && kind != Kind::interval) return;
        const auto column = static_cast<std::uint32_t>(grown_.column[i]);
        if (kind == Kind::interval) {
            grown_.low_row[i] = row_of(column, grown_.low[i]).first;
            grown_.high_row[i] = row_of(column, grown_.high[i]).first;
            return;
        }
        auto [row, value] = row_of(column, middle_of(i));
        if (!(value < grown_.high[i])) std::tie(row, value) = row_of(column, grown_.low[i]);
        grown_.low_row[i] = row;
        grown_.low[i] = value;
    }

    // The largest value up to a number, and the first row that has it.
    std::pair<std::int32_t, double> row_of(std::uint32_t column, double number) const {
        if (!sorted_) return found_rows_[column].row_of(number);
        const std::size_t n = training_.rows();
        const Column x = training_.numeric[column];
        const std::span<const std::uint32_t> order(sorted_.get() + column * n,
                                                   sorted_present_[column]);
        const auto value = [&](std::uint32_t entry) { return x[entry & number_mask]; };
        const auto above =
            std::upper_bound(order.begin(), order.end(), number,
                             [&](double v, std::uint32_t entry) { return v < value(entry); });
        const double found = value(*std::prev(above)) + 0.0;
        const auto first =
            std::lower_bound(order.begin(), above, found,
                             [&](std::uint32_t entry, double v) { return value(entry) < v; });
        return {static_cast<std::int32_t>(*first & number_mask), found};
    }

    GrowthContext context_;
    const TrainingColumns& training_;
    const GrowthOptions& options_;
    const Measure& measure_;
    double total_ = 0.0;
    Grown grown_;
    std::vector<std::pair<std::int32_t, std::int32_t>>
        children_;  // the first child, and their number
    std::vector<std::pair<std::int32_t, std::vector<std::int32_t>>> tables_;
    std::vector<QueuedNode> queued_;
    std::size_t max_postponed_ = 0;
    std::vector<OpenNode> postponed_;
    std::unique_ptr<std::uint32_t[]> sorted_;
    std::vector<std::size_t> sorted_present_;
    std::vector<LargestUpTo> found_rows_;  // of each column, if none are sorted
};

}  // namespace

Grown grow(const TrainingColumns& training, const GrowthOptions& options, const Measure& measure) {
    return Grower(training, options, measure).grow();
}

}  // namespace rulewright
