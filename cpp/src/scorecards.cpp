#include "scorecards.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <set>

#include "interruption.hpp"
#include "logistic.hpp"

namespace rulewright {

namespace {

using Mask = std::vector<double>;
using MaskPointer = std::shared_ptr<const Mask>;

constexpr double smallest_gain = 1e-9;
constexpr double smallest_change = 1e-7;  // by a swap, for each unit of weight
constexpr std::size_t swap_candidates = 3;

bool holds(const ScoreTerm& term, std::int32_t code) {
    switch (term.relation) {
        case TermRelation::at_most:
            return code > 0 && code <= term.code;
        case TermRelation::above:
            return code > term.code;
        case TermRelation::is:
            return code == term.code;
        case TermRelation::is_not:
            return code > 0 && code != term.code;
        case TermRelation::missing:
            return code == 0;
        case TermRelation::present:
            return code > 0;
    }
    return false;
}

struct Model {
    std::vector<ScoreCondition> conditions;
    std::vector<MaskPointer> masks;
    std::vector<std::vector<double>> coefficient;  // by table: the intercept, then the conditions
    double loss = 0.0;
    std::size_t tests = 0;

    std::vector<ScoreCondition> key() const {
        std::vector<ScoreCondition> sorted = conditions;
        std::ranges::sort(sorted);
        return sorted;
    }
};

struct Candidate {
    ScoreCondition condition;
    double gain;
};

// Sums of slopes and curvatures of the loss over the rows with each code.
struct Sums {
    double slope = 0.0;
    double curve = 0.0;
};

class Search {
public:
    Search(const ScoreRows& rows, std::span<const ScoreTerm> terms,
           std::span<const ScoreCondition> kept, const ScoreOptions& options)
        : rows_(rows), terms_(terms), kept_(kept), options_(options) {
        total_ = std::accumulate(rows.weight.begin(), rows.weight.end(), 0.0);
        by_column_.resize(rows.columns);
        for (std::size_t t = 0; t < terms.size(); ++t) {
            const std::size_t column = static_cast<std::size_t>(terms[t].column);
            by_column_[column].push_back(static_cast<std::int32_t>(t));
        }
        prepare_terms();
        if (options.pairs) prepare_pairs();
    }

    std::vector<FittedScore> run() {
        std::vector<std::vector<Model>> levels(options_.max_tests + 1);
        Model first = start();
        if (first.tests >= levels.size()) levels.resize(first.tests + 1);
        levels[first.tests].push_back(std::move(first));
        std::vector<FittedScore> found;
        for (std::size_t size = 0; size < levels.size(); ++size) {
            std::vector<Model>& level = levels[size];
            if (level.empty()) continue;
            keep_best(level);
            improve(level.front());
            Model refined = level.front();
            refine(refined);
            found.push_back(fitted(refined));
            if (size + 1 == levels.size()) break;
            for (const Model& model : level) expand(model, levels);
        }
        return found;
    }

private:
    static FittedScore fitted(const Model& model) {
        FittedScore score{model.conditions, {}, {}, model.loss, model.tests};
        for (const auto& table : model.coefficient) score.intercept.push_back(table[0]);
        for (std::size_t j = 0; j < model.conditions.size(); ++j) {
            for (const auto& table : model.coefficient) score.coefficient.push_back(table[j + 1]);
        }
        return score;
    }

    std::uint8_t code(std::size_t column, std::size_t row) const {
        return rows_.codes[column * rows_.rows + row];
    }

    // Weight of the rows of each term, to leave out those with too few rows on a side.
    void prepare_terms() {
        usable_.assign(terms_.size(), false);
        for (std::size_t column = 0; column < rows_.columns; ++column) {
            std::vector<double> weight(256, 0.0);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                weight[code(column, i)] += rows_.weight[i];
            }
            for (const std::int32_t t : by_column_[column]) {
                double inside = 0.0;
                for (std::int32_t c = 0; c < 256; ++c) {
                    if (holds(term(t), c)) inside += weight[static_cast<std::size_t>(c)];
                }
                usable_[static_cast<std::size_t>(t)] = is_supported(inside);
            }
        }
    }

