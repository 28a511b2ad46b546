#include "growing.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "parallel.hpp"
#include "sorting.hpp"

namespace rulewright {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr std::size_t worth_sharing = 1 << 18;  // cells of a node, for threads to pay
constexpr std::int32_t undecided = -2;          // missing values take the heavier of two branches
constexpr std::uint32_t upper_branch = tied;    // in a place: the second of two branches

double xlogx(double x) noexcept { return x > 0.0 ? x * std::log2(x) : 0.0; }

// A node that may be split.
struct Node {
    std::int32_t number = 0;
    std::size_t depth = 0;
    double lower = none, upper = -none;
    std::vector<std::uint32_t> row;
    std::vector<std::uint16_t> label;
    std::vector<double> target, weight, sums;
    // The columns that still vary, and of each all its rows: how many have a value, their order.
    std::vector<std::uint32_t> numeric, categorical;
    std::vector<std::size_t> present;
    std::unique_ptr<std::uint32_t[]> entries;
    std::unique_ptr<std::int32_t[]> codes;
    std::vector<bool> constant;  // of these columns, numeric ones first: no longer worth keeping

    std::size_t size() const noexcept { return row.size(); }
    Members members() const noexcept { return {label, target, weight}; }
    std::span<const std::uint32_t> order(std::size_t place) const noexcept {
        return {entries.get() + place * size(), present[place]};
    }
    std::span<const std::int32_t> code(std::size_t place) const noexcept {
        return {codes.get() + place * size(), size()};
    }
};

// The best split on one column.
struct Split {
    Kind kind = Kind::leaf;
    bool categorical = false;
    std::size_t place = 0;  // of the column among those of the node
    double gain = none;
    double ratio = none;
    std::int32_t missing = 1;         // the branch that missing values take; -1: all of them
    std::size_t first = 0, last = 0;  // entries of branch 0
    std::size_t branches = 2;
    std::vector<std::int32_t> branch_of;  // of each category
    bool constant = false;                // the column is worth nothing here and below

    bool found() const noexcept { return kind != Kind::leaf; }
};

struct Waiting {
    Node node;
    Split split;
};

// Where the examples of a node go: to a branch, under a number there; or to all, under numbers that
// follow those of each branch's own.
struct Assignment {
    std::vector<std::uint32_t> branch, number;
    std::vector<std::uint32_t> own;         // how many go to each branch only
    std::vector<std::uint32_t> everywhere;  // those that go to all
};

class Grower {
public:
    Grower(const Soil& soil, const Habits& habits, const Measure& measure)
        : soil_(soil),
          habits_(habits),
          measure_(measure),
          width_(measure.width()),
          nil_(width_, 0.0) {}

    Grown grow() {
        Node root = make_root();
        total_ = measure_.weight(root.sums.data());
        if (describe(root)) consider(std::move(root));
        std::size_t leaves = 1;
        while (!waiting_.empty()) {
            Waiting next = take();
            const std::size_t more = next.split.branches - 1;
            if (more > habits_.max_leaves - leaves) continue;
            leaves += more;
            divide(next.node, next.split);
        }
        finish();
        return std::move(grown_);
    }

private:
    Node make_root() {
        Node root;
        const std::size_t n = soil_.rows();
        root.row.resize(n);
        std::iota(root.row.begin(), root.row.end(), 0U);
        root.label.assign(soil_.label.begin(), soil_.label.end());
        root.target.assign(soil_.target.begin(), soil_.target.end());
        root.weight.assign(soil_.weight.begin(), soil_.weight.end());
        root.sums = nil_;
        const Members members = root.members();
        for (std::size_t i = 0; i < n; ++i) measure_.add(members, i, 1.0, root.sums.data());
        has_missing_.resize(soil_.numeric.size() + soil_.categorical.size());
        sort_columns(root);
        root.codes = std::make_unique_for_overwrite<std::int32_t[]>(soil_.categorical.size() * n);
        for (std::size_t j = 0; j < soil_.categorical.size(); ++j) {
            if (!is_asked(j)) continue;
            const auto missing = [](std::int32_t code) { return code < 0; };
            has_missing_[soil_.numeric.size() + j] =
                std::ranges::any_of(soil_.categorical[j].code, missing);
            std::ranges::copy(soil_.categorical[j].code,
                              root.codes.get() + root.categorical.size() * n);
            root.categorical.push_back(static_cast<std::uint32_t>(j));
        }
        return root;
    }

    // C4.5 leaves out columns of nearly as many categories as rows, unless there are no others.
    bool is_asked(std::size_t column) const {
        const auto many = [&](const Codes& codes) {
            return static_cast<double>(codes.categories) >= 0.3 * static_cast<double>(soil_.rows());
        };
        const bool only = soil_.numeric.empty() && std::ranges::all_of(soil_.categorical, many);
        return habits_.categories != CategorySplit::none &&
               (!habits_.by_ratio || only || !many(soil_.categorical[column]));
    }

