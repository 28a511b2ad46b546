#include "scorecards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "interruption.hpp"
#include "logistic.hpp"
#include "parallel.hpp"
#include "row_groups.hpp"

namespace rulewright {

namespace {

constexpr double smallest_gain = 1e-9;
constexpr double smallest_change = 1e-7;  // by a swap, for each unit of weight
constexpr std::size_t swap_candidates = 3;
constexpr std::size_t alone = 1 << 18;  // minimum number of cells for which threads pay
constexpr std::size_t block = 1 << 14;  // rows of a task
constexpr std::size_t few_blocks = 4;   // number of blocks below which threads do not pay

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

// A model, and the rows in groups on which the same conditions hold.
struct Model {
    RowGroups groups;
    std::vector<double> weight;            // by group
    std::vector<std::vector<double>> own;  // by table and group
    std::vector<ScoreCondition> conditions;
    HoldsColumns holds;
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
           std::span<const ScoreCondition> kept, std::span<const std::int32_t> forced,
           const ScoreOptions& options)
        : rows_(rows), terms_(terms), kept_(kept), forced_(forced), options_(options) {
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
            if (missing_columns(refined).empty()) found.push_back(fitted(refined));
            if (size + 1 == levels.size()) break;
            expand(level, levels);
        }
        return found;
    }

private:
    // Runs tasks over all rows, on several threads if there are many rows.
    template <class Task>
    void for_each(std::size_t count, Task&& task) const {
        for_each_task(count, count * rows_.rows < alone ? 1 : options_.threads, task);
    }

    static FittedScore fitted(const Model& model) {
        FittedScore score{model.conditions, {}, {}, model.loss, model.tests};
        for (const auto& table : model.coefficient) score.intercept.push_back(table[0]);
        for (std::size_t j = 0; j < model.conditions.size(); ++j) {
            for (const auto& table : model.coefficient) score.coefficient.push_back(table[j + 1]);
        }
        return score;
    }

    using CodeMarks = std::array<std::uint8_t, 256>;

    // Codes on which a term holds.
    static CodeMarks marks_of(const ScoreTerm& term) {
        CodeMarks marks;
        for (std::int32_t c = 0; c < 256; ++c) {
            marks[static_cast<std::size_t>(c)] = holds(term, c);
        }
        return marks;
    }

    std::uint8_t code(std::size_t column, std::size_t row) const {
        return rows_.codes[column * rows_.rows + row];
    }

    // Weight of the rows of each term, to leave out those with too few rows on a side.
    void prepare_terms() {
        usable_.assign(terms_.size(), false);
        weight_upto_.assign(rows_.columns, std::vector<double>(257, 0.0));
        for (std::size_t column = 0; column < rows_.columns; ++column) {
            std::vector<double> weight(256, 0.0);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                weight[code(column, i)] += rows_.weight[i];
            }
            std::partial_sum(weight.begin(), weight.end(), weight_upto_[column].begin() + 1);
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

    Model start() {
        Model model{RowGroups(rows_.rows), {}, {}, {}, {}, {}};
        model.coefficient.assign(rows_.tables, std::vector<double>(1, 0.0));
        weigh(model);
        for (const ScoreCondition& condition : kept_) add(model, condition);
        fit(model);
        return model;
    }

    // Sums the weights of the rows of each group.
    void weigh(Model& model) const {
        const auto group = model.groups.group();
        model.weight.assign(model.groups.count(), 0.0);
        for (std::size_t i = 0; i < rows_.rows; ++i) model.weight[group[i]] += rows_.weight[i];
        model.own.assign(rows_.tables, std::vector<double>(model.groups.count(), 0.0));
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            const std::uint8_t* own = rows_.own.data() + k * rows_.rows;
            std::vector<double>& sums = model.own[k];
            for (std::size_t i = 0; i < rows_.rows; ++i) sums[group[i]] += rows_.weight[i] * own[i];
        }
        checkpoint(rows_.rows * (rows_.tables + 1));
    }

    void add(Model& model, const ScoreCondition& condition) const {
        const std::vector<std::uint32_t> origin = split(model.groups, condition);
        for (std::vector<double>& column : model.holds) {
            std::vector<double> larger(origin.size());
            for (std::size_t g = 0; g < origin.size(); ++g) larger[g] = column[origin[g] / 2];
            column = std::move(larger);
        }
        model.holds.emplace_back(origin.size());
        for (std::size_t g = 0; g < origin.size(); ++g) model.holds.back()[g] = origin[g] % 2;
        model.conditions.push_back(condition);
        for (auto& table : model.coefficient) table.push_back(0.0);
        model.tests += condition.tests();
        weigh(model);
    }

