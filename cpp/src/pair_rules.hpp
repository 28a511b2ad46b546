// Rules of one or two literals on some of the cells, from the counts of all pairs of tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "pair_counts.hpp"
#include "single_rules.hpp"

namespace rulewright {

// Weights of a class on the four parts that two tests make: both hold, the first, the second, none.
template <class Count>
RULEWRIGHT_INLINE std::array<Count, 4> parts_of(Count both, Count one, Count other, Count total) {
    return {both, one - both, other - both, total - one - other + both};
}

// Of a class: the weights where one test holds, where each of some others does, where both do;
// of the cells that are counted, and of all for which a rule is sought.
struct ClassWeights {
    const std::int32_t* both;
    std::int32_t one;
    const std::int32_t* other;
    std::int32_t counted;
    std::int32_t whole;
};

// Of two classes: for each of four parts the largest number of correct answers, by a rule that
// covers the part and a constant for the rest. `closed` is added for parts that are no rules: where
// the other test holds, and where it does not.
std::array<std::int32_t, 4> most_right(const std::array<ClassWeights, 2>& weights,
                                       const std::array<std::vector<std::int32_t>, 2>& closed,
                                       std::size_t first, std::size_t tests);

template <class Count>
class PairRules {
public:
    explicit PairRules(const Cells& cells) : counts_(cells) {}

    // Counts the members, among which rules are sought.
    void prepare(std::span<const std::int32_t> members) {
        counts_.prepare(members);
        set_whole(counts_.total());
        open_literals(0);
    }

    // Counts the cells that a literal covers, to which all rules are added, and leaves out the
    // columns before that of the literal. `whole` are the weights of all members.
    void prepare_covered(std::span<const std::int32_t> covered, const std::vector<Count>& whole,
                         LiteralNumber literal) {
        counts_.prepare(covered);
        set_whole(whole);
        prefix_ = literal;
        open_literals(counts_.cells().tests()[static_cast<std::size_t>(literal / 2)].column);
    }

    std::int64_t constant_errors() const { return total_ - std::ranges::max(whole_); }
    const std::vector<Count>& total() const { return counts_.total(); }
    const Cells& cells() const { return counts_.cells(); }

    // Calls `visit` with the number and the class weights of each literal.
    template <class Visit>
    void for_each_literal(Visit&& visit) const {
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            for (std::size_t side = 0; side < 2; ++side)
                if (closed_[side][t] == 0) visit(literal(t, side), weights_of(t, side));
    }

    // Leaves out the literals for whose class weights `useful` is false.
    template <class Useful>
    void close_unless(Useful&& useful) {
        for (std::size_t t = 0; t < counts_.tests(); ++t)
            for (std::size_t side = 0; side < 2; ++side)
                if (closed_[side][t] == 0 && !useful(weights_of(t, side))) closed_[side][t] = never;
    }

    // Rules of one literal.
    template <class Keep>
    void for_each_single(Keep&& keep) const {
        for_each_literal([&](LiteralNumber literal, const auto& weight_of) {
            keep(covering({{literal, -1, -1}}, weight_of));
        });
    }

    // Rules of two literals that cover less than each of them. Tests of a column for which
    // `may_be_kept(a, b, s)` is false are passed over.
    template <class Keep, class Filter>
    void for_each_pair(Keep&& keep, Filter&& may_be_kept) {
        for (std::size_t a = 0; a < counts_.locals(); ++a) usable_.push_back(is_usable(a));
        counts_.for_each_pair(
            [&](std::size_t a, std::size_t b) {
                for (std::size_t s = 0; s < counts_.local(a).tests; ++s)
                    if (may_be_kept(a, b, s)) for_each_rule(a, b, s, keep);
            },
            [&](std::size_t a) { return usable_[a]; });
        usable_.clear();
    }

    // Whether a rule with test `s` has fewer errors; quick for two classes, else always true.
    bool may_beat(std::size_t a, std::size_t b, std::size_t s, std::int64_t errors) const {
        if constexpr (sizeof(Count) == 4) {
            if (counts_.classes() != 2) return true;
            const std::size_t first = counts_.local(a).first + s;
            const std::size_t second = counts_.local(b).first;
            const std::size_t tests = counts_.local(b).tests;
            const auto weights = [&](std::size_t k) -> ClassWeights {
                return {counts_.both(k) + s * tests, counts_.held(k)[first],
                        counts_.held(k) + second, counts_.total()[k], whole_[k]};
            };
            const auto found = most_right({weights(0), weights(1)}, closed_, second, tests);
            std::int64_t most = never;
            for (std::size_t part = 0; part < 4; ++part)
                if (closed_[part / 2][first] == 0) most = std::max<std::int64_t>(most, found[part]);
            return total_ - most < errors;
        }
        return true;
    }

