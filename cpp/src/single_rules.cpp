#include "single_rules.hpp"

#include <algorithm>

#include "bounded_search.hpp"
#include "pair_rules.hpp"

namespace rulewright {

namespace {

// Keeps the first rules of a query.
class RuleCollector {
public:
    explicit RuleCollector(const RuleQuery& query) : query_(query) {}

    void operator()(const RuleCandidate& rule) {
        const std::int64_t least = rule.least(query_.without);
        if (least >= query_.limit) return;
        if (query_.after != nullptr && !(*query_.after < rule)) return;
        if (full_ && !(rule < last_)) return leave_out(least);
        rules_.push_back(rule);
        if (rules_.size() == 2 * query_.max_rules) shorten();
    }

    void leave_out(std::int64_t least) { left_out_ = std::min(left_out_, least); }

    RuleBatch finish() {
        if (rules_.size() > query_.max_rules) shorten();
        std::ranges::sort(rules_, std::less<>());
        return {std::move(rules_), left_out_};
    }

private:
    void shorten() {
        const auto kept = rules_.begin() + static_cast<std::ptrdiff_t>(query_.max_rules);
        std::nth_element(rules_.begin(), kept - 1, rules_.end());
        for (auto rule = kept; rule != rules_.end(); ++rule) leave_out(rule->least(query_.without));
        rules_.erase(kept, rules_.end());
        last_ = rules_.back();
        full_ = true;
    }

    const RuleQuery& query_;
    std::vector<RuleCandidate> rules_;
    bool full_ = false;
    RuleCandidate last_{};  // of the rules that are kept, once they are as many as is asked for
    std::int64_t left_out_ = no_limit;
};

template <class Count>
class CountedRules final : public SingleRules {
public:
    CountedRules(const Cells& cells, const TimeLimit& time)
        : rules_(cells), extended_(cells), time_(time) {}

    BestRule best(std::span<const std::int32_t> members, std::size_t max_terms,
                  std::int64_t limit) override {
        rules_.prepare(members);
        const std::int64_t constant = rules_.constant_errors();
        RuleCandidate best = {{}, 0, constant, constant};
        const auto keep = [&best](const RuleCandidate& found) {
            if (found.alone < best.alone) best = found;
        };
        rules_.for_each_single(keep);
        if (max_terms < 2) return {best, best.alone};
        rules_.for_each_pair(keep, [&](std::size_t a, std::size_t b, std::size_t s) {
            return rules_.may_beat(a, b, s, best.alone);
        });
        if (max_terms < 3) return {best, best.alone};
        const auto most = [&] { return std::min(best.alone, limit); };
        std::int64_t skipped = no_limit;
        for_each_covered(
            members, [&](const auto& weight) { return rules_.least_alone(weight) < most(); },
            [&](const auto& weight) { skipped = std::min(skipped, rules_.least_alone(weight)); },
            [&] {
                extended_.for_each_pair(keep, [&](std::size_t a, std::size_t b, std::size_t s) {
                    return extended_.may_beat(a, b, s, most());
                });
            });
        return {best, std::min(most(), skipped)};
    }

    RuleBatch find(std::span<const std::int32_t> members, const RuleQuery& query) override {
        rules_.prepare(members);
        RuleCollector found(query);
        const auto all = [](std::size_t, std::size_t, std::size_t) { return true; };
        rules_.for_each_single(found);
        if (query.max_terms >= 2) rules_.for_each_pair(found, all);
        if (query.max_terms < 3) return found.finish();
        const auto least = [&](const auto& weight) {
            return query.without - rules_.heaviest(weight);
        };
        for_each_covered(
            members, [&](const auto& weight) { return least(weight) < query.limit; },
            [&](const auto& weight) { found.leave_out(std::max<std::int64_t>(least(weight), 0)); },
            [&] { extended_.for_each_pair(found, all); });
        return found.finish();
    }

private:
    // Counts what each useful literal covers, and then calls `visit`; `skip` if time is over.
    template <class Useful, class Skip, class Visit>
    void for_each_covered(std::span<const std::int32_t> members, Useful&& useful, Skip&& skip,
                          Visit&& visit) {
        const Cells& cells = rules_.cells();
        rules_.for_each_literal([&](LiteralNumber literal, const auto& weight) {
            if (!useful(weight)) return;
            if (time_.over()) return skip(weight);
            covered_.clear();
            for (const std::int32_t member : members)
                if (literal_holds(cells, literal, static_cast<std::size_t>(member)))
                    covered_.push_back(member);
            extended_.prepare_covered(covered_, rules_.total(), literal);
            extended_.close_unless(useful);
            visit();
        });
    }

    PairRules<Count> rules_;
    PairRules<Count> extended_;  // on the cells that a literal covers
    const TimeLimit& time_;
    Members covered_;
};

}  // namespace

std::unique_ptr<SingleRules> single_rules_of(const Cells& cells, const TimeLimit& time) {
    if (is_narrow(cells)) return std::make_unique<CountedRules<std::int32_t>>(cells, time);
    return std::make_unique<CountedRules<std::int64_t>>(cells, time);
}

}  // namespace rulewright
