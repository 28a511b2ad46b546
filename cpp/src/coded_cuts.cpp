#include "coded_cuts.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "coded_counts.hpp"
#include "column_codes.hpp"
#include "interruption.hpp"

namespace rulewright {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Position {
    double gain;
    std::size_t below;  // number of entries up to the cut
    std::uint16_t code;
    double value;  // of the cut; NaN at the end of a cell
};

// The first of the best, as `scan` finds it: a later cut counts only if its gain is higher by more
// than the slack.
const Position* first_by_slack(const std::vector<Position>& positions, double slack) noexcept {
    const Position* best = nullptr;
    for (const Position& position : positions) {
        if (!best || position.gain > best->gain + slack) best = &position;
    }
    return best;
}

}  // namespace

bool is_settled(std::span<const double> gains, double slack) noexcept {
    double highest = -infinity;
    for (const double gain : gains) highest = std::max(highest, gain);
    for (const double gain : gains) {
        if (gain >= highest - 0.9 * slack) return true;
        if (gain > highest - 3.0 * slack) return false;
    }
    return true;
}

CodedColumn::CodedColumn(const GrowthContext& context, const OpenNode& node, std::size_t place)
    : context_(context), node_(node), column_(node.numeric[place]) {
    if (node.counts.empty()) {
        add_cells(count_codes(context, node, place));
    } else {
        add_cells(node.counts.of(place));
    }
}

void CodedColumn::add_cells(std::span<const std::uint64_t> counts) {
    for (std::size_t c = 0; c < missing_code; ++c) {
        if (!counts[c]) continue;
        const auto first = static_cast<std::uint32_t>(counts[c]);
        const auto other = static_cast<std::uint32_t>(counts[c] >> 32);
        cells_.push_back({static_cast<std::uint16_t>(c),
                          context_.codes->mixed(column_, c),
                          {static_cast<double>(first), static_cast<double>(other)}});
        counts_[0] += first;
        counts_[1] += other;
        present_ += first + other;
    }
}

bool CodedColumn::varies() const {
    if (cells_.size() != 1 || !cells_[0].mixed) return cells_.size() > 1;
    const auto examples = sorted_examples({true});
    return examples.front().value != examples.back().value;
}

std::vector<CodedColumn::Example> CodedColumn::sorted_examples(
    const std::vector<bool>& chosen) const {
    std::vector<std::uint8_t> wanted(codes, 0);
    std::size_t count = 0;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
        if (!chosen[k]) continue;
        wanted[cells_[k].code] = 1;
        count += static_cast<std::size_t>(cells_[k].counts[0] + cells_[k].counts[1]);
    }
    const auto code = context_.codes->code(column_);
    const Column x = context_.training.numeric[column_];
    std::vector<Example> examples;
    examples.reserve(count);
    for (std::size_t i = 0; count && i < node_.size(); ++i) {
        const std::uint32_t row = node_.row[i];
        if (wanted[code[row]]) examples.push_back({x[row], node_.label[i]});
    }
    checkpoint(count);
    std::ranges::sort(examples, {}, &Example::value);
    return examples;
}

// One pass over the cells, with all examples moving from right to left.
class CodedColumn::Scan {
public:
    Scan(const CodedColumn& column, const double* left, const double* right,
         const SplitConstraints& constraints)
        : column_(column),
          measure_(column.context_.measure),
          constraints_(constraints),
          left_{left[0], left[1]},
          right_{right[0], right[1]} {}

    // The cells that may hold a cut as good as the best cut between two cells, and as `needed`.
    std::vector<bool> promising(double needed) {
        const auto& cells = column_.cells_;
        double best = needed;
        std::vector<double> limits;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            const bool several = cells[k].mixed && cells[k].counts[0] + cells[k].counts[1] > 1.0;
            limits.push_back(several ? limit(cells[k]) : -infinity);
            move(cells[k].counts[0], cells[k].counts[1]);
            if (k + 1 < cells.size() && allowed()) best = std::max(best, gain());
        }
        std::vector<bool> chosen;
        for (const double limit : limits) {
            chosen.push_back(limit > -infinity && is_near(limit, best, constraints_.slack));
        }
        return chosen;
    }

    // The cuts between cells, and those within the chosen ones.
    std::vector<Position> positions(const std::vector<bool>& chosen) {
        const auto examples = column_.sorted_examples(chosen);
        std::size_t next = 0, below = 0;
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const Cell& cell = column_.cells_[k];
            const auto count = static_cast<std::size_t>(cell.counts[0] + cell.counts[1]);
            if (chosen[k]) {
                within({examples.data() + next, count}, cell.code, below);
                next += count;
            } else {
                move(cell.counts[0], cell.counts[1]);
            }
            below += count;
            if (k + 1 < chosen.size()) {
                enter(below, cell.code, std::numeric_limits<double>::quiet_NaN());
            }
        }
        return std::move(found_);
    }

private:
    void move(double first, double other) noexcept {
        left_[0] += first;
        left_[1] += other;
        right_[0] -= first;
        right_[1] -= other;
    }

    bool allowed() const noexcept {
        return left_[0] + left_[1] >= constraints_.min_weight &&
               right_[0] + right_[1] >= constraints_.min_weight;
    }

    double gain() const { return measure_.gain_of_two(left_, right_); }

    double corner(double first, double other) const {
        const double left[] = {left_[0] + first, left_[1] + other};
        const double right[] = {right_[0] - first, right_[1] - other};
        if (left[0] + left[1] <= 0.0 || right[0] + right[1] <= 0.0) return 0.0;
        return measure_.gain_of_two(left, right);
    }

    double limit(const Cell& cell) const {
        const auto [first, other] = cell.counts;
        return std::max(
            {corner(0.0, 0.0), corner(first, 0.0), corner(0.0, other), corner(first, other)});
    }

    void within(std::span<const Example> examples, std::uint16_t code, std::size_t below) {
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const bool other = examples[i].label != 0;
            move(other ? 0.0 : 1.0, other ? 1.0 : 0.0);
            if (i + 1 < examples.size() && examples[i].value != examples[i + 1].value) {
                enter(below + i + 1, code, examples[i].value);
            }
        }
    }

    void enter(std::size_t below, std::uint16_t code, double value) {
        if (allowed()) found_.push_back({gain(), below, code, value});
    }

    const CodedColumn& column_;
    const Measure& measure_;
    const SplitConstraints& constraints_;
    double left_[2], right_[2];
    std::vector<Position> found_;
};

Cut CodedColumn::best_cut(const double* left, const double* right,
                          const SplitConstraints& constraints, double needed) const {
    auto chosen = Scan(*this, left, right, constraints).promising(needed);
    auto positions = Scan(*this, left, right, constraints).positions(chosen);
    std::vector<double> gains;
    for (const Position& position : positions) gains.push_back(position.gain);
    const bool compete =
        !gains.empty() && is_near(std::ranges::max(gains), needed, constraints.slack);
    if (compete && !is_settled(gains, constraints.slack)) {  // all cuts are compared in order
        for (std::size_t k = 0; k < cells_.size(); ++k) chosen[k] = cells_[k].mixed;
        positions = Scan(*this, left, right, constraints).positions(chosen);
    }
    Cut cut;
    if (const Position* best = first_by_slack(positions, constraints.slack)) {
        cut.gain = best->gain;
        cut.position = best->below - 1;
        cut.tried = positions.size();
        cut.code = best->code;
        cut.value = best->value;
    }
    return cut;
}

}  // namespace rulewright
