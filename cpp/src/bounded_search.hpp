// What branch and bound has in common for all models: limits, and solved sets of cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "coded_cells.hpp"
#include "time_limit.hpp"

namespace rulewright {

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max() / 4;

struct SearchLimits {
    std::size_t max_subproblems;
    std::size_t max_memory;  // bytes of solved sets; further ones are not kept
    double seconds;
};

// Counts subproblems, and says when a search has to stop.
class SearchBudget {
public:
    explicit SearchBudget(const SearchLimits& limits)
        : max_subproblems_(limits.max_subproblems), time_(limits.seconds) {}

    void count() { ++subproblems_; }

    // The first model is always found.
    bool over() {
        if (subproblems_ > 0 && (subproblems_ >= max_subproblems_ || time_.over())) stopped_ = true;
        return stopped_;
    }

    const TimeLimit& time() const { return time_; }
    bool stopped() const { return stopped_; }
    std::size_t subproblems() const { return subproblems_; }

private:
    std::size_t max_subproblems_;
    TimeLimit time_;
    std::size_t subproblems_ = 0;
    bool stopped_ = false;
};

// What is known of sets of cells, within a limit on memory.
template <class Key, class Bounds, class Hash>
class SolvedSets {
public:
    explicit SolvedSets(std::size_t max_memory) : max_memory_(max_memory) {}

    const Bounds* find(const Key& key) const {
        const auto found = known_.find(key);
        return found == known_.end() ? nullptr : &found->second;
    }

    void keep(const Key& key, const Bounds& bounds) {
        const Bounds* known = find(key);
        const std::size_t before = known == nullptr ? 0 : known->bytes();
        const std::size_t bytes = bounds.bytes();
        if (memory_ - before + bytes > max_memory_) return;
        known_.insert_or_assign(key, bounds);
        memory_ += bytes - before;
    }

    std::size_t memory() const { return memory_; }

private:
    std::unordered_map<Key, Bounds, Hash> known_;
    std::size_t max_memory_;
    std::size_t memory_ = 0;
};

inline Members all_members(const Cells& cells) {
    Members members(cells.size());
    std::iota(members.begin(), members.end(), 0);
    return members;
}

}  // namespace rulewright