    void sort_columns(Node& root) {
        const std::size_t n = soil_.rows();
        const std::size_t d = soil_.numeric.size();
        root.entries = std::make_unique_for_overwrite<std::uint32_t[]>(d * n);
        root.present.resize(d);
        root.numeric.resize(d);
        std::iota(root.numeric.begin(), root.numeric.end(), 0U);
        for_each_task(d, habits_.threads, [&](std::size_t j) {
            const std::span<std::uint32_t> entries(root.entries.get() + j * n, n);
            root.present[j] = sort_rows(soil_.numeric[j], entries, tied);
            has_missing_[j] = root.present[j] < n;
            if (soil_.label.empty() || width_ != 2) return;
            for (std::uint32_t& entry : entries.first(root.present[j])) {
                entry |= static_cast<std::uint32_t>(soil_.label[entry & number_mask]) << 30;
            }
        });
    }

    // Enters a node as a leaf, which it is until it is split, and says whether it can be.
    bool describe(Node& node) {
        const Summary summary = measure_.summary(node.members(), node.sums.data());
        node.number = static_cast<std::int32_t>(grown_.kind.size());
        grown_.kind.push_back(static_cast<std::int8_t>(Kind::leaf));
        grown_.column.push_back(-1);
        grown_.low.push_back(0.0);
        grown_.high.push_back(0.0);
        grown_.low_row.push_back(-1);
        grown_.high_row.push_back(-1);
        grown_.missing.push_back(-1);
        grown_.largest.push_back(-1);
        grown_.sums.insert(grown_.sums.end(), node.sums.begin(), node.sums.end());
        grown_.gain.push_back(0.0);
        grown_.impurity.push_back(summary.impurity);
        grown_.value.push_back(summary.value);
        children_.emplace_back(0, 0);
        return !summary.pure && node.size() > 1 && node.depth < habits_.max_depth &&
               measure_.weight(node.sums.data()) >= habits_.min_split;
    }

    void consider(Node node) {
        Split split = best_split(node);
        if (!split.found()) return;
        if (habits_.min_gain > 0.0 && !(split.gain >= habits_.min_gain * total_)) return;
        waiting_.push_back({std::move(node), std::move(split)});
        if (is_best_first()) std::push_heap(waiting_.begin(), waiting_.end(), is_less_useful);
    }

    bool is_best_first() const noexcept {
        return habits_.max_leaves < std::numeric_limits<std::size_t>::max();
    }

    static bool is_less_useful(const Waiting& a, const Waiting& b) noexcept {
        return a.split.gain != b.split.gain ? a.split.gain < b.split.gain
                                            : a.node.number > b.node.number;
    }

    Waiting take() {
        if (is_best_first()) std::pop_heap(waiting_.begin(), waiting_.end(), is_less_useful);
        Waiting next = std::move(waiting_.back());
        waiting_.pop_back();
        return next;
    }

    std::size_t threads_for(const Node& node) const noexcept {
        const std::size_t cells = node.size() * (node.numeric.size() + node.categorical.size());
        return cells >= worth_sharing ? habits_.threads : 1;
    }

    Split best_split(Node& node) const {
        const std::size_t d = node.numeric.size(), all = d + node.categorical.size();
        std::vector<Split> splits(all);
        for_each_task(all, threads_for(node), [&](std::size_t k) {
            splits[k] = k < d ? best_on_numbers(node, k) : best_on_categories(node, k - d);
            if (splits[k].found() && !stays_in_order(node, splits[k])) splits[k] = Split{};
        });
        const double slack = 1e-3 * measure_.weight(node.sums.data());
        Split* best = habits_.by_ratio ? best_by_ratio(splits, slack) : best_by_gain(splits);
        Split chosen = best ? std::move(*best) : Split{};
        node.constant.resize(all);
        for (std::size_t k = 0; k < all; ++k) node.constant[k] = splits[k].constant;
        return chosen;
    }

    // Medians are found without the missing values: those must not put them out of order.
    bool stays_in_order(const Node& node, const Split& split) const {
        if (soil_.direction.empty() || !measure_.sideless()) return true;
        Split settled = split;
        if (settled.missing == undecided) settled.missing = heavier(node, settled);
        const auto children = make_children(node, settled, assign(node, settled));
        const int direction = split.categorical ? 0 : soil_.direction[node.numeric[split.place]];
        return terms_for(node, direction)
            .allow(summary_value(children[0]), summary_value(children[1]));
    }

    static Split* best_by_gain(std::vector<Split>& splits) noexcept {
        Split* best = nullptr;
        for (Split& split : splits) {
            if (split.found() && (!best || split.gain > best->gain)) best = &split;
        }
        return best;
    }

    // C4.5 lets a column pass that is below the average by a thousandth of a bit.
    static Split* best_by_ratio(std::vector<Split>& splits, double slack) noexcept {
        double sum = 0.0, count = 0.0;
        for (const Split& split : splits) {
            if (split.found()) sum += split.gain, count += 1.0;
        }
        Split* best = nullptr;
        for (Split& split : splits) {
            if (!split.found() || split.gain < sum / count - slack) continue;
            if (!best || split.ratio > best->ratio) best = &split;
        }
        return best;
    }

