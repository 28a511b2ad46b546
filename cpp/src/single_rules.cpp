#include "single_rules.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "pair_counts.hpp"

namespace rulewright {

namespace {

// Weights of a class on the four parts that two tests make: both hold, the first, the second, none.
template <class Count>
RULEWRIGHT_INLINE std::array<Count, 4> parts_of(Count both, Count one, Count other, Count total) {
    return {both, one - both, other - both, total - one - other + both};
}

// Of two classes: for each of four parts the largest number of correct answers, by a rule that
// covers the part and a constant for the rest. `closed` is added for parts that are no rules.
template <class Count>
RULEWRIGHT_INLINE void most_right(const Count* q0, const Count* q1, Count a0, Count a1,
                                  const Count* b0, const Count* b1, Count n0, Count n1,
                                  const Count* closed, const Count* closed_other, std::size_t tests,
                                  std::array<Count, 4>& found) {
    Count best0 = found[0];
    Count best1 = found[1];
    Count best2 = found[2];
    Count best3 = found[3];
#pragma omp simd reduction(max : best0, best1, best2, best3)
    for (std::size_t t = 0; t < tests; ++t) {
        const auto c0 = parts_of(q0[t], a0, b0[t], n0);
        const auto c1 = parts_of(q1[t], a1, b1[t], n1);
        const Count s0 = std::max(c0[0], c1[0]) + std::max(n0 - c0[0], n1 - c1[0]) + closed[t];
        const Count s1 =
            std::max(c0[1], c1[1]) + std::max(n0 - c0[1], n1 - c1[1]) + closed_other[t];
        const Count s2 = std::max(c0[2], c1[2]) + std::max(n0 - c0[2], n1 - c1[2]) + closed[t];
        const Count s3 =
            std::max(c0[3], c1[3]) + std::max(n0 - c0[3], n1 - c1[3]) + closed_other[t];
        best0 = std::max(best0, s0);
        best1 = std::max(best1, s1);
        best2 = std::max(best2, s2);
        best3 = std::max(best3, s3);
    }
    found = {best0, best1, best2, best3};
}

RULEWRIGHT_CLONES void most_right_narrow(const std::int32_t* q0, const std::int32_t* q1,
                                         std::int32_t a0, std::int32_t a1, const std::int32_t* b0,
                                         const std::int32_t* b1, std::int32_t n0, std::int32_t n1,
                                         const std::int32_t* closed,
                                         const std::int32_t* closed_other, std::size_t tests,
                                         std::array<std::int32_t, 4>& found) {
    most_right(q0, q1, a0, a1, b0, b1, n0, n1, closed, closed_other, tests, found);
}

template <class Count>
class CountedRules final : public SingleRules {
public:
    explicit CountedRules(const Cells& cells) : counts_(cells) {}

    RuleCandidate best(std::span<const std::int32_t> members, std::size_t max_terms) override {
        prepare(members);
        RuleCandidate best = {{}, largest_, total_ - largest_, total_ - largest_};
        const auto keep = [&best](const RuleCandidate& found) {
            if (found.alone < best.alone) best = found;
        };
        for_each_literal(keep);
        if (max_terms < 2) return best;
        counts_.for_each_pair([&](std::size_t a, std::size_t b) {
            for (std::size_t s = 0; s < counts_.local(a).tests; ++s)
                if (may_beat(a, b, s, best.alone)) for_each_rule(a, b, s, keep);
        });
        return best;
    }

    void find(std::span<const std::int32_t> members, std::size_t max_terms, std::int64_t min_right,
              std::int64_t max_errors, std::vector<RuleCandidate>& found) override {
        prepare(members);
        const auto keep = [&](const RuleCandidate& rule) {
            if (rule.right > min_right && rule.errors < max_errors) found.push_back(rule);
        };
        for_each_literal(keep);
        if (max_terms < 2) return;
        counts_.for_each_pair([&](std::size_t a, std::size_t b) {
            for (std::size_t s = 0; s < counts_.local(a).tests; ++s) for_each_rule(a, b, s, keep);
        });
    }

private:
    static constexpr Count never = std::numeric_limits<Count>::min() / 4;