    std::vector<std::uint32_t> split(RowGroups& groups, const ScoreCondition& condition) const {
        const CodeMarks one = marks_of(term(condition.first));
        const std::uint8_t* codes = column_of(condition.first);
        if (condition.second < 0) return groups.split([&](std::size_t i) { return one[codes[i]]; });
        const CodeMarks other = marks_of(term(condition.second));
        const std::uint8_t* others = column_of(condition.second);
        return groups.split([&](std::size_t i) { return one[codes[i]] & other[others[i]]; });
    }

    const std::uint8_t* column_of(std::int32_t number) const {
        return rows_.codes.data() + static_cast<std::size_t>(term(number).column) * rows_.rows;
    }

    // Takes out the condition at a place, and merges the groups that differed by it only.
    void remove(Model& model, std::size_t place) const {
        const auto at = static_cast<std::ptrdiff_t>(place);
        model.tests -= model.conditions[place].tests();
        model.conditions.erase(model.conditions.begin() + at);
        model.holds.erase(model.holds.begin() + at);
        for (auto& table : model.coefficient) table.erase(table.begin() + at + 1);
        merge(model);
    }

    void merge(Model& model) const {
        std::map<std::vector<bool>, std::uint32_t> known;
        std::vector<std::uint32_t> number, first;
        for (std::uint32_t g = 0; g < model.groups.count(); ++g) {
            std::vector<bool> pattern(model.holds.size());
            for (std::size_t j = 0; j < pattern.size(); ++j) pattern[j] = model.holds[j][g] != 0;
            const auto next = static_cast<std::uint32_t>(first.size());
            const auto [entry, is_new] = known.try_emplace(std::move(pattern), next);
            if (is_new) first.push_back(g);
            number.push_back(entry->second);
        }
        model.groups.renumber(number, first.size());
        for (std::vector<double>& column : model.holds) {
            for (std::size_t g = 0; g < first.size(); ++g) column[g] = column[first[g]];
            column.resize(first.size());
        }
        weigh(model);
    }

    std::int32_t sign_of(const ScoreCondition& condition) const {
        const std::int32_t first = term(condition.first).sign;
        return condition.second < 0 || first ? first : term(condition.second).sign;
    }

    void fit(Model& model) const {
        std::vector<std::int32_t> signs;
        for (const ScoreCondition& condition : model.conditions) {
            signs.push_back(sign_of(condition));
        }
        model.loss = 0.0;
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            model.loss += fit_logistic(model.holds, model.own[k], model.weight, signs,
                                       options_.ridge, model.coefficient[k]);
            checkpoint(model.groups.count() * (model.holds.size() + 1));
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

    struct Extension {
        const Model* model;
        ScoreCondition condition;
    };

    void expand(const std::vector<Model>& level, std::vector<std::vector<Model>>& levels) const {
        std::vector<Extension> extensions;
        for (const Model& model : level) {
            const std::size_t room = levels.size() - 1 - model.tests;
            for (const Candidate& candidate : best_candidates(model, options_.expansions, room)) {
                extensions.push_back({&model, candidate.condition});
            }
        }
        for (Model& larger : fitted_models(extensions)) {
            levels[larger.tests].push_back(std::move(larger));
        }
    }

    std::vector<Model> fitted_models(const std::vector<Extension>& extensions) const {
        std::vector<std::optional<Model>> found(extensions.size());
        for_each(found.size(), [&](std::size_t i) {
            Model& larger = found[i].emplace(*extensions[i].model);
            add(larger, extensions[i].condition);
            fit(larger);
        });
        std::vector<Model> models;
        for (std::optional<Model>& model : found) models.push_back(std::move(*model));
        return models;
    }

    // Replaces conditions one by one by better ones, until none is found.
    void improve(Model& model) const {
        for (std::size_t pass = 0; pass < options_.swap_passes; ++pass) {
            bool changed = false;
            for (std::size_t place = kept_.size(); place < model.conditions.size(); ++place) {
                changed |= swap(model, kept_.size());
            }
            if (!changed) return;
        }
    }

    // Takes out the condition at a place, and puts the best one at the end.
    bool swap(Model& model, std::size_t place) const {
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
        std::vector<Extension> extensions;
        for (const Candidate& candidate : best_candidates(rest, swap_candidates, old.tests())) {
            if (candidate.condition != old) extensions.push_back({&rest, candidate.condition});
        }
        bool changed = false;
        for (Model& other : fitted_models(extensions)) {
            if (other.loss < best.loss - smallest_change * total_) {
                best = std::move(other);
                changed = true;
            }
        }
        model = std::move(best);
        return changed;
    }

    // Moves cuts to the best value of all, for conditions of one term.
    void refine(Model& model) const {
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
            const ScoreTerm& like = term(old.first);
            const bool interval = is_interval(old);
            if (old.second >= 0 && !interval) continue;
            fit(rest);
            std::vector<Candidate> found;
            const auto column = static_cast<std::size_t>(like.column);
            const std::vector<ColumnSums> sums = sums_of_column(derivatives_of(rest), column);
            if (interval) {
                best_interval(rest, sums, column, true, found);
            } else {
                best_like(rest, sums, like, found);
            }
            if (found.empty() || found.front().condition == old) continue;
            Model moved = rest;
            add(moved, found.front().condition);
            fit(moved);
            if (moved.loss < model.loss - options_.min_refinement) model = std::move(moved);
        }
    }

