#include "sc_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "sc_lattice.hpp"
#include "sc_queue.hpp"

namespace rulewright {

using namespace sc;

namespace {

constexpr std::size_t starts_a_column = 8;
constexpr std::size_t max_steps = 1 << 18;  // along lines, to find starting rules

class Visitor {
public:
    Visitor(const ScObjects& objects, const ScLimits& limits)
        : lattice_(objects),
          rules_(lattice_.columns),
          queue_(objects.positive.size(), limits.rules),
          layers_(limits.layers),
          other_(lattice_.columns),
          reach_(lattice_.columns),
          lines_(lattice_.columns) {
        begin();
    }

    LayeredQueue& queue() noexcept { return queue_; }
    std::size_t fewest() const noexcept { return fewest_; }

    RuleCounts visit(std::uint32_t rule) {
        checkpoint(lattice_.size());
        const Level* levels = rules_.of(rule);
        at_.assign(levels, levels + lattice_.columns);  // `rules_` may move
        lattice_.cover(at_.data(), covered_);
        counts_ = {};
        count_covered();
        drop();
        add();
        compare();
        return counts_;
    }

    void name_thresholds(std::uint32_t rule, std::span<std::int32_t> names) const noexcept {
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            const std::size_t end = lattice_.axes[j].end[rules_.of(rule)[j]];
            names[j] = end > 0 ? lattice_.numbers[lattice_.object(j, end - 1)] : -1;
        }
    }

private:
    // Starting rules: low ones of every part of the graph, as far as that is cheap, since not every
    // low rule is connected to the lowest one by low rules.
    void begin() {
        std::vector<Levels> ends{Levels(lattice_.columns)};
        for (std::size_t j = 0; j < lattice_.columns; ++j) ends[0][j] = lattice_.highest(j);
        const Levels highest = ends[0];
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            const std::size_t starts = std::min<std::size_t>(starts_a_column, highest[j]);
            for (std::size_t i = 1; i < starts; ++i) {
                ends.push_back(highest);
                ends.back()[j] = static_cast<Level>(highest[j] * i / starts);
            }
        }
        for (auto& levels : ends) {
            while (descend(levels)) continue;
            lattice_.cover(levels.data(), covered_);
            count_covered();
            discover_tightened(levels, counts_.errors);
        }
        if (lattice_.columns == 0) return;  // one rule
        discover(Levels(lattice_.columns), lattice_.positives + lattice_.always_wrong);
        discover_lines(ends);
    }