    void prepare(std::span<const std::int32_t> members) {
        counts_.prepare(members);
        total_ = 0;
        largest_ = 0;
        for (const Count weight : counts_.total()) {
            total_ += weight;
            largest_ = std::max<std::int64_t>(largest_, weight);
        }
        for (auto& side : closed_) side.assign(counts_.tests(), 0);
        for (std::size_t a = 0; a < counts_.locals(); ++a) {
            const LocalColumn& local = counts_.local(a);
            if (!local.missing) continue;  // both sides are literals
            for (std::size_t t = local.first; t < local.first + local.tests; ++t) {
                const auto kind =
                    counts_.cells().tests()[static_cast<std::size_t>(counts_.number(t))].kind;
                if (kind == TestKind::values) closed_[1][t] = never;
                if (kind == TestKind::values_or_missing) closed_[0][t] = never;
            }
        }
    }

    LiteralNumber literal(std::size_t t, std::size_t side) const {
        return 2 * counts_.number(t) + static_cast<std::int32_t>(side);
    }

    // The rule that covers these weights of the classes.
    template <class WeightOf>
    RuleCandidate covering(CodedRule rule, WeightOf&& weight_of) const {
        std::int64_t covered = 0;
        std::int64_t right = 0;
        std::int64_t rest = 0;
        for (std::size_t k = 0; k < counts_.classes(); ++k) {
            const std::int64_t weight = weight_of(k);
            covered += weight;
            right = std::max(right, weight);
            rest = std::max(rest, counts_.total()[k] - weight);
        }
        return {rule, right, covered - right, total_ - right - rest};
    }

    template <class Keep>
    void for_each_literal(Keep&& keep) const {
        for (std::size_t t = 0; t < counts_.tests(); ++t) {
            for (std::size_t side = 0; side < 2; ++side) {
                if (closed_[side][t] != 0) continue;
                keep(covering({literal(t, side), -1}, [&](std::size_t k) {
                    const Count held = counts_.held(k)[t];
                    return side == 0 ? held : counts_.total()[k] - held;
                }));
            }
        }
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
                const CodedRule rule = {literal(first, one), literal(second, other)};
                const auto found = covering(rule, [&](std::size_t k) {
                    return parts_of(counts_.both(k)[s * tests + t], counts_.held(k)[first],
                                    counts_.held(k)[second], counts_.total()[k])[part];
                });
                if (found.right > 0) keep(found);
            }
        }
    }

    // Whether a rule with test `s` has fewer errors; quick for two classes, else always true.
    bool may_beat(std::size_t a, std::size_t b, std::size_t s, std::int64_t errors) const {
        if (counts_.classes() != 2 || sizeof(Count) != 4) return true;
        const std::size_t first = counts_.local(a).first + s;
        const std::size_t second = counts_.local(b).first;
        const std::size_t tests = counts_.local(b).tests;
        std::array<Count, 4> found = {never, never, never, never};
        if constexpr (sizeof(Count) == 4)
            most_right_narrow(counts_.both(0) + s * tests, counts_.both(1) + s * tests,
                              counts_.held(0)[first], counts_.held(1)[first],
                              counts_.held(0) + second, counts_.held(1) + second,
                              counts_.total()[0], counts_.total()[1], closed_[0].data() + second,
                              closed_[1].data() + second, tests, found);
        std::int64_t most = never;
        for (std::size_t part = 0; part < 4; ++part)
            if (closed_[part / 2][first] == 0) most = std::max<std::int64_t>(most, found[part]);
        return total_ - most < errors;
    }

    PairCounts<Count> counts_;
    std::array<std::vector<Count>, 2> closed_;  // by side: 0 if it is a literal
    std::int64_t total_ = 0;
    std::int64_t largest_ = 0;
};

}  // namespace

std::unique_ptr<SingleRules> single_rules_of(const Cells& cells) {
    if (is_narrow(cells)) return std::make_unique<CountedRules<std::int32_t>>(cells);
    return std::make_unique<CountedRules<std::int64_t>>(cells);
}

}  // namespace rulewright