    // The fewest errors of a list of one rule that covers some of these class weights.
    template <class WeightOf>
    std::int64_t least_alone(WeightOf&& weight_of) const {
        std::int64_t most = 0;
        for (std::size_t k = 0; k < counts_.classes(); ++k)
            for (std::size_t other = 0; other < counts_.classes(); ++other)
                if (k != other) most = std::max(most, weight_of(k) + std::int64_t{whole_[other]});
        return total_ - std::max<std::int64_t>(most, std::ranges::max(whole_));
    }

    // The largest of some class weights.
    template <class WeightOf>
    std::int64_t heaviest(WeightOf&& weight_of) const {
        std::int64_t most = 0;
        for (std::size_t k = 0; k < counts_.classes(); ++k) most = std::max(most, weight_of(k));
        return most;
    }

private:
    static constexpr Count never = std::numeric_limits<Count>::min() / 4;

    void set_whole(const std::vector<Count>& whole) {
        whole_ = whole;
        total_ = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
        counted_ = std::accumulate(counts_.total().begin(), counts_.total().end(), std::int64_t{0});
        prefix_ = -1;
    }

    void open_literals(std::int32_t first_column) {
        for (auto& side : closed_) side.assign(counts_.tests(), 0);
        for (std::size_t a = 0; a < counts_.locals(); ++a) {
            const LocalColumn& local = counts_.local(a);
            for (std::size_t t = local.first; t < local.first + local.tests; ++t) {
                const Test& test =
                    counts_.cells().tests()[static_cast<std::size_t>(counts_.number(t))];
                const bool before = test.column < first_column;
                // Without missing values both sides are literals.
                if (before || (local.missing && test.kind == TestKind::values))
                    closed_[1][t] = never;
                if (before || (local.missing && test.kind == TestKind::values_or_missing))
                    closed_[0][t] = never;
            }
        }
        sums_.assign(counts_.tests(), 0);
        for (std::size_t k = 0; k < counts_.classes(); ++k)
            for (std::size_t t = 0; t < counts_.tests(); ++t) sums_[t] += counts_.held(k)[t];
    }

    bool is_usable(std::size_t a) const {
        const LocalColumn& local = counts_.local(a);
        for (std::size_t t = local.first; t < local.first + local.tests; ++t)
            if (closed_[0][t] == 0 || closed_[1][t] == 0) return true;
        return false;
    }

    LiteralNumber literal(std::size_t t, std::size_t side) const {
        return 2 * counts_.number(t) + static_cast<std::int32_t>(side);
    }

    auto weights_of(std::size_t t, std::size_t side) const {
        return [this, t, side](std::size_t k) -> std::int64_t {
            const Count held = counts_.held(k)[t];
            return side == 0 ? held : counts_.total()[k] - held;
        };
    }

    std::int64_t covered_by(std::size_t t, std::size_t side) const {
        return side == 0 ? sums_[t] : counted_ - sums_[t];
    }

    // The rule that covers these weights of the classes.
    template <class WeightOf>
    RuleCandidate covering(const CodedRule& rule, WeightOf&& weight_of) const {
        std::int64_t covered = 0;
        std::int64_t right = 0;
        std::int64_t rest = 0;
        for (std::size_t k = 0; k < counts_.classes(); ++k) {
            const std::int64_t weight = weight_of(k);
            covered += weight;
            right = std::max(right, weight);
            rest = std::max(rest, whole_[k] - weight);
        }
        return {rule, right, covered - right, total_ - right - rest};
    }

    CodedRule joined(LiteralNumber one, LiteralNumber other) const {
        if (prefix_ < 0) return {{one, other, -1}};
        return {{prefix_, one, other}};
    }

    // Rules of two literals, the first of them on test `s` of column `a`, the other of column `b`.
    template <class Keep>
    void for_each_rule(std::size_t a, std::size_t b, std::size_t s, Keep&& keep) const {
        const std::size_t first = counts_.local(a).first + s;
        const std::size_t tests = counts_.local(b).tests;
        for (std::size_t t = a == b ? s + 1 : 0; t < tests; ++t) {
            const std::size_t second = counts_.local(b).first + t;
            for (std::size_t part = 0; part < 4; ++part) {
                const std::size_t one = part / 2;
                const std::size_t other = part % 2;
                if (closed_[one][first] != 0 || closed_[other][second] != 0) continue;
                const CodedRule rule = joined(literal(first, one), literal(second, other));
                const auto found = covering(rule, [&](std::size_t k) {
                    return parts_of(counts_.both(k)[s * tests + t], counts_.held(k)[first],
                                    counts_.held(k)[second], counts_.total()[k])[part];
                });
                const std::int64_t covered = found.right + found.errors;
                if (0 < covered && covered < covered_by(first, one) &&
                    covered < covered_by(second, other))
                    keep(found);
            }
        }
    }

    PairCounts<Count> counts_;
    std::array<std::vector<Count>, 2> closed_;  // by side: 0 if it is a literal
    std::vector<bool> usable_;                  // columns that have literals
    std::vector<std::int64_t> sums_;            // weight on which each test holds
    std::vector<Count> whole_;
    std::int64_t total_ = 0;
    std::int64_t counted_ = 0;
    LiteralNumber prefix_ = -1;
};

}  // namespace rulewright