    bool is_supported(double inside) const {
        return inside >= options_.min_weight && total_ - inside >= options_.min_weight &&
               inside > 0 && inside < total_;
    }

    const ScoreTerm& term(std::int32_t number) const {
        return terms_[static_cast<std::size_t>(number)];
    }

    // Columns in the codes of paired terms only, which are fewer.
    void prepare_pairs() {
        for (std::size_t column = 0; column < rows_.columns; ++column) {
            PairedColumn paired{column, {}, {}, {}, 0};
            for (const std::int32_t t : by_column_[column]) {
                if (term(t).paired) paired.terms.push_back(t);
            }
            if (paired.terms.empty()) continue;
            group_codes(paired);
            paired_.push_back(std::move(paired));
        }
    }

    struct PairedColumn {
        std::size_t column;
        std::vector<std::int32_t> terms;
        std::vector<std::uint8_t> codes;          // group of each row
        std::vector<std::vector<bool>> contains;  // by term and group
        std::size_t groups;
    };

    // Codes are in one group if the same paired terms hold on them.
    void group_codes(PairedColumn& paired) const {
        std::vector<std::vector<bool>> patterns;
        std::vector<std::uint8_t> group(256, 0);
        std::vector<bool> present(256, false);
        for (std::size_t i = 0; i < rows_.rows; ++i) present[code(paired.column, i)] = true;
        for (std::int32_t c = 0; c < 256; ++c) {
            if (!present[static_cast<std::size_t>(c)]) continue;
            std::vector<bool> pattern;
            for (const std::int32_t t : paired.terms) pattern.push_back(holds(term(t), c));
            const auto known = std::ranges::find(patterns, pattern);
            group[static_cast<std::size_t>(c)] =
                static_cast<std::uint8_t>(known - patterns.begin());
            if (known == patterns.end()) patterns.push_back(std::move(pattern));
        }
        paired.groups = patterns.size();
        paired.codes.resize(rows_.rows);
        for (std::size_t i = 0; i < rows_.rows; ++i) {
            paired.codes[i] = group[code(paired.column, i)];
        }
        for (std::size_t t = 0; t < paired.terms.size(); ++t) {
            std::vector<bool> inside;
            for (const auto& pattern : patterns) inside.push_back(pattern[t]);
            paired.contains.push_back(std::move(inside));
        }
    }

    MaskPointer mask_of(const ScoreCondition& condition) const {
        auto mask = std::make_shared<Mask>(rows_.rows, 0.0);
        const ScoreTerm& one = term(condition.first);
        for (std::size_t i = 0; i < rows_.rows; ++i) {
            (*mask)[i] = holds(one, code(static_cast<std::size_t>(one.column), i));
        }
        if (condition.second >= 0) {
            const ScoreTerm& other = term(condition.second);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                (*mask)[i] *= holds(other, code(static_cast<std::size_t>(other.column), i));
            }
        }
        return mask;
    }

    Model start() {
        Model model;
        model.coefficient.assign(rows_.tables, std::vector<double>(1, 0.0));
        for (const ScoreCondition& condition : kept_) add(model, condition);
        fit(model);
        return model;
    }

    void add(Model& model, const ScoreCondition& condition) const {
        model.conditions.push_back(condition);
        model.masks.push_back(mask_of(condition));
        for (auto& table : model.coefficient) table.push_back(0.0);
        model.tests += condition.tests();
    }

    static void remove(Model& model, std::size_t place) {
        const auto at = static_cast<std::ptrdiff_t>(place);
        model.tests -= model.conditions[place].tests();
        model.conditions.erase(model.conditions.begin() + at);
        model.masks.erase(model.masks.begin() + at);
        for (auto& table : model.coefficient) table.erase(table.begin() + at + 1);
    }

    std::int32_t sign_of(const ScoreCondition& condition) const {
        const std::int32_t first = term(condition.first).sign;
        return condition.second < 0 || first ? first : term(condition.second).sign;
    }