    // What is known of the examples that have a value in a column, and of the others.
    struct Shares {
        std::vector<double> present, absent;
        std::size_t missing;
        bool somewhere;  // values of the column are missing, here or elsewhere
    };

    Terms terms_for(const Node& node, int direction) const noexcept {
        Terms terms;
        terms.least = habits_.min_leaf;
        terms.bounded = !soil_.direction.empty();
        terms.direction = direction;
        terms.lower = node.lower;
        terms.upper = node.upper;
        return terms;
    }

    // Missing values that go down all branches pull the value of each towards theirs: the bounds on
    // what the known values of a branch may have make up for it.
    Terms among_known(Terms terms, const Shares& shares) const noexcept {
        if (!habits_.fractional || !shares.missing || !terms.bounded || measure_.sideless()) {
            return terms;
        }
        const double known = measure_.weight(shares.present.data());
        const double unknown = measure_.weight(shares.absent.data());
        const double pull = unknown * measure_.value(shares.absent.data());
        terms.lower = (terms.lower * (known + unknown) - pull) / known;
        terms.upper = (terms.upper * (known + unknown) - pull) / known;
        return terms;
    }

    std::vector<double> sums_of(const Node& node, std::span<const std::uint32_t> entries) const {
        std::vector<double> sums = nil_;
        const Members members = node.members();
        for (const auto entry : entries) {
            measure_.add(members, entry & number_mask, 1.0, sums.data());
        }
        return sums;
    }

    std::vector<double> difference(const std::vector<double>& a, std::vector<double> b) const {
        for (std::size_t k = 0; k < width_; ++k) b[k] = a[k] - b[k];
        return b;
    }

    Split best_on_numbers(const Node& node, std::size_t place) const {
        const auto entries = node.order(place);
        Split split;
        split.place = place;
        const bool varies = std::any_of(entries.begin() + !entries.empty(), entries.end(),
                                        [](std::uint32_t entry) { return !(entry & tied); });
        const std::uint32_t column = node.numeric[place];
        const bool plain = column < soil_.plain;
        const bool asked = habits_.cuts || habits_.intervals || !plain;
        Shares shares{node.sums, nil_, node.size() - entries.size(), has_missing_[column] != 0};
        const bool is_constant =
            !varies && (!shares.missing || habits_.fractional || entries.empty());
        if (!asked || is_constant) {
            split.constant = true;
            return split;
        }
        if (shares.missing) {
            shares.present = sums_of(node, entries);
            shares.absent = difference(node.sums, shares.present);
        }
        const std::int8_t direction = soil_.direction.empty() ? 0 : soil_.direction[column];
        Terms terms = among_known(terms_for(node, direction), shares);
        if (habits_.by_ratio) {
            const double share =
                0.1 * measure_.weight(shares.present.data()) / static_cast<double>(width_);
            terms.least = std::max(terms.least, std::min(share, 25.0));
        }
        if (habits_.cuts || !plain) try_cuts(node, entries, shares, terms, split);
        if (!plain) return split;
        if (habits_.intervals && direction == 0) try_intervals(node, entries, shares, terms, split);
        try_presence(node, shares, terms_for(node, 0), split);
        return split;
    }

    // Missing values are tried on both sides, above first; as fractions they take no part.
    template <class Try>
    void on_both_sides(const Shares& shares, Try&& attempt) const {
        attempt(nil_, shares.absent, habits_.fractional ? -1 : 1);
        if (!habits_.fractional && shares.missing) attempt(shares.absent, nil_, 0);
    }

    void try_cuts(const Node& node, std::span<const std::uint32_t> entries, const Shares& shares,
                  const Terms& terms, Split& split) const {
        on_both_sides(shares, [&](const auto& below, const auto& above, int missing) {
            std::vector<double> right = shares.present;
            if (missing == 1) {
                for (std::size_t k = 0; k < width_; ++k) right[k] += above[k];
            }
            const Cut cut =
                measure_.best_cut(node.members(), entries, below.data(), right.data(), terms);
            if (!cut.found()) return;
            const double gain = paid(cut.gain, cut.tried);
            if (!is_gain(node, gain) || !(gain > split.gain)) return;
            split.kind = Kind::cut;
            split.gain = gain;
            split.first = 0;
            split.last = cut.position;
            split.missing = side(missing, shares);
            if (habits_.by_ratio) rate(node, entries, shares, split);
        });
    }

    // Where no missing value can teach it, the heavier branch is theirs.
    std::int32_t side(int tried, const Shares& shares) const noexcept {
        if (habits_.fractional && shares.somewhere) return -1;
        return shares.missing && !measure_.sideless() ? tried : undecided;
    }

