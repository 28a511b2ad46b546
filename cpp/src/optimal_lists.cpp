#include "optimal_lists.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "interruption.hpp"

namespace rulewright {

namespace {

constexpr std::size_t max_neighbours = 64;  // solved rules of the same columns that are compared
constexpr std::size_t max_words = 1 << 22;  // of what solved rules of one search cover
constexpr std::size_t max_seen = 1 << 20;   // sets of cells that one search remembers

// Number of rules that are held at a time: a small part of the memory, up to 65,536.
std::size_t candidates_within(std::size_t memory) {
    return std::clamp<std::size_t>(memory / (64 * sizeof(RuleCandidate)), 16, 1 << 16);
}

// What is known of the lists of at most some number of rules for a set of cells.
struct ListBounds {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::vector<CodedRule> rules;

    std::size_t bytes() const { return 128 + sizeof(CodedRule) * rules.capacity(); }
};

struct ListKey {
    Fingerprint set;
    std::size_t rules;

    bool operator==(const ListKey&) const = default;
};

struct ListKeyHash {
    std::size_t operator()(const ListKey& key) const noexcept {
        return static_cast<std::size_t>(key.set.first ^ key.rules);
    }
};

struct FingerprintHash {
    std::size_t operator()(const Fingerprint& set) const noexcept {
        return static_cast<std::size_t>(set.first);
    }
};

using Words = std::vector<std::uint64_t>;

// A rule whose rest is solved: what it covers, and the least errors of the rest.
struct SolvedRule {
    Words covered;
    std::int64_t lower;
};

class ListSearch {
public:
    ListSearch(const Cells& cells, const ListLimits& limits)
        : cells_(cells),
          max_terms_(limits.max_terms),
          max_candidates_(candidates_within(limits.search.max_memory)),
          budget_(limits.search),
          known_(limits.search.max_memory),
          rules_(single_rules_of(cells, budget_.time())) {}

    // Bounds for at most 0, 1, ..., `rules` rules; those of fewer rules may be less exact where the
    // limit is below them.
    std::vector<ListBounds> solve(const Members& members, std::size_t rules, std::int64_t limit);

    // Collects the best lists for all first rules that have less than `limit` errors.
    void collect(const Members& members, std::size_t rules, std::int64_t limit,
                 std::vector<FirstRule>& choices);

    const SearchBudget& budget() const { return budget_; }
    std::size_t memory() const { return known_.memory(); }

private:
    friend class RuleSearch;

    ListBounds leaf(const Members& members) const {
        const std::int64_t errors = cells_.leaf_errors(members);
        return {errors, errors, {}};
    }

    ListBounds extended(const Members& members, const Fingerprint& set, std::size_t rules,
                        const ListBounds& shorter, std::int64_t limit);
    ListBounds single(const Members& members, std::int64_t limit);

    const Cells& cells_;
    std::size_t max_terms_;
    std::size_t max_candidates_;
    SearchBudget budget_;
    SolvedSets<ListKey, ListBounds, ListKeyHash> known_;
    std::unique_ptr<SingleRules> rules_;
};

// The search for the first rule of a list.
class RuleSearch {
public:
    RuleSearch(ListSearch& all, const Members& members, std::size_t rules, ListBounds shorter,
               std::int64_t limit, std::vector<FirstRule>* choices = nullptr)
        : all_(all),
          members_(members),
          left_(rules - 1),
          shorter_(std::move(shorter)),
          found_{0, shorter_.upper, shorter_.rules},
          cutoff_(limit),
          choices_(choices),
          inseparable_(all.cells_.inseparable(members)) {}