    // The rules on all lines along the column with the most levels, or if those are too many, on
    // the lines through the local minima.
    void discover_lines(const std::vector<Levels>& ends) {
        const std::size_t along = widest();
        std::size_t lines = 1;
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            if (j != along) lines = std::min(lines * lattice_.highest(j), max_steps);
        }
        if (lines * lattice_.size() > max_steps) {
            for (const auto& levels : ends) {
                for (std::size_t j = 0; j < lattice_.columns; ++j) discover_line(levels, j);
            }
            return;
        }
        Levels levels(lattice_.columns, 1);
        for (std::size_t line = 0; line < lines; ++line) {
            discover_line(levels, along);
            std::size_t j = along == 0 ? 1 : 0;  // the next line, like an odometer
            while (j < lattice_.columns && levels[j] == lattice_.highest(j)) {
                levels[j] = 1;
                j += j + 1 == along ? 2 : 1;
            }
            if (j < lattice_.columns) ++levels[j];
        }
    }

    std::size_t widest() const noexcept {
        std::size_t best = 0;
        for (std::size_t j = 1; j < lattice_.columns; ++j) {
            if (lattice_.highest(j) > lattice_.highest(best)) best = j;
        }
        return best;
    }

    void discover_line(Levels levels, std::size_t j) {
        checkpoint(lattice_.size());
        lattice_.cover(levels.data(), less_, j);
        const Axis& axis = lattice_.axes[j];
        std::int32_t errors = lattice_.positives + lattice_.always_wrong;
        for (std::size_t v = 1; v < axis.end.size(); ++v) {
            bool any = false;
            for (std::size_t place = axis.end[v - 1]; place < axis.end[v]; ++place) {
                if (!has(less_, lattice_.object(j, place))) continue;
                errors += axis.cost[place];
                any = true;
            }
            if (!any || !queue_.takes(static_cast<std::size_t>(errors))) continue;
            Levels tight = levels;
            tight[j] = static_cast<Level>(v);
            lattice_.cover(tight.data(), covered_);
            discover_tightened(tight, errors);
        }
    }

    void discover_tightened(Levels levels, std::int32_t errors) {
        lattice_.tighten(covered_, levels.data());
        discover(levels, errors);
    }

    // Moves a threshold to reduce the errors; returns whether that was possible.
    bool descend(Levels& levels) {
        bool moved = false;
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            checkpoint(lattice_.size());
            lattice_.cover(levels.data(), covered_, j);
            const Axis& axis = lattice_.axes[j];
            int errors = 0, here = 0, fewest = 0;
            Level best = 0;
            for (std::size_t v = 1; v < axis.end.size(); ++v) {
                for (std::size_t place = axis.end[v - 1]; place < axis.end[v]; ++place) {
                    const bool is_covered = has(covered_, lattice_.object(j, place));
                    errors += axis.cost[place] & -static_cast<int>(is_covered);
                }
                if (errors < fewest) fewest = errors, best = static_cast<Level>(v);
                if (v == levels[j]) here = errors;
            }
            if (fewest < here) levels[j] = best, moved = true;
        }
        return moved;
    }

    void discover(const Levels& levels, std::int32_t errors) {
        const auto layer = static_cast<std::size_t>(errors);
        if (!queue_.takes(layer) || !rules_.add(levels.data())) return;
        queue_.add(layer, rules_.last());
        if (layer >= fewest_) return;
        fewest_ = layer;
        if (layers_ >= 0) queue_.limit(layer + static_cast<std::size_t>(layers_));
    }

    void count_covered() noexcept {
        counts_.negatives = counts_.positives = 0;
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            counts_.negatives += std::popcount(covered_[w] & lattice_.negative[w]);
            counts_.positives += std::popcount(covered_[w] & lattice_.positive[w]);
        }
        counts_.errors =
            counts_.negatives + lattice_.positives - counts_.positives + lattice_.always_wrong;
    }

    // The neighbours that cover less: without the objects on top of a column.
    void drop() {
        top_.clear();
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            if (at_[j] == 0) return;  // nothing is covered
            const Axis& axis = lattice_.axes[j];
            less_ = covered_;
            std::int32_t dropped = 0, fewer_errors = 0;
            std::size_t last = 0;
            for (std::size_t place = axis.end[at_[j] - 1]; place < axis.end[at_[j]]; ++place) {
                const std::size_t i = lattice_.object(j, place);
                if (!has(covered_, i)) continue;
                less_[i / word_bits] &= ~(Word{1} << (i % word_bits));
                fewer_errors += has(lattice_.positive, i) ? -1 : 1;
                ++dropped;
                last = i;
            }
            if (dropped == 1 && fewer_errors < 0) top_.push_back(last);
            other_ = at_;
            --other_[j];
            lattice_.tighten(less_, other_.data());
            discover(other_, counts_.errors - fewer_errors);
        }
        std::sort(top_.begin(), top_.end());  // one object can be on top of several columns
        const auto end = std::unique(top_.begin(), top_.end());
        counts_.connected_positives = static_cast<std::int32_t>(end - top_.begin());
        counts_.connected += counts_.connected_positives;
    }

    // The neighbours that cover more: with the nearest of the others.
    void add() {
        outside_.resize(lattice_.words);
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            outside_[w] = (lattice_.positive[w] | lattice_.negative[w]) & ~covered_[w];
        }
        near_ = outside_;
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            const Level next = next_alone(at_, j);
            if (next == 0) continue;
            std::int32_t added = 0, more_errors = 0;
            const Axis& axis = lattice_.axes[j];
            for (std::size_t place = axis.end[next - 1]; place < axis.end[next]; ++place) {
                const std::size_t i = lattice_.object(j, place);
                if (!has(alone_, i)) continue;
                more_errors += has(lattice_.positive, i) ? -1 : 1;
                ++added;
            }
            reach_ = at_;
            reach_[j] = next;
            add(added, more_errors);
        }
        each_bit(near_, [this](std::size_t i) { add(i); });
    }

    // The next level of a column with an outside object that only this column's threshold excludes,
    // or 0; objects from that level on are then no longer near.
    Level next_alone(const Levels& levels, std::size_t j) {
        lattice_.cover(levels.data(), alone_, j);
        Word any = 0;
        for (std::size_t w = 0; w < lattice_.words; ++w) any |= alone_[w] &= outside_[w];
        if (any == 0) return 0;
        std::size_t place = lattice_.axes[j].end[levels[j]];
        while (!has(alone_, lattice_.object(j, place))) ++place;
        const Level next = lattice_.levels_of(lattice_.object(j, place))[j];
        const Word* line = lattice_.up_to(j, static_cast<Level>(next - 1));
        for (std::size_t w = 0; w < lattice_.words; ++w) near_[w] &= line[w];
        return next;
    }

    // An object that several thresholds exclude.
    void add(std::size_t object) {
        checkpoint(lattice_.words);
        reach(at_, object);
        std::int32_t added = 0, more_errors = 0;
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            for (Word box = within(w) & near_[w]; box; box &= box - 1) {
                const std::size_t i =
                    w * word_bits + static_cast<std::size_t>(std::countr_zero(box));
                // A nearer object, or the first of equally near ones, represents this one.
                if (i < object || !is_as_far(i)) return;
                more_errors += has(lattice_.positive, i) ? -1 : 1;
                ++added;
            }
        }
        add(added, more_errors);
    }

    void add(std::int32_t added, std::int32_t more_errors) {
        if (added == 1 && more_errors > 0) ++counts_.connected;
        discover(reach_, counts_.errors + more_errors);
    }

    bool is_as_far(std::size_t object) const noexcept {
        const Level* levels = lattice_.levels_of(object);
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            if (std::max(at_[j], levels[j]) != reach_[j]) return false;
        }
        return true;
    }

    // The rules whose errors are a proper subset of this one's.
    void compare() {
        less_.resize(lattice_.words);
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            less_[w] = covered_[w] & lattice_.positive[w];
        }
        other_ = at_;
        lattice_.tighten(less_, other_.data());
        lattice_.cover(other_.data(), less_);
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            counts_.inferior_negatives +=
                std::popcount(covered_[w] & ~less_[w] & lattice_.negative[w]);
        }
        counts_.inferior += counts_.inferior_negatives;
        for (std::size_t w = 0; w < lattice_.words; ++w) {
            near_[w] = outside_[w] & lattice_.positive[w];
            outside_[w] &= lattice_.negative[w];
        }
        for (std::size_t j = 0; j < lattice_.columns; ++j) next_alone(other_, j);
        each_bit(near_, [this](std::size_t i) {
            checkpoint(lattice_.words);
            reach(other_, i);
            for (std::size_t w = 0; w < lattice_.words; ++w) {
                if (within(w) & outside_[w]) return;
            }
            ++counts_.inferior;
        });
    }

    // The smallest thresholds from these upwards that cover an object.
    void reach(const Levels& from, std::size_t object) noexcept {
        const Level* levels = lattice_.levels_of(object);
        for (std::size_t j = 0; j < lattice_.columns; ++j) {
            reach_[j] = std::max(from[j], levels[j]);
            lines_[j] = lattice_.up_to(j, reach_[j]);
        }
    }

    Word within(std::size_t w) const noexcept {
        Word all = ~Word{0};
        for (const Word* line : lines_) all &= line[w];
        return all;
    }

    Lattice lattice_;
    Rules rules_;
    LayeredQueue queue_;
    std::int32_t layers_;
    std::size_t fewest_ = ~std::size_t{0};
    RuleCounts counts_{};
    Levels at_, other_, reach_;
    std::vector<const Word*> lines_;
    Bits covered_, less_, outside_, near_, alone_;
    std::vector<std::size_t> top_;
};

