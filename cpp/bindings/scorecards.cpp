#include "scorecards.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Doubles = Vector<const double>;
using Bytes = Matrix<const std::uint8_t>;
using Numbers = Vector<const std::int32_t>;
using NumberLines = Matrix<const std::int32_t>;

void need_rows(std::size_t found, std::size_t rows) {
    need(found == rows, "the arrays must have one entry per row");
}

std::vector<ScoreTerm> terms_of(const NumberLines& numbers, std::size_t columns) {
    std::vector<ScoreTerm> terms;
    for (std::size_t t = 0; t < numbers.shape(0); ++t) {
        const auto term = row_of(numbers, t);
        need(term.size() == 6, "a term has a column, a relation, a code, a sign and two marks");
        need(term[0] >= 0 && static_cast<std::size_t>(term[0]) < columns,
             "the column of a term is out of range");
        need(term[1] >= 0 && term[1] <= 5, "the relation of a term is not valid");
        need(term[2] >= 0 && term[2] <= 255, "the code of a term must be from 0 to 255");
        need(term[3] >= -1 && term[3] <= 1, "the sign of a term must be -1, 0 or 1");
        terms.push_back({term[0], static_cast<TermRelation>(term[1]), term[2], term[3],
                         term[4] != 0, term[5] != 0});
    }
    return terms;
}

auto search_scores(Bytes codes, Bytes own, Doubles weight, NumberLines terms, NumberLines kept,
                   Numbers forced, std::size_t max_tests, std::size_t beam_width,
                   std::size_t expansions, std::size_t swap_passes, double ridge, double min_weight,
                   double min_refinement, bool pairs, bool intervals, std::int64_t threads) {
    const std::size_t rows = weight.shape(0);
    need(rows <= max_rows, "rows must be at most 2^31 - 1");
    need_rows(codes.shape(1), rows);
    need_rows(own.shape(1), rows);
    need(own.shape(0) >= 1, "there must be a table of points");
    need_marks(all_of(own));
    need_weights(span_of(weight));
    need(ridge >= 0 && std::isfinite(ridge), "the ridge must be finite and not negative");
    need_number(min_weight, "the minimum weight");
    need_number(min_refinement, "the minimum decrease");
    need(beam_width >= 1, "the beam width must be 1 or more");
    need(max_tests <= 1000, "the number of tests must be at most 1000");
    const std::vector<ScoreTerm> known = terms_of(terms, codes.shape(0));
    need_below(span_of(forced), codes.shape(0), "column");
    std::vector<ScoreCondition> first;
    for (std::size_t c = 0; c < kept.shape(0); ++c) {
        const auto pair = row_of(kept, c);
        need(pair.size() == 2, "a condition has two terms");
        need(pair[0] >= 0 && static_cast<std::size_t>(pair[0]) < known.size() && pair[1] >= -1 &&
                 pair[1] < static_cast<std::int64_t>(known.size()),
             "the term of a condition is out of range");
        first.push_back({pair[0], pair[1]});
    }
    const ScoreOptions options{max_tests, beam_width,         expansions,     swap_passes,
                               ridge,     min_weight,         min_refinement, pairs,
                               intervals, threads_of(threads)};
    const std::vector<FittedScore> found = unlocked([&] {
        return rulewright::search_scores(
            {all_of(codes), all_of(own), span_of(weight), codes.shape(0), own.shape(0), rows},
            known, first, span_of(forced), options);
    });
    using Conditions = std::vector<std::tuple<std::int32_t, std::int32_t>>;
    std::vector<std::tuple<Conditions, std::vector<double>, std::vector<double>, double>> scores;
    for (const FittedScore& score : found) {
        Conditions conditions;
        for (const ScoreCondition& c : score.conditions) {
            conditions.emplace_back(c.first, c.second);
        }
        scores.emplace_back(std::move(conditions), score.intercept, score.coefficient, score.loss);
    }
    return scores;
}

PointsProblem problem_of(const Bytes& holds, const Doubles& weight, const Numbers& low,
                         const Numbers& high, double ridge) {
    need_rows(holds.shape(1), weight.shape(0));
    need(weight.shape(0) <= max_rows, "rows must be at most 2^31 - 1");
    need_marks(all_of(holds));
    need_weights(span_of(weight));
    need(ridge >= 0 && std::isfinite(ridge), "the ridge must be finite and not negative");
    need(low.shape(0) == holds.shape(0) && high.shape(0) == holds.shape(0),
         "the limits must have one entry per condition");
    for (std::size_t j = 0; j < low.shape(0); ++j) {
        need(low.data()[j] <= high.data()[j] && low.data()[j] >= -1000 && high.data()[j] <= 1000,
             "limits of points must be in order and from -1000 to 1000");
    }
    return {all_of(holds),  span_of(weight), span_of(low), span_of(high),
            holds.shape(0), weight.shape(0), ridge};
}

auto result_of(const RoundedPoints& found) {
    return std::tuple(found.points, found.slope, found.intercept, found.loss);
}

auto round_points(Bytes holds, Vector<const std::uint8_t> own, Doubles weight, Doubles coefficient,
                  Numbers low, Numbers high, double ridge) {
    const PointsProblem problem = problem_of(holds, weight, low, high, ridge);
    need_rows(own.shape(0), problem.rows);
    need_marks(span_of(own));
    need(coefficient.shape(0) == problem.conditions,
         "the coefficients must have one entry per condition");
    need(are_finite(span_of(coefficient)), "coefficients must be finite");
    return result_of(unlocked(
        [&] { return rulewright::round_points(problem, span_of(own), span_of(coefficient)); }));
}

auto round_class_points(Bytes holds, Numbers y, std::size_t classes, Doubles weight,
                        Doubles coefficient, Numbers low, Numbers high, double ridge) {
    const PointsProblem problem = problem_of(holds, weight, low, high, ridge);
    need_rows(y.shape(0), problem.rows);
    need_below(span_of(y), classes, "class");
    need(problem.conditions >= 1 && classes >= 1 && classes <= 100'000,
         "there must be a condition and a class");
    need(coefficient.shape(0) == problem.conditions * classes,
         "the coefficients must have one entry per condition and class");
    need(are_finite(span_of(coefficient)), "coefficients must be finite");
    return result_of(unlocked([&] {
        return rulewright::round_class_points(problem, span_of(y), classes, span_of(coefficient));
    }));
}

}  // namespace

void bind_scorecards(nb::module_& m) {
    m.def("search_scores", &search_scores, "codes"_a.noconvert(), "own"_a.noconvert(),
          "weight"_a.noconvert(), "terms"_a.noconvert(), "kept"_a.noconvert(),
          "forced"_a.noconvert(), "max_tests"_a, "beam_width"_a, "expansions"_a, "swap_passes"_a,
          "ridge"_a, "min_weight"_a, "min_refinement"_a, "pairs"_a, "intervals"_a, "threads"_a);
    m.def("round_points", &round_points, "holds"_a.noconvert(), "own"_a.noconvert(),
          "weight"_a.noconvert(), "coefficient"_a.noconvert(), "low"_a.noconvert(),
          "high"_a.noconvert(), "ridge"_a);
    m.def("round_class_points", &round_class_points, "holds"_a.noconvert(), "y"_a.noconvert(),
          "classes"_a, "weight"_a.noconvert(), "coefficient"_a.noconvert(), "low"_a.noconvert(),
          "high"_a.noconvert(), "ridge"_a);
}

}  // namespace rulewright::bindings
