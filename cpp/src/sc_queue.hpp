// Known rules, and a queue of rules to visit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_lattice.hpp"

namespace rulewright::sc {

// The known rules, each once, by their thresholds.
class Rules {
public:
    explicit Rules(std::size_t columns) : columns_(columns), slots_(1024, none) {}

    // Adds a rule; returns false if it is already known.
    bool add(const Level* thresholds) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        std::size_t slot = slot_of(thresholds);
        for (; slots_[slot] != none; slot = (slot + 1) & (slots_.size() - 1)) {
            if (std::equal(thresholds, thresholds + columns_, of(slots_[slot]))) return false;
        }
        slots_[slot] = static_cast<std::uint32_t>(size_++);
        levels_.insert(levels_.end(), thresholds, thresholds + columns_);
        return true;
    }

    const Level* of(std::uint32_t rule) const noexcept { return levels_.data() + rule * columns_; }
    std::uint32_t last() const noexcept { return static_cast<std::uint32_t>(size_ - 1); }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::size_t slot_of(const Level* thresholds) const noexcept {
        std::uint64_t hash = 0;
        for (std::size_t j = 0; j < columns_; ++j) {
            hash = (hash ^ thresholds[j]) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 32;
        }
        return hash & (slots_.size() - 1);
    }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (std::uint32_t rule = 0; rule < size_; ++rule) {
            std::size_t slot = slot_of(of(rule));
            while (slots_[slot] != none) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = rule;
        }
    }

    std::size_t columns_;
    std::size_t size_ = 0;
    std::vector<std::uint32_t> slots_;
    Levels levels_;
};

// Rules to visit, lower layers first, in the order in which they were found.
class LayeredQueue {
public:
    LayeredQueue(std::size_t objects, std::size_t max_rules)
        : layers_(objects + 1), highest_(objects), lowest_(objects), max_(max_rules) {}

    void add(std::size_t errors, std::uint32_t rule) {
        layers_[errors].rules.push_back(rule);
        lowest_ = std::min(lowest_, errors);
        ++found_;
        // If the lower layers use up all visits, the highest is no longer needed.
        while (found_ - layers_[highest_].rules.size() >= max_) lower();
    }

    // Drops rules with more errors.
    void limit(std::size_t highest) {
        while (highest_ > highest) lower();
    }

    // Whether a rule with this number of errors could be visited at all.
    bool takes(std::size_t errors) {
        left_out_ |= errors > highest_;
        return errors <= highest_;
    }

    bool left_out() const noexcept { return left_out_; }
    std::size_t lowest() const noexcept { return lowest_; }

    bool more() {
        while (lowest_ < highest_ && layers_[lowest_].is_done()) ++lowest_;
        return !layers_[lowest_].is_done();
    }

    // Of the lowest layer, after `more` returned true.
    std::uint32_t next() { return layers_[lowest_].rules[layers_[lowest_].done++]; }

private:
    struct Layer {
        std::vector<std::uint32_t> rules;
        std::size_t done = 0;

        bool is_done() const noexcept { return done == rules.size(); }
    };

    void lower() {
        left_out_ |= !layers_[highest_].is_done();
        found_ -= layers_[highest_--].rules.size();
    }

    std::vector<Layer> layers_;
    std::size_t highest_;
    std::size_t lowest_;
    std::size_t max_;
    std::size_t found_ = 0;
    bool left_out_ = false;
};

}  // namespace rulewright::sc