    void try_intervals(const Node& node, std::span<const std::uint32_t> entries,
                       const Shares& shares, const Terms& terms, Split& split) const {
        on_both_sides(shares, [&](const auto& inside, const auto& outside, int missing) {
            const auto& beyond = missing == 1 ? outside : nil_;
            const Between found = best_interval(measure_, node.members(), entries, inside.data(),
                                                beyond.data(), terms);
            if (!found.found()) return;
            // Up to an end of the column it is a cut.
            const bool inner = found.first > 0 && found.last + 1 < entries.size();
            if (habits_.cuts && !inner) return;
            const double gain = paid(found.gain, entries.size() * (entries.size() + 1) / 2);
            if (!is_gain(node, gain) || !(gain > split.gain)) return;
            split.kind = Kind::interval;
            split.gain = gain;
            split.first = found.first;
            split.last = found.last;
            split.missing = side(missing, shares);
            if (habits_.by_ratio) rate(node, entries, shares, split);
        });
    }

    void try_presence(const Node& node, const Shares& shares, const Terms& terms,
                      Split& split) const {
        if (habits_.fractional || !shares.missing || measure_.sideless()) return;
        std::vector<double> branches = shares.present;
        branches.insert(branches.end(), shares.absent.begin(), shares.absent.end());
        if (!are_allowed(branches, terms)) return;
        const double gain = measure_.gain(branches);
        if (!is_gain(node, gain) || !(gain > split.gain)) return;
        split.kind = Kind::present;
        split.gain = gain;
        split.missing = 1;
        split.branches = 2;
        split.branch_of.clear();
        if (habits_.by_ratio) split.ratio = gain / information(branches, nil_);
    }

    bool are_allowed(const std::vector<double>& branches, const Terms& terms) const noexcept {
        const double *one = branches.data(), *other = one + width_;
        return measure_.weight(one) >= terms.least && measure_.weight(other) >= terms.least &&
               (!terms.bounded || terms.allow(measure_.value(one), measure_.value(other)));
    }

    // C4.5 (release 8): a cut costs the bits that say which of those tried it is.
    double paid(double gain, std::size_t tried) const noexcept {
        return habits_.by_ratio ? gain - std::log2(static_cast<double>(tried)) : gain;
    }

    bool is_gain(const Node& node, double gain) const noexcept {
        return !habits_.by_ratio || gain > 1e-6 * measure_.weight(node.sums.data());
    }

    void rate(const Node& node, std::span<const std::uint32_t> entries, const Shares& shares,
              Split& split) const {
        std::vector<double> branches =
            sums_of(node, entries.subspan(split.first, split.last + 1 - split.first));
        const auto rest = difference(shares.present, branches);
        branches.insert(branches.end(), rest.begin(), rest.end());
        if (split.missing >= 0 && shares.missing) {
            for (std::size_t k = 0; k < width_; ++k) {
                branches[static_cast<std::size_t>(split.missing) * width_ + k] += shares.absent[k];
            }
        }
        split.ratio = split.gain / information(branches, split.missing < 0 ? shares.absent : nil_);
    }

    // The bits that say which branch an example takes; missing values that take all are one more.
    double information(const std::vector<double>& branches,
                       const std::vector<double>& unknown) const noexcept {
        double total = measure_.weight(unknown.data()), parts = xlogx(total);
        for (std::size_t at = 0; at < branches.size(); at += width_) {
            const double weight = measure_.weight(branches.data() + at);
            total += weight;
            parts += xlogx(weight);
        }
        return xlogx(total) - parts;
    }