    ListBounds run() {
        std::int64_t least = no_limit;  // of all rules
        std::optional<RuleCandidate> last;
        while (limit() > inseparable_) {
            const RuleBatch batch = next_batch(last ? &*last : nullptr);
            std::size_t next = 0;
            for (; next < batch.rules.size() && !all_.budget_.over(); ++next)
                least = std::min(least, tried(batch.rules[next]));
            for (; next < batch.rules.size(); ++next)
                least = std::min(least, lower_bound(batch.rules[next]));
            if (batch.left_out >= limit() || all_.budget_.over()) {
                least = std::min(least, batch.left_out);
                break;
            }
            last = batch.rules.back();
        }
        found_.lower = std::max(std::min({least, found_.upper, cutoff_}), inseparable_);
        return std::move(found_);
    }

private:
    using Columns = std::array<std::int32_t, max_optimal_terms>;

    // Errors from which a list is of no use.
    std::int64_t limit() const {
        return choices_ != nullptr ? cutoff_ : std::min(found_.upper, cutoff_);
    }

    std::int64_t lower_bound(const RuleCandidate& rule) const {
        return std::max(rule.least(shorter_.lower), inseparable_);
    }

    RuleBatch next_batch(const RuleCandidate* last) {
        all_.budget_.count();
        return all_.rules_->find(
            members_, {all_.max_terms_, shorter_.lower, limit(), all_.max_candidates_, last});
    }

    // Solves the rest of a list with this first rule, and returns a lower bound for it.
    std::int64_t tried(const RuleCandidate& candidate) {
        const std::int64_t before = lower_bound(candidate);
        if (before >= limit()) return before;
        divide(candidate.rule);
        if (seen_.size() == max_seen && choices_ == nullptr) seen_.clear();
        if (!seen_.insert(fingerprint_of(rest_)).second) return no_limit;
        auto& neighbours = solved_[columns_of(candidate.rule)];
        std::int64_t rest = std::max(all_.cells_.inseparable(rest_), by_neighbours(neighbours));
        rest = std::max(rest, before - candidate.errors);
        if (candidate.errors + rest >= limit()) return candidate.errors + rest;
        const auto solved = all_.solve(rest_, left_, limit() - candidate.errors);
        const ListBounds& found = solved.back();
        rest = std::max(rest, found.lower);
        improve(candidate, found);
        remember(neighbours, rest);
        return candidate.errors + rest;
    }

    void remember(std::vector<SolvedRule>& neighbours, std::int64_t rest) {
        if (neighbours.size() == max_neighbours) neighbours.erase(neighbours.begin());
        words_ += covered_.size();
        neighbours.push_back({std::move(covered_), rest});
        if (words_ <= max_words) return;
        solved_.clear();
        words_ = 0;
    }

    void divide(const CodedRule& rule) {
        checkpoint(members_.size());
        const Cells& cells = all_.cells_;
        covered_.assign((members_.size() + 63) / 64, 0);
        rest_.clear();
        for (std::size_t i = 0; i < members_.size(); ++i) {
            const auto cell = static_cast<std::size_t>(members_[i]);
            if (rule_holds(cells, rule, cell))
                covered_[i / 64] |= std::uint64_t{1} << (i % 64);
            else
                rest_.push_back(members_[i]);
        }
    }

    Columns columns_of(const CodedRule& rule) const {
        Columns columns;
        std::ranges::transform(rule.literals, columns.begin(), [this](LiteralNumber literal) {
            return literal < 0 ? -1
                               : all_.cells_.tests()[static_cast<std::size_t>(literal / 2)].column;
        });
        return columns;
    }