    void fit(Model& model) {
        std::vector<std::int32_t> signs;
        for (const ScoreCondition& condition : model.conditions) {
            signs.push_back(sign_of(condition));
        }
        model.loss = 0.0;
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            model.loss += fit_logistic(model.masks, rows_.own.subspan(k * rows_.rows, rows_.rows),
                                       rows_.weight, signs, options_.ridge, model.coefficient[k]);
            checkpoint(rows_.rows * (model.masks.size() + 1));
        }
    }

    void keep_best(std::vector<Model>& level) const {
        std::ranges::stable_sort(level, {}, &Model::loss);
        std::set<std::vector<ScoreCondition>> seen;
        std::vector<Model> kept;
        for (Model& model : level) {
            if (kept.size() == options_.beam_width) break;
            if (seen.insert(model.key()).second) kept.push_back(std::move(model));
        }
        level = std::move(kept);
    }

    void expand(const Model& model, std::vector<std::vector<Model>>& levels) {
        const std::size_t room = levels.size() - 1 - model.tests;
        for (const Candidate& candidate : best_candidates(model, options_.expansions, room)) {
            Model larger = model;
            add(larger, candidate.condition);
            fit(larger);
            levels[larger.tests].push_back(std::move(larger));
        }
    }

    // Replaces conditions one by one by better ones, until none is found.
    void improve(Model& model) {
        for (std::size_t pass = 0; pass < options_.swap_passes; ++pass) {
            bool changed = false;
            for (std::size_t place = kept_.size(); place < model.conditions.size(); ++place) {
                changed |= swap(model, kept_.size());
            }
            if (!changed) return;
        }
    }

    // Takes out the condition at a place, and puts the best one at the end.
    bool swap(Model& model, std::size_t place) {
        const ScoreCondition old = model.conditions[place];
        Model rest = model;
        remove(rest, place);
        Model best = rest;
        fit(rest);
        add(best, old);
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            best.coefficient[k].back() = model.coefficient[k][place + 1];
        }
        best.loss = model.loss;
        bool changed = false;
        for (const Candidate& candidate : best_candidates(rest, swap_candidates, old.tests())) {
            if (candidate.condition == old) continue;
            Model other = rest;
            add(other, candidate.condition);
            fit(other);
            if (other.loss < best.loss - smallest_change * total_) {
                best = std::move(other);
                changed = true;
            }
        }
        model = std::move(best);
        return changed;
    }

    // Moves cuts to the best value of all, for conditions of one term.
    void refine(Model& model) {
        for (std::size_t place = kept_.size(); place < model.conditions.size(); ++place) {
            const ScoreCondition old = model.conditions[kept_.size()];
            Model rest = model;
            remove(rest, kept_.size());
            Model same = rest;
            add(same, old);
            for (std::size_t k = 0; k < rows_.tables; ++k) {
                same.coefficient[k].back() = model.coefficient[k][kept_.size() + 1];
            }
            same.loss = model.loss;
            model = std::move(same);
            if (old.second >= 0) continue;
            fit(rest);
            std::vector<Candidate> found;
            best_of_column(rest, derivatives_of(rest), term(old.first), found);
            if (found.empty() || found.front().condition == old) continue;
            Model moved = rest;
            add(moved, found.front().condition);
            fit(moved);
            if (moved.loss < model.loss - options_.min_refinement) model = std::move(moved);
        }
    }

    // The conditions of the largest gains by one step of Newton's method, one for each column or
    // pair of columns.
    std::vector<Candidate> best_candidates(const Model& model, std::size_t count,
                                           std::size_t max_tests) {
        std::vector<Candidate> found;
        if (max_tests < 1) return found;
        const std::vector<Derivatives> derivatives = derivatives_of(model);
        for (std::size_t column = 0; column < rows_.columns; ++column) {
            best_of_column(model, derivatives, column, found);
        }
        truncate(found, count);
        if (options_.pairs && max_tests >= 2) {
            std::vector<Candidate> pairs;
            for (std::size_t a = 0; a < paired_.size(); ++a) {
                for (std::size_t b = a + 1; b < paired_.size(); ++b) {
                    best_of_pair(model, derivatives, paired_[a], paired_[b], pairs);
                }
            }
            truncate(pairs, count);
            found.insert(found.end(), pairs.begin(), pairs.end());
        }
        return found;
    }

    static void truncate(std::vector<Candidate>& found, std::size_t count) {
        std::ranges::stable_sort(found, std::ranges::greater{}, &Candidate::gain);
        if (found.size() > count) found.resize(count);
    }

    struct Derivatives {
        std::vector<double> slope;
        std::vector<double> curve;
        double curvature = 0.0;
    };

    std::vector<Derivatives> derivatives_of(const Model& model) const {
        std::vector<Derivatives> found(rows_.tables);
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            Derivatives& d = found[k];
            d.slope.resize(rows_.rows);
            d.curve.resize(rows_.rows);
            const std::vector<double> score =
                scores_of(model.masks, model.coefficient[k], rows_.rows);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                const double p = sigmoid(score[i]);
                d.slope[i] = rows_.weight[i] * (p - rows_.own[k * rows_.rows + i]);
                d.curve[i] = rows_.weight[i] * p * (1 - p);
                d.curvature += d.curve[i];
            }
        }
        return found;
    }

    // Decrease of the loss by a condition, its coefficient and the intercept moving together.
    double gain_of(const Sums& sums, double curvature, std::int32_t sign) const {
        if (sign * sums.slope > 0) return 0.0;  // the coefficient would have the other sign
        const double curve =
            sums.curve - sums.curve * sums.curve / std::max(curvature, 1e-300) + options_.ridge;
        return curve > 1e-12 ? sums.slope * sums.slope / (2 * curve) : 0.0;
    }

    void best_of_column(const Model& model, const std::vector<Derivatives>& derivatives,
                        std::size_t column, std::vector<Candidate>& found) {
        std::vector<std::int32_t> terms;
        for (const std::int32_t t : by_column_[column]) {
            if (!term(t).fine) terms.push_back(t);
        }
        best_of_terms(model, derivatives, column, terms, found);
    }

    // The best of the terms that differ from a term by their code only.
    void best_of_column(const Model& model, const std::vector<Derivatives>& derivatives,
                        const ScoreTerm& like, std::vector<Candidate>& found) {
        const auto column = static_cast<std::size_t>(like.column);
        std::vector<std::int32_t> terms;
        if (like.relation != TermRelation::at_most && like.relation != TermRelation::above) return;
        for (const std::int32_t t : by_column_[column]) {
            if (term(t).relation == like.relation) terms.push_back(t);
        }
        best_of_terms(model, derivatives, column, terms, found);
    }

    void best_of_terms(const Model& model, const std::vector<Derivatives>& derivatives,
                       std::size_t column, const std::vector<std::int32_t>& terms,
                       std::vector<Candidate>& found) {
        if (terms.empty()) return;
        std::vector<double> gains(terms.size(), 0.0);
        for (const Derivatives& d : derivatives) {
            std::vector<Sums> bins(256);
            const std::uint8_t* codes = rows_.codes.data() + column * rows_.rows;
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                bins[codes[i]].slope += d.slope[i];
                bins[codes[i]].curve += d.curve[i];
            }
            checkpoint(rows_.rows);
            std::vector<Sums> upto(257);
            for (std::size_t c = 0; c < 256; ++c) {
                upto[c + 1] = {upto[c].slope + bins[c].slope, upto[c].curve + bins[c].curve};
            }
            for (std::size_t t = 0; t < terms.size(); ++t) {
                gains[t] +=
                    gain_of(sums_of(term(terms[t]), bins, upto), d.curvature, term(terms[t]).sign);
            }
        }
        Candidate best{{-1, -1}, 0.0};
        for (std::size_t t = 0; t < terms.size(); ++t) {
            if (!usable_[static_cast<std::size_t>(terms[t])] || gains[t] <= best.gain) continue;
            const ScoreCondition condition{terms[t], -1};
            if (std::ranges::count(model.conditions, condition) == 0) {
                best = {condition, gains[t]};
            }
        }
        if (best.gain > smallest_gain) found.push_back(best);
    }

    static Sums sums_of(const ScoreTerm& t, std::span<const Sums> bins,
                        std::span<const Sums> upto) {
        const auto range = [&](std::size_t begin, std::size_t end) {
            return Sums{upto[end].slope - upto[begin].slope, upto[end].curve - upto[begin].curve};
        };
        const auto c = static_cast<std::size_t>(t.code);
        switch (t.relation) {
            case TermRelation::at_most:
                return range(1, c + 1);
            case TermRelation::above:
                return range(c + 1, 256);
            case TermRelation::is:
                return bins[c];
            case TermRelation::is_not: {
                const Sums present = range(1, 256);
                return {present.slope - bins[c].slope, present.curve - bins[c].curve};
            }
            case TermRelation::missing:
                return bins[0];
            case TermRelation::present:
                return range(1, 256);
        }
        return {};
    }

    void best_of_pair(const Model& model, const std::vector<Derivatives>& derivatives,
                      const PairedColumn& a, const PairedColumn& b, std::vector<Candidate>& found) {
        std::vector<double> gains(a.terms.size() * b.terms.size(), 0.0);
        std::vector<bool> supported(gains.size(), false);
        for (const Derivatives& d : derivatives) {
            std::vector<Cell> cells(a.groups * b.groups);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                Cell& cell = cells[a.codes[i] * b.groups + b.codes[i]];
                cell.sums.slope += d.slope[i];
                cell.sums.curve += d.curve[i];
                cell.weight += rows_.weight[i];
            }
            checkpoint(rows_.rows);
            add_pair_gains(a, b, cells, d.curvature, gains, supported);
        }
        Candidate best{{-1, -1}, 0.0};
        for (std::size_t place = 0; place < gains.size(); ++place) {
            if (!supported[place] || gains[place] <= best.gain) continue;
            const ScoreCondition condition{a.terms[place / b.terms.size()],
                                           b.terms[place % b.terms.size()]};
            if (std::ranges::count(model.conditions, condition) == 0) {
                best = {condition, gains[place]};
            }
        }
        if (best.gain > smallest_gain) found.push_back(best);
    }

    struct Cell {
        Sums sums;
        double weight = 0.0;
    };

    void add_pair_gains(const PairedColumn& a, const PairedColumn& b,
                        const std::vector<Cell>& cells, double curvature,
                        std::vector<double>& gains, std::vector<bool>& supported) const {
        std::vector<Cell> line(b.groups);
        for (std::size_t s = 0; s < a.terms.size(); ++s) {
            std::ranges::fill(line, Cell{});
            for (std::size_t g = 0; g < a.groups; ++g) {
                if (!a.contains[s][g]) continue;
                for (std::size_t h = 0; h < b.groups; ++h) add_to(line[h], cells[g * b.groups + h]);
            }
            for (std::size_t t = 0; t < b.terms.size(); ++t) {
                const std::int32_t one = term(a.terms[s]).sign, other = term(b.terms[t]).sign;
                if (one * other < 0) continue;
                Cell inside;
                for (std::size_t h = 0; h < b.groups; ++h) {
                    if (b.contains[t][h]) add_to(inside, line[h]);
                }
                const std::size_t place = s * b.terms.size() + t;
                supported[place] = is_supported(inside.weight);
                gains[place] += gain_of(inside.sums, curvature, one ? one : other);
            }
        }
    }

    static void add_to(Cell& cell, const Cell& other) {
        cell.sums.slope += other.sums.slope;
        cell.sums.curve += other.sums.curve;
        cell.weight += other.weight;
    }

    ScoreRows rows_;
    std::span<const ScoreTerm> terms_;
    std::span<const ScoreCondition> kept_;
    ScoreOptions options_;
    double total_ = 0.0;
    std::vector<std::vector<std::int32_t>> by_column_;
    std::vector<bool> usable_;
    std::vector<PairedColumn> paired_;
};

}  // namespace

std::vector<FittedScore> search_scores(const ScoreRows& rows, std::span<const ScoreTerm> terms,
                                       std::span<const ScoreCondition> kept,
                                       const ScoreOptions& options) {
    return Search(rows, terms, kept, options).run();
}

}  // namespace rulewright