    Split best_on_categories(const Node& node, std::size_t place) const {
        const auto code = node.code(place);
        const std::size_t categories = soil_.categorical[node.categorical[place]].categories;
        Split split;
        split.categorical = true;
        split.place = place;
        std::vector<double> sums(categories * width_, 0.0);
        std::vector<std::uint32_t> count(categories, 0);
        Shares shares{node.sums, nil_, 0,
                      has_missing_[soil_.numeric.size() + node.categorical[place]] != 0};
        const Members members = node.members();
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i] < 0) {
                ++shares.missing;
                measure_.add(members, i, 1.0, shares.absent.data());
                continue;
            }
            const auto c = static_cast<std::size_t>(code[i]);
            ++count[c];
            measure_.add(members, i, 1.0, sums.data() + c * width_);
        }
        std::vector<std::size_t> there;
        for (std::size_t c = 0; c < categories; ++c) {
            if (count[c]) there.push_back(c);
        }
        if (shares.missing) shares.present = difference(node.sums, shares.absent);
        if (there.size() < 2 && (!shares.missing || habits_.fractional || there.empty())) {
            split.constant = true;
            return split;
        }
        const Categories known = {code, sums, count, there};
        if (there.size() > 1) {
            if (habits_.categories == CategorySplit::multiway) {
                try_multiway(node, known, shares, split);
            } else if (habits_.categories == CategorySplit::single) {
                try_single(node, known, shares, split);
            } else {
                try_subsets(node, known, shares, split);
            }
        }
        try_presence(node, shares, terms_for(node, 0), split);
        return split;
    }

    struct Categories {
        std::span<const std::int32_t> code;
        const std::vector<double>& sums;  // of each category
        const std::vector<std::uint32_t>& count;
        const std::vector<std::size_t>& there;  // those that the node has

        const double* of(std::size_t c, std::size_t width) const noexcept {
            return sums.data() + c * width;
        }
    };

    void try_multiway(const Node& node, const Categories& known, const Shares& shares,
                      Split& split) const {
        std::vector<double> branches;
        std::size_t largest = 0, enough = 0;
        for (std::size_t b = 0; b < known.there.size(); ++b) {
            const double* sums = known.of(known.there[b], width_);
            const double weight = measure_.weight(sums);
            branches.insert(branches.end(), sums, sums + width_);
            enough += weight >= habits_.min_leaf;
            if (weight > measure_.weight(&branches[largest * width_])) largest = b;
        }
        if (enough < 2) return;
        if (shares.missing && !habits_.fractional) {
            for (std::size_t k = 0; k < width_; ++k) {
                branches[largest * width_ + k] += shares.absent[k];
            }
        }
        const Terms terms = among_known(terms_for(node, 0), shares);
        for (std::size_t at = 0; at < branches.size(); at += width_) {
            const double value = measure_.value(&branches[at]);
            if (!terms.allow(value, value)) return;
        }
        const double gain = measure_.gain(branches);
        if (!is_gain(node, gain) || !(gain > split.gain)) return;
        split.kind = Kind::multiway;
        split.gain = gain;
        split.branches = known.there.size();
        const bool all = habits_.fractional && shares.somewhere;
        split.missing = all ? -1 : static_cast<std::int32_t>(largest);
        split.branch_of.assign(known.count.size(), -1);
        for (std::size_t b = 0; b < known.there.size(); ++b) {
            split.branch_of[known.there[b]] = static_cast<std::int32_t>(b);
        }
        if (habits_.by_ratio) {
            split.ratio = gain / information(branches, habits_.fractional ? shares.absent : nil_);
        }
    }

    void try_single(const Node& node, const Categories& known, const Shares& shares,
                    Split& split) const {
        const Terms terms = among_known(terms_for(node, 0), shares);
        for (const std::size_t c : known.there) {
            on_both_sides(shares, [&](const auto& within, const auto& beyond, int missing) {
                const std::vector<double> own(known.of(c, width_), known.of(c, width_) + width_);
                const auto rest = difference(shares.present, own);
                std::vector<double> branches(2 * width_);
                for (std::size_t k = 0; k < width_; ++k) {
                    branches[k] = own[k] + within[k];
                    branches[width_ + k] = rest[k] + (missing == 1 ? beyond[k] : 0.0);
                }
                if (!are_allowed(branches, terms)) return;
                const double gain = paid(measure_.gain(branches), known.there.size());
                if (!is_gain(node, gain) || !(gain > split.gain)) return;
                split.kind = Kind::subset;
                split.gain = gain;
                split.missing = side(missing, shares);
                split.branch_of.assign(known.count.size(), 1);
                split.branch_of[c] = 0;
                if (habits_.by_ratio) {
                    split.ratio = gain / information(branches, missing < 0 ? shares.absent : nil_);
                }
            });
        }
    }

    static std::vector<std::int32_t> only(const Categories& known,
                                          std::span<const std::size_t> chosen) {
        std::vector<std::int32_t> branch_of(known.count.size(), -1);
        for (const std::size_t c : known.there) branch_of[c] = 1;
        for (const std::size_t c : chosen) branch_of[c] = 0;
        return branch_of;
    }

    // The categories as one sorted column, by the share of a class or by their mean: for two
    // classes and for numbers the best set of categories is a part of that order from its start
    // (Breiman et al. 1984, theorem 4.5); for more classes each class gives an order to try.
    void try_subsets(const Node& node, const Categories& known, const Shares& shares,
                     Split& split) const {
        const bool classes = !soil_.label.empty();
        const std::size_t first = classes && width_ > 1 ? (width_ == 2 ? 1 : 0) : 1;
        const std::size_t last = classes ? std::max<std::size_t>(width_, 2) : 2;
        const Terms terms = among_known(terms_for(node, 0), shares);
        for (std::size_t k = first; k < last; ++k) {
            std::vector<std::pair<double, std::size_t>> keyed;
            for (const std::size_t c : known.there) {
                const double* sums = known.of(c, width_);
                keyed.emplace_back(sums[k] / measure_.weight(sums), c);
            }
            std::sort(keyed.begin(), keyed.end());
            std::vector<std::size_t> order;
            for (const auto& [key, c] : keyed) order.push_back(c);
            try_order(node, known, shares, terms, order, split);
        }
    }

    void try_order(const Node& node, const Categories& known, const Shares& shares,
                   const Terms& terms, const std::vector<std::size_t>& order, Split& split) const {
        const auto entries = lined_up(node, known, order);
        const double before = split.gain;
        Split found;
        found.place = split.place;
        found.gain = before;
        Terms own = terms;
        try_cuts(node, entries, shares, own, found);
        if (!found.found()) return;
        std::size_t chosen = 0;
        for (std::size_t seen = 0; seen <= found.last; ++chosen) seen += known.count[order[chosen]];
        split.kind = Kind::subset;
        split.gain = found.gain;
        split.ratio = found.ratio;
        split.missing = found.missing;
        split.branch_of = only(known, {order.data(), chosen});
    }

    // The examples by their categories in some order, those of one category tied.
    std::vector<std::uint32_t> lined_up(const Node& node, const Categories& known,
                                        const std::vector<std::size_t>& order) const {
        std::vector<std::size_t> at(known.count.size(), 0);
        std::size_t before = 0;
        for (const std::size_t c : order) at[c] = std::exchange(before, before + known.count[c]);
        std::vector<std::uint32_t> entries(before);
        auto next = at;
        const bool two = !soil_.label.empty() && width_ == 2;
        for (std::size_t i = 0; i < known.code.size(); ++i) {
            if (known.code[i] < 0) continue;
            const auto c = static_cast<std::size_t>(known.code[i]);
            const std::uint32_t tie = next[c] > at[c] ? tied : 0U;
            const std::uint32_t label = two ? static_cast<std::uint32_t>(node.label[i]) << 30 : 0U;
            entries[next[c]++] = static_cast<std::uint32_t>(i) | label | tie;
        }
        return entries;
    }

    Assignment assign(const Node& node, const Split& split) const {
        const std::size_t n = node.size(), b = split.branches;
        const auto all = static_cast<std::uint32_t>(b);
        const auto absent = split.missing < 0 ? all : static_cast<std::uint32_t>(split.missing);
        Assignment to{std::vector<std::uint32_t>(n, absent),
                      std::vector<std::uint32_t>(n),
                      std::vector<std::uint32_t>(b, 0),
                      {}};
        if (split.categorical) {
            const auto code = node.code(split.place);
            for (std::size_t i = 0; i < n; ++i) {
                if (code[i] < 0) continue;
                to.branch[i] = split.kind == Kind::present
                                   ? 0U
                                   : static_cast<std::uint32_t>(
                                         split.branch_of[static_cast<std::size_t>(code[i])]);
            }
        } else {
            const auto entries = node.order(split.place);
            for (std::size_t k = 0; k < entries.size(); ++k) {
                const bool within =
                    split.kind == Kind::present || (split.first <= k && k <= split.last);
                to.branch[entries[k] & number_mask] = within ? 0U : 1U;
            }
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

    // Which of two branches has the more of the weight that is known; the second on ties.
    std::int32_t heavier(const Node& node, const Split& split) const {
        double first = 0.0, known = 0.0;
        const Members members = node.members();
        const auto count = [&](std::size_t i, bool within) {
            known += members.weight_of(i);
            first += within ? members.weight_of(i) : 0.0;
        };
        if (split.categorical) {
            const auto code = node.code(split.place);
            for (std::size_t i = 0; i < code.size(); ++i) {
                if (code[i] >= 0) count(i, split.branch_of[static_cast<std::size_t>(code[i])] == 0);
            }
        } else {
            const auto entries = node.order(split.place);
            for (std::size_t k = 0; k < entries.size(); ++k) {
                count(entries[k] & number_mask, split.first <= k && k <= split.last);
            }
        }
        return 2.0 * first > known ? 0 : 1;
    }

    void divide(Node& node, Split& split) {
        if (split.missing == undecided) split.missing = heavier(node, split);
        const Assignment to = assign(node, split);
        std::vector<Node> children = make_children(node, split, to);
        record(node, split, children);
        std::vector<bool> grows;
        for (Node& child : children) {
            child.depth = node.depth + 1;
            grows.push_back(describe(child));
        }
        if (std::ranges::find(grows, true) != grows.end()) {
            hand_on(node, to, children, grows);
        }
        if (node.number == 0) {  // the order of all rows: cuts are placed by it at the end
            sorted_ = std::move(node.entries);
            sorted_present_ = node.present;
        }
        node = Node{};
        for (std::size_t b = children.size(); b-- > 0;) {
            if (grows[b]) consider(std::move(children[b]));
        }
    }

    std::vector<Node> make_children(const Node& node, const Split& split,
                                    const Assignment& to) const {
        std::vector<Node> children(split.branches);
        const bool weighs = !node.weight.empty() || !to.everywhere.empty();
        for (std::size_t b = 0; b < children.size(); ++b) {
            const std::size_t n = to.own[b] + to.everywhere.size();
            Node& child = children[b];
            child.row.resize(n);
            if (!node.label.empty()) child.label.resize(n);
            if (!node.target.empty()) child.target.resize(n);
            if (weighs) child.weight.assign(n, 1.0);
            child.sums = nil_;
        }
        const auto copy = [&](std::size_t i, Node& child, std::size_t number, double share) {
            child.row[number] = node.row[i];
            if (!node.label.empty()) child.label[number] = node.label[i];
            if (!node.target.empty()) child.target[number] = node.target[i];
            if (weighs) child.weight[number] = node.members().weight_of(i) * share;
            measure_.add(node.members(), i, share, child.sums.data());
        };
        for (std::size_t i = 0; i < node.size(); ++i) {
            if (to.branch[i] < children.size()) copy(i, children[to.branch[i]], to.number[i], 1.0);
        }
        std::vector<double> shares;
        for (const Node& child : children) shares.push_back(measure_.weight(child.sums.data()));
        const double known = std::accumulate(shares.begin(), shares.end(), 0.0);
        for (const std::uint32_t i : to.everywhere) {
            for (std::size_t b = 0; b < children.size(); ++b) {
                copy(i, children[b], to.own[b] + to.number[i], shares[b] / known);
            }
        }
        bound(node, split, children);
        return children;
    }

    void bound(const Node& node, const Split& split, std::vector<Node>& children) const {
        if (soil_.direction.empty()) return;
        for (Node& child : children) child.lower = node.lower, child.upper = node.upper;
        if (split.categorical || split.kind != Kind::cut) return;
        const int direction = soil_.direction[node.numeric[split.place]];
        if (direction == 0) return;
        const double below = summary_value(children[0]), above = summary_value(children[1]);
        const double middle = below / 2 + above / 2;
        Node& smaller = children[direction > 0 ? 0 : 1];
        Node& larger = children[direction > 0 ? 1 : 0];
        smaller.upper = middle;
        larger.lower = middle;
    }

    double summary_value(const Node& node) const {
        return measure_.summary(node.members(), node.sums.data()).value;
    }

    void record(const Node& node, const Split& split, const std::vector<Node>& children) {
        const auto i = static_cast<std::size_t>(node.number);
        grown_.kind[i] = static_cast<std::int8_t>(split.kind);
        grown_.gain[i] = split.gain;
        grown_.missing[i] = split.missing;
        std::size_t largest = 0;
        for (std::size_t b = 1; b < children.size(); ++b) {
            if (measure_.weight(children[b].sums.data()) >
                measure_.weight(children[largest].sums.data())) {
                largest = b;
            }
        }
        grown_.largest[i] = split.missing >= 0 ? split.missing : static_cast<std::int32_t>(largest);
        children_[i] = {static_cast<std::int32_t>(grown_.kind.size()),
                        static_cast<std::int32_t>(children.size())};
        if (split.categorical) {
            grown_.column[i] =
                static_cast<std::int32_t>(soil_.numeric.size() + node.categorical[split.place]);
            tables_.emplace_back(node.number, split.branch_of);
            return;
        }
        const std::uint32_t column = node.numeric[split.place];
        grown_.column[i] = static_cast<std::int32_t>(column);
        if (split.kind == Kind::present) return;
        const auto entries = node.order(split.place);
        const auto row_at = [&](std::size_t k) { return node.row[entries[k] & number_mask]; };
        const auto value_at = [&](std::size_t k) { return soil_.numeric[column][row_at(k)] + 0.0; };
        const bool is_cut = split.kind == Kind::cut;
        grown_.low[i] = value_at(is_cut ? split.last : split.first);
        grown_.high[i] = value_at(is_cut ? split.last + 1 : split.last);
    }

    // Gives every child that grows its part of each column, in order.
    void hand_on(const Node& node, const Assignment& to, std::vector<Node>& children,
                 const std::vector<bool>& grows) const {
        const std::size_t d = node.numeric.size();
        std::vector<std::size_t> numeric, categorical;
        for (std::size_t k = 0; k < node.constant.size(); ++k) {
            if (node.constant[k]) continue;
            if (k < d) {
                numeric.push_back(k);
            } else {
                categorical.push_back(k - d);
            }
        }
        for (std::size_t b = 0; b < children.size(); ++b) {
            if (!grows[b]) continue;
            Node& child = children[b];
            for (const auto k : numeric) child.numeric.push_back(node.numeric[k]);
            for (const auto k : categorical) child.categorical.push_back(node.categorical[k]);
            child.present.resize(numeric.size());
            child.entries =
                std::make_unique_for_overwrite<std::uint32_t[]>(numeric.size() * child.size());
            child.codes =
                std::make_unique_for_overwrite<std::int32_t[]>(categorical.size() * child.size());
        }
        const bool two = children.size() == 2 && to.everywhere.empty();
        std::vector<std::uint32_t> packed;
        if (two) {
            packed.resize(node.size());
            for (std::size_t i = 0; i < packed.size(); ++i) {
                packed[i] = to.number[i] | (to.branch[i] ? upper_branch : 0U);
            }
        }
        for_each_task(numeric.size() + categorical.size(), threads_for(node), [&](std::size_t t) {
            if (t >= numeric.size()) {
                hand_on_codes(node, to, children, grows, categorical[t - numeric.size()],
                              t - numeric.size());
            } else if (two) {
                hand_on_to_two(node, packed, children, grows, numeric[t], t);
            } else {
                hand_on_order(node, to, children, grows, numeric[t], t);
            }
        });
    }

    // Writes what does not grow nowhere: its place stays where it is.
    struct Destination {
        std::uint32_t* at;
        std::ptrdiff_t step;
        std::uint32_t run = 0;
    };

    static Destination destination(Node& child, bool grows, std::size_t place,
                                   std::uint32_t* nowhere) noexcept {
        return grows ? Destination{child.entries.get() + place * child.size(), 1}
                     : Destination{nowhere, 0};
    }

    static void put(Destination& to, std::uint32_t number, std::uint32_t entry,
                    std::uint32_t run) noexcept {
        *to.at = number | (entry & second) | (to.run == run ? tied : 0U);
        to.at += to.step;
        to.run = run;
    }

    static void hand_on_to_two(const Node& node, const std::vector<std::uint32_t>& packed,
                               std::vector<Node>& children, const std::vector<bool>& grows,
                               std::size_t from, std::size_t place) noexcept {
        std::uint32_t nowhere = 0, run = 0;
        Destination to[2] = {destination(children[0], grows[0], place, &nowhere),
                             destination(children[1], grows[1], place, &nowhere)};
        for (const std::uint32_t entry : node.order(from)) {
            run += (entry & tied) == 0;
            const std::uint32_t number = packed[entry & number_mask];
            put(to[number >> 31], number & number_mask, entry, run);
        }
        for (std::size_t b = 0; b < 2; ++b) count_present(children[b], grows[b], place, to[b]);
    }

    static void count_present(Node& child, bool grows, std::size_t place,
                              const Destination& to) noexcept {
        if (!grows) return;
        const std::uint32_t* begin = child.entries.get() + place * child.size();
        child.present[place] = static_cast<std::size_t>(to.at - begin);
    }

    static void hand_on_order(const Node& node, const Assignment& to, std::vector<Node>& children,
                              const std::vector<bool>& grows, std::size_t from, std::size_t place) {
        std::uint32_t nowhere = 0, run = 0;
        std::vector<Destination> places;
        for (std::size_t b = 0; b < children.size(); ++b) {
            places.push_back(destination(children[b], grows[b], place, &nowhere));
        }
        for (const std::uint32_t entry : node.order(from)) {
            run += (entry & tied) == 0;
            const std::size_t i = entry & number_mask;
            if (to.branch[i] < children.size()) {
                put(places[to.branch[i]], to.number[i], entry, run);
                continue;
            }
            for (std::size_t b = 0; b < children.size(); ++b) {
                put(places[b], to.own[b] + to.number[i], entry, run);
            }
        }
        for (std::size_t b = 0; b < children.size(); ++b) {
            count_present(children[b], grows[b], place, places[b]);
        }
    }

    static void hand_on_codes(const Node& node, const Assignment& to, std::vector<Node>& children,
                              const std::vector<bool>& grows, std::size_t from, std::size_t place) {
        const auto code = node.code(from);
        const auto write = [&](std::size_t b, std::size_t number, std::int32_t value) {
            if (grows[b]) children[b].codes[place * children[b].size() + number] = value;
        };
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (to.branch[i] < children.size()) {
                write(to.branch[i], to.number[i], code[i]);
                continue;
            }
            for (std::size_t b = 0; b < children.size(); ++b) {
                write(b, to.own[b] + to.number[i], code[i]);
            }
        }
    }

    void finish() {
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

    // A cut lies at the largest value of any row up to the middle between its two sides, as C4.5
    // has it; an interval ends where its examples do. Both are named by the first row of the value.
    void place(std::size_t i) {
        const auto kind = static_cast<Kind>(grown_.kind[i]);
        if (kind != Kind::cut && kind != Kind::interval) return;
        const auto column = static_cast<std::uint32_t>(grown_.column[i]);
        if (kind == Kind::interval) {
            grown_.low_row[i] = row_of(column, grown_.low[i]).first;
            grown_.high_row[i] = row_of(column, grown_.high[i]).first;
            return;
        }
        const double middle = grown_.low[i] / 2 + grown_.high[i] / 2;
        const double wanted = std::clamp(middle, grown_.low[i], grown_.high[i]);
        auto [row, value] = row_of(column, wanted);
        if (!(value < grown_.high[i])) std::tie(row, value) = row_of(column, grown_.low[i]);
        grown_.low_row[i] = row;
        grown_.low[i] = value;
    }

    // The largest value up to a number, and the first row that has it.
    std::pair<std::int32_t, double> row_of(std::uint32_t column, double number) const {
        const std::size_t n = soil_.rows();
        const Column x = soil_.numeric[column];
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

    const Soil& soil_;
    const Habits& habits_;
    const Measure& measure_;
    const std::size_t width_;
    const std::vector<double> nil_;
    double total_ = 0.0;
    std::vector<char> has_missing_;  // of each column, numeric ones first
    Grown grown_;
    std::vector<std::pair<std::int32_t, std::int32_t>> children_;  // the first, and how many
    std::vector<std::pair<std::int32_t, std::vector<std::int32_t>>> tables_;
    std::vector<Waiting> waiting_;
    std::unique_ptr<std::uint32_t[]> sorted_;
    std::vector<std::size_t> sorted_present_;
};

}  // namespace

Grown grow(const Soil& soil, const Habits& habits, const Measure& measure) {
    return Grower(soil, habits, measure).grow();
}

}  // namespace rulewright