// The shares that layers add to the sum.
class LayerShares {
public:
    LayerShares(const Splits& splits, const ScLimits& limits) : splits_(splits), limits_(limits) {}

    void add(const RuleCounts& rule, std::size_t visited) {
        if (limits_.share <= 0.0) return;
        if (rule.errors > layer_) {
            before_ = std::exchange(now_, 0.0);
            layer_ = rule.errors;
        }
        const double term = splits_.term(rule, Counted::errors, limits_.min_deviation);
        now_ += term;
        total_ += term;
        visited_ = visited;
    }

    // Whether they are too small, before a rule of that layer is visited.
    bool are_small(std::size_t layer) const noexcept {
        const double min_deviation = limits_.share * total_;
        return visited_ >= limits_.always && static_cast<std::int32_t>(layer) > layer_ &&
               now_ < min_deviation && before_ < min_deviation;
    }

private:
    const Splits& splits_;
    const ScLimits& limits_;
    std::int32_t layer_ = -1;
    std::size_t visited_ = 0;
    double now_ = 0.0, before_ = 0.0, total_ = 0.0;
};

}  // namespace

ScVisit visit_sc_rules(const ScObjects& objects, const Splits& splits, const ScLimits& limits,
                       std::span<RuleCounts> counts, std::span<std::int32_t> thresholds) {
    Visitor visitor(objects, limits);
    LayeredQueue& queue = visitor.queue();
    LayerShares shares(splits, limits);
    const std::size_t columns = objects.columns.size();
    ScVisit visit{0, 0, 0, ScEnd::complete};
    while (queue.more()) {
        if (visit.rules == limits.rules) {
            visit.end = ScEnd::rules;
            break;
        }
        if (shares.are_small(queue.lowest())) {
            visit.end = ScEnd::share;
            break;
        }
        const std::uint32_t rule = queue.next();
        const RuleCounts& found = counts[visit.rules] = visitor.visit(rule);
        if (!thresholds.empty()) {
            visitor.name_thresholds(rule, thresholds.subspan(visit.rules * columns, columns));
        }
        shares.add(found, ++visit.rules);
        visit.highest = std::max(visit.highest, found.errors);
    }
    visit.lowest = static_cast<std::int32_t>(visitor.fewest());
    if (visit.end == ScEnd::complete && queue.left_out()) {
        visit.end = visit.rules == limits.rules ? ScEnd::rules : ScEnd::layers;
    }
    return visit;
}

}  // namespace rulewright
