#include "rule_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();

std::size_t index(std::int32_t number) noexcept { return static_cast<std::size_t>(number); }

// k log2(1/p) + (n - k) log2(1/(1 - p)), p being the expected share.
double subset_bits(double size, double chosen, double expected) noexcept {
    const double share = std::min(expected / std::max(size, tiny), 1.0);
    const double left = std::max(size - chosen, 0.0);
    return -chosen * std::log2(std::max(share, tiny)) - left * std::log2(std::max(1 - share, tiny));
}

// J. R. Quinlan (1995): as if half of all errors were on the larger side.
double exception_bits(double total, double covered, double alarms, double misses) noexcept {
    const double uncovered = total - covered;
    const double half = (alarms + misses) / 2;
    const bool mostly = covered > uncovered;
    return std::log2(total + 1) + subset_bits(covered, alarms, mostly ? half : alarms) +
           subset_bits(uncovered, misses, mostly ? misses : half);
}

class RuleDeletion {
public:
    RuleDeletion(const ClassRows& rows, const RuleSetCounts& counts)
        : rows_(rows), counts_(counts), freed_(counts.alone.size()) {}

    // Bits of the exceptions if these weights of the class and of the others are covered.
    double exceptions(double right, double wrong) const noexcept {
        return exception_bits(rows_.own_weight + rows_.other_weight, right + wrong,
                              std::max(wrong, 0.0), std::max(rows_.own_weight - right, 0.0));
    }

    double length() const noexcept { return exceptions(counts_.covered[0], counts_.covered[1]); }

    double length_without(const CoveringRule& rule) const noexcept {
        const double* alone = alone_of(rule);
        return exceptions(counts_.covered[0] - alone[0], counts_.covered[1] - alone[1]);
    }

    // Rows that one other rule covers are now covered by that rule alone.
    void remove(const CoveringRule& rule) {
        checkpoint(rule.rows.size());
        std::fill(freed_.begin(), freed_.end(), 0.0);
        for (const auto row : rule.rows) {
            const std::size_t r = checked(row);
            add(counts_.sum[r], -rule.number);
            if (--counts_.times[r] != 1) continue;
            const std::size_t place = 2 * index(counts_.sum[r]) + (rows_.own[r] ? 0 : 1);
            if (place >= freed_.size()) throw std::invalid_argument("a sum of rules is not valid");
            freed_[place] += rows_.weight.empty() ? 1.0 : rows_.weight[r];
        }
        for (std::size_t i = 0; i < freed_.size(); ++i) counts_.alone[i] += freed_[i];
        for (std::size_t side = 0; side < 2; ++side) counts_.covered[side] -= alone_of(rule)[side];
    }

    void restore(const CoveringRule& rule) noexcept {
        for (const auto row : rule.rows) {
            ++counts_.times[index(row)];
            add(counts_.sum[index(row)], rule.number);
        }
    }

private:
    // Without undefined behaviour, whatever the arguments of a caller are.
    static void add(std::int32_t& sum, std::int32_t number) noexcept {
        sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                        static_cast<std::uint32_t>(number));
    }

    const double* alone_of(const CoveringRule& rule) const noexcept {
        return counts_.alone.data() + 2 * index(rule.number);
    }

    std::size_t checked(std::int32_t row) const {
        if (index(row) >= counts_.times.size()) throw std::invalid_argument("a row is not valid");
        return index(row);
    }

    const ClassRows& rows_;
    const RuleSetCounts& counts_;
    std::vector<double> freed_;
};

}  // namespace

std::size_t count_marked(std::span<const std::int32_t> rows, std::span<const std::uint8_t> marks) {
    std::size_t marked = 0;
    for (const auto row : rows) marked += marks[index(row)];
    return marked;
}

std::vector<std::int32_t> rows_covered(std::span<const std::int32_t> rows,
                                       std::span<const std::int16_t> times, std::int16_t wanted) {
    std::vector<std::int32_t> found(rows.size());
    std::size_t kept = 0;
    for (const auto row : rows) {  // no branch: a row that is left out is overwritten by the next
        found[kept] = row;
        kept += times[index(row)] == wanted;
    }
    found.resize(kept);
    return found;
}

PartedRows part_rows(std::span<const std::int32_t> rows, std::span<const std::uint8_t> own,
                     const GroupDraws& draws) {
    struct Side {
        const std::int64_t* drawn;
        std::int64_t place = 0;
    };
    Side sides[2] = {{draws.other.data()}, {draws.own.data()}};
    PartedRows parts{std::vector<std::int32_t>(rows.size()),
                     std::vector<std::int32_t>(rows.size())};
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Side& side = sides[own[index(rows[i])]];
        const bool aside = *side.drawn == side.place;
        const bool last = ++side.place == draws.parts;
        side.drawn += last;
        side.place = last ? 0 : side.place;
        parts.kept[kept] = rows[i];
        parts.aside[i - kept] = rows[i];
        kept += !aside;
    }
    parts.aside.resize(rows.size() - kept);
    parts.kept.resize(kept);
    return parts;
}

std::vector<std::size_t> delete_rules(std::span<const CoveringRule> rules, const ClassRows& rows,
                                      const RuleSetCounts& counts, double rounding,
                                      bool only_weights) {
    RuleDeletion deletion(rows, counts);
    std::vector<std::size_t> deleted;
    double length = deletion.length();
    for (std::size_t place = rules.size(); place-- > 0;) {
        const CoveringRule& rule = rules[place];
        if (deletion.length_without(rule) - rule.bits >= length - rounding) continue;
        deletion.remove(rule);
        length = deletion.length();
        deleted.push_back(place);
    }
    if (only_weights) {
        for (const auto place : deleted) deletion.restore(rules[place]);
    }
    return deleted;
}

}  // namespace rulewright