    bool is_interval(const ScoreCondition& condition) const {
        return condition.second >= 0 &&
               term(condition.first).column == term(condition.second).column;
    }

    // Slope and curvature of the loss in the score of each row, and the sum of the latter.
    struct Derivatives {
        std::vector<Sums> rows;
        double curvature = 0.0;
    };

    // The conditions of the largest gains by one step of Newton's method, one for each column or
    // pair of columns.
    std::vector<Candidate> best_candidates(const Model& model, std::size_t count,
                                           std::size_t max_tests) const {
        std::vector<Candidate> found;
        if (max_tests < 1) return found;
        const std::vector<Derivatives> derivatives = derivatives_of(model);
        const std::vector<std::size_t> missing = missing_columns(model);
        if (!missing.empty()) {
            for (const std::size_t column : missing) {
                best_of_column(model, sums_of_column(derivatives, column), column, found);
            }
            return found;
        }
        std::vector<std::vector<Candidate>> single(rows_.columns), intervals(rows_.columns);
        for_each(rows_.columns, [&](std::size_t column) {
            const std::vector<ColumnSums> sums = sums_of_column(derivatives, column);
            best_of_column(model, sums, column, single[column]);
            if (options_.intervals && max_tests >= 2) {
                best_interval(model, sums, column, false, intervals[column]);
            }
        });
        std::vector<Candidate> pairs = joined(intervals);
        if (options_.pairs && max_tests >= 2) {
            const std::vector<Candidate> more = best_pairs(model, derivatives);
            pairs.insert(pairs.end(), more.begin(), more.end());
        }
        found = joined(single);
        truncate(found, count);
        truncate(pairs, count);
        found.insert(found.end(), pairs.begin(), pairs.end());
        return found;
    }

    static std::vector<Candidate> joined(const std::vector<std::vector<Candidate>>& parts) {
        std::vector<Candidate> found;
        for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
        return found;
    }