    // A rest has at least the errors of another rest less the weight that only the other has.
    std::int64_t by_neighbours(std::span<const SolvedRule> neighbours) const {
        std::int64_t best = 0;
        for (const SolvedRule& solved : neighbours) {
            if (solved.lower <= best) continue;
            std::int64_t less = 0;
            for (std::size_t word = 0; word < covered_.size() && solved.lower - less > best; ++word)
                for (std::uint64_t bits = covered_[word] & ~solved.covered[word]; bits != 0;
                     bits &= bits - 1)
                    less += weight_at(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
            best = std::max(best, solved.lower - less);
        }
        return best;
    }

    std::int64_t weight_at(std::size_t place) const {
        return all_.cells_.weights()[static_cast<std::size_t>(members_[place])];
    }

    void improve(const RuleCandidate& candidate, const ListBounds& rest) {
        const std::int64_t errors = candidate.errors + rest.upper;
        if (errors >= limit()) return;
        std::vector<CodedRule> rules = {candidate.rule};
        rules.insert(rules.end(), rest.rules.begin(), rest.rules.end());
        if (choices_ != nullptr) {
            choices_->push_back({errors, std::move(rules)});
        } else {
            found_.upper = errors;
            found_.rules = std::move(rules);
        }
    }

    ListSearch& all_;
    const Members& members_;
    std::size_t left_;  // number of rules after the first
    ListBounds shorter_;
    ListBounds found_;
    std::int64_t cutoff_;
    std::vector<FirstRule>* choices_;
    std::int64_t inseparable_;
    std::unordered_set<Fingerprint, FingerprintHash> seen_;
    std::map<Columns, std::vector<SolvedRule>> solved_;
    std::size_t words_ = 0;  // that were put into it
    Words covered_;
    Members rest_;
};

std::vector<ListBounds> ListSearch::solve(const Members& members, std::size_t rules,
                                          std::int64_t limit) {
    std::vector<ListBounds> found;
    if (members.empty()) {
        found.resize(rules + 1);
        return found;
    }
    const Fingerprint set = fingerprint_of(members);
    found.push_back(leaf(members));
    for (std::size_t count = 1; count <= rules; ++count) {
        // The bounds of longer lists need the exact errors of a single rule.
        const bool exact = count == 1 && count < rules;
        found.push_back(extended(members, set, count, found.back(), exact ? no_limit : limit));
    }
    return found;
}

ListBounds ListSearch::extended(const Members& members, const Fingerprint& set, std::size_t rules,
                                const ListBounds& shorter, std::int64_t limit) {
    const ListKey key = {set, rules};
    const ListBounds* known = known_.find(key);
    if (known != nullptr && (known->lower == known->upper || known->lower >= limit)) return *known;
    const std::int64_t least = cells_.inseparable(members);
    if (shorter.upper == least) return shorter;
    ListBounds found = {least, shorter.upper, shorter.rules};
    if (rules == 1) {
        found = single(members, limit);
    } else if (!budget_.stopped() && least < limit) {
        found = RuleSearch(*this, members, rules, shorter, limit).run();
    }
    known_.keep(key, found);
    return found;
}

ListBounds ListSearch::single(const Members& members, std::int64_t limit) {
    budget_.count();
    const auto [best, lower] = rules_->best(members, max_terms_, limit);
    std::vector<CodedRule> rules;
    if (best.rule.terms() > 0) rules.push_back(best.rule);
    return {lower, best.alone, std::move(rules)};
}

void ListSearch::collect(const Members& members, std::size_t rules, std::int64_t limit,
                         std::vector<FirstRule>& choices) {
    const ListBounds shorter = solve(members, rules - 1, no_limit).back();
    RuleSearch(*this, members, rules, shorter, limit, &choices).run();
}

}  // namespace

OptimalLists optimal_lists(const Cells& cells, const ListLimits& limits) {
    ListSearch search(cells, limits);
    OptimalLists found;
    for (auto& bounds : search.solve(all_members(cells), limits.max_rules, no_limit)) {
        found.errors.push_back(bounds.upper);
        found.lower.push_back(bounds.lower);
        found.lists.push_back(std::move(bounds.rules));
    }
    found.subproblems = search.budget().subproblems();
    found.memory = search.memory();
    found.stopped = search.budget().stopped();
    return found;
}

FirstRules first_rules(const Cells& cells, const ListLimits& limits, std::int64_t max_errors) {
    ListSearch search(cells, limits);
    FirstRules found;
    if (limits.max_rules == 0) return found;
    search.collect(all_members(cells), limits.max_rules, max_errors + 1, found.choices);
    found.stopped = search.budget().stopped();
    std::ranges::stable_sort(found.choices, {}, &FirstRule::errors);
    return found;
}

}  // namespace rulewright