    // The best condition of each pair of columns.
    std::vector<Candidate> best_pairs(const Model& model,
                                      const std::vector<Derivatives>& derivatives) const {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t a = 0; a < paired_.size(); ++a) {
            for (std::size_t b = a + 1; b < paired_.size(); ++b) pairs.emplace_back(a, b);
        }
        std::vector<std::vector<Candidate>> found(pairs.size());
        for_each(pairs.size(), [&](std::size_t i) {
            const auto [a, b] = pairs[i];
            best_of_pair(model, derivatives, paired_[a], paired_[b], found[i]);
        });
        return joined(found);
    }

    // Columns that must be tested, and that no condition tests yet.
    std::vector<std::size_t> missing_columns(const Model& model) const {
        std::vector<std::size_t> missing;
        for (const std::int32_t column : forced_) {
            const auto tests = [&](const ScoreCondition& condition) {
                return term(condition.first).column == column ||
                       (condition.second >= 0 && term(condition.second).column == column);
            };
            if (std::ranges::none_of(model.conditions, tests)) {
                missing.push_back(static_cast<std::size_t>(column));
            }
        }
        return missing;
    }

    static void truncate(std::vector<Candidate>& found, std::size_t count) {
        std::ranges::stable_sort(found, std::ranges::greater{}, &Candidate::gain);
        if (found.size() > count) found.resize(count);
    }

    std::vector<Derivatives> derivatives_of(const Model& model) const {
        std::vector<Derivatives> found(rows_.tables);
        const auto group = model.groups.group();
        for (std::size_t k = 0; k < rows_.tables; ++k) {
            Derivatives& d = found[k];
            std::vector<double> chance =
                scores_of(model.holds, model.coefficient[k], model.groups.count());
            for (std::size_t g = 0; g < chance.size(); ++g) {
                chance[g] = sigmoid(chance[g]);
                d.curvature += model.weight[g] * chance[g] * (1 - chance[g]);
            }
            d.rows.resize(rows_.rows);
            const std::size_t blocks = (rows_.rows + block - 1) / block;
            for_each_task(blocks, blocks < few_blocks ? 1 : options_.threads, [&](std::size_t b) {
                const std::size_t end = std::min((b + 1) * block, rows_.rows);
                for (std::size_t i = b * block; i < end; ++i) {
                    const double p = chance[group[i]], weight = rows_.weight[i];
                    d.rows[i] = {weight * (p - rows_.own[k * rows_.rows + i]),
                                 weight * p * (1 - p)};
                }
            });
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

    // Sums of one table over the rows with each code, and with the codes below each.
    struct ColumnSums {
        std::array<Sums, 256> bins{};
        std::array<Sums, 257> upto{};
        double curvature = 0.0;
    };

    std::vector<ColumnSums> sums_of_column(const std::vector<Derivatives>& derivatives,
                                           std::size_t column) const {
        std::vector<ColumnSums> found(derivatives.size());
        const std::uint8_t* codes = rows_.codes.data() + column * rows_.rows;
        for (std::size_t k = 0; k < derivatives.size(); ++k) {
            auto& [bins, upto, curvature] = found[k];
            curvature = derivatives[k].curvature;
            const std::vector<Sums>& by_row = derivatives[k].rows;
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                bins[codes[i]].slope += by_row[i].slope;
                bins[codes[i]].curve += by_row[i].curve;
            }
            for (std::size_t c = 0; c < 256; ++c) {
                upto[c + 1] = {upto[c].slope + bins[c].slope, upto[c].curve + bins[c].curve};
            }
        }
        checkpoint(rows_.rows * derivatives.size());
        return found;
    }

    void best_of_column(const Model& model, const std::vector<ColumnSums>& sums, std::size_t column,
                        std::vector<Candidate>& found) const {
        std::vector<std::int32_t> terms;
        for (const std::int32_t t : by_column_[column]) {
            if (!term(t).fine) terms.push_back(t);
        }
        best_of_terms(model, sums, terms, found);
    }

    // The best of the terms that differ from a term by their code only.
    void best_like(const Model& model, const std::vector<ColumnSums>& sums, const ScoreTerm& like,
                   std::vector<Candidate>& found) const {
        if (like.relation != TermRelation::at_most && like.relation != TermRelation::above) return;
        const auto column = static_cast<std::size_t>(like.column);
        best_of_terms(model, sums, terms_of(column, like.relation, true), found);
    }

    std::vector<std::int32_t> terms_of(std::size_t column, TermRelation relation, bool fine) const {
        std::vector<std::int32_t> terms;
        for (const std::int32_t t : by_column_[column]) {
            if (term(t).relation == relation && (fine || !term(t).fine)) terms.push_back(t);
        }
        return terms;
    }

    void best_of_terms(const Model& model, const std::vector<ColumnSums>& sums,
                       const std::vector<std::int32_t>& terms,
                       std::vector<Candidate>& found) const {
        Candidate best{{-1, -1}, 0.0};
        for (const std::int32_t t : terms) {
            if (!usable_[static_cast<std::size_t>(t)]) continue;
            double gain = 0.0;
            for (const ColumnSums& table : sums) {
                const Sums inside = sums_of(term(t), table.bins, table.upto);
                gain += gain_of(inside, table.curvature, term(t).sign);
            }
            improve_candidate(model, {{t, -1}, gain}, best);
        }
        if (best.gain > smallest_gain) found.push_back(best);
    }

    // The best interval of a column: above one cut, and at most a larger one.
    void best_interval(const Model& model, const std::vector<ColumnSums>& sums, std::size_t column,
                       bool fine, std::vector<Candidate>& found) const {
        Candidate best{{-1, -1}, 0.0};
        const std::vector<double>& weight = weight_upto_[column];
        const auto uppers = terms_of(column, TermRelation::at_most, fine);
        for (const std::int32_t low : terms_of(column, TermRelation::above, fine)) {
            const auto begin = static_cast<std::size_t>(term(low).code) + 1;
            for (const std::int32_t high : uppers) {
                const auto end = static_cast<std::size_t>(term(high).code) + 1;
                const std::int32_t one = term(low).sign, other = term(high).sign;
                if (end <= begin || one * other < 0 || !is_supported(weight[end] - weight[begin])) {
                    continue;
                }
                double gain = 0.0;
                for (const ColumnSums& table : sums) {
                    const Sums inside = difference(table.upto[end], table.upto[begin]);
                    gain += gain_of(inside, table.curvature, one ? one : other);
                }
                improve_candidate(model, {{low, high}, gain}, best);
            }
        }
        if (best.gain > smallest_gain) found.push_back(best);
    }

    static void improve_candidate(const Model& model, const Candidate& candidate, Candidate& best) {
        if (candidate.gain > best.gain &&
            std::ranges::count(model.conditions, candidate.condition) == 0) {
            best = candidate;
        }
    }

    static Sums difference(const Sums& a, const Sums& b) {
        return {a.slope - b.slope, a.curve - b.curve};
    }

    static Sums sums_of(const ScoreTerm& t, std::span<const Sums> bins,
                        std::span<const Sums> upto) {
        const auto range = [&](std::size_t begin, std::size_t end) {
            return difference(upto[end], upto[begin]);
        };
        const auto c = static_cast<std::size_t>(t.code);
        switch (t.relation) {
            case TermRelation::at_most:
                return range(1, c + 1);
            case TermRelation::above:
                return range(c + 1, 256);
            case TermRelation::is:
                return bins[c];
            case TermRelation::is_not:
                return difference(range(1, 256), bins[c]);
            case TermRelation::missing:
                return bins[0];
            case TermRelation::present:
                return range(1, 256);
        }
        return {};
    }

    void best_of_pair(const Model& model, const std::vector<Derivatives>& derivatives,
                      const PairedColumn& a, const PairedColumn& b,
                      std::vector<Candidate>& found) const {
        std::vector<double> gains(a.terms.size() * b.terms.size(), 0.0);
        std::vector<bool> supported(gains.size(), false);
        for (const Derivatives& d : derivatives) {
            std::vector<Cell> cells(a.groups * b.groups);
            for (std::size_t i = 0; i < rows_.rows; ++i) {
                Cell& cell = cells[a.codes[i] * b.groups + b.codes[i]];
                cell.sums.slope += d.rows[i].slope;
                cell.sums.curve += d.rows[i].curve;
                cell.weight += rows_.weight[i];
            }
            checkpoint(rows_.rows);
            add_pair_gains(a, b, cells, d.curvature, gains, supported);
        }
        Candidate best{{-1, -1}, 0.0};
        for (std::size_t place = 0; place < gains.size(); ++place) {
            if (!supported[place]) continue;
            const ScoreCondition condition{a.terms[place / b.terms.size()],
                                           b.terms[place % b.terms.size()]};
            improve_candidate(model, {condition, gains[place]}, best);
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
    std::span<const std::int32_t> forced_;
    ScoreOptions options_;
    double total_ = 0.0;
    std::vector<std::vector<std::int32_t>> by_column_;
    std::vector<bool> usable_;
    std::vector<std::vector<double>> weight_upto_;  // by column: weights of the codes below each
    std::vector<PairedColumn> paired_;
};

}  // namespace

std::vector<FittedScore> search_scores(const ScoreRows& rows, std::span<const ScoreTerm> terms,
                                       std::span<const ScoreCondition> kept,
                                       std::span<const std::int32_t> forced,
                                       const ScoreOptions& options) {
    return Search(rows, terms, kept, forced, options).run();
}

}  // namespace rulewright
