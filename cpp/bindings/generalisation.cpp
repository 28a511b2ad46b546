#include "generalisation.hpp"

#include "arrays.hpp"
#include "confidence.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Doubles = Vector<const double>;
using Numbers = Vector<const std::int32_t>;
using Lines = Matrix<const std::uint64_t>;

void need_in_order(std::span<const std::int32_t> start, std::size_t end) {
    need(!start.empty() && start.front() == 0 && static_cast<std::size_t>(start.back()) == end,
         "the conditions must have one entry per rule condition");
    for (std::size_t i = 1; i < start.size(); ++i) {
        need(start[i - 1] <= start[i], "the rules must be consecutive");
    }
}

void drop_conditions(Lines holds, Lines own, Doubles weight, std::size_t rows, Numbers start,
                     Numbers number, Numbers output, double confidence, double deviations,
                     Vector<std::uint8_t> kept, Vector<double> right, Vector<double> wrong,
                     std::int64_t threads) {
    need(rows <= max_rows, "rows must be at most 2^31 - 1");
    const std::size_t words = (rows + 63) / 64;
    need(holds.shape(1) == words && own.shape(1) == words, "the masks must have one bit per row");
    need(weight.shape(0) == 0 || weight.shape(0) == rows, "weight must have one number per row");
    need_weights(span_of(weight));
    need_in_order(span_of(start), number.shape(0));
    need_below(span_of(number), holds.shape(0), "condition");
    need_below(span_of(output), own.shape(0), "class");
    const std::size_t rules = output.shape(0);
    need(start.shape(0) == rules + 1 && kept.shape(0) == number.shape(0) &&
             right.shape(0) == rules && wrong.shape(0) == rules,
         "the arrays must have one entry per rule");
    const std::size_t last = rows % 64;
    for (std::size_t c = 0; last && c < own.shape(0); ++c) {
        need(row_of(own, c)[words - 1] >> last == 0, "the masks must have no bits beyond the rows");
    }
    const PessimisticEstimate estimate = pessimistic_estimate_of(confidence, deviations);
    const std::size_t shared = threads_of(threads);
    unlocked([&] {
        rulewright::drop_conditions({all_of(holds), all_of(own), span_of(weight), words},
                                    {span_of(start), span_of(number), span_of(output)}, estimate,
                                    {span_of(kept), span_of(right), span_of(wrong)}, shared);
    });
}

void pessimistic_errors(Doubles total, Doubles errors, double confidence, double deviations,
                        Vector<double> expected) {
    need(errors.shape(0) == total.shape(0) && expected.shape(0) == total.shape(0),
         "the arrays must have one entry per case");
    need(are_finite(span_of(total)) && are_finite(span_of(errors)), "cases must be finite");
    const PessimisticEstimate estimate = pessimistic_estimate_of(confidence, deviations);
    unlocked([&] {
        for (std::size_t i = 0; i < total.shape(0); ++i) {
            checkpoint(16);
            const double wrong = errors.data()[i];
            expected.data()[i] = wrong + estimate.more_errors(total.data()[i], wrong);
        }
    });
}

}  // namespace

void bind_generalisation(nb::module_& m) {
    m.def("drop_conditions", &drop_conditions, "holds"_a.noconvert(), "own"_a.noconvert(),
          "weight"_a.noconvert(), "rows"_a, "start"_a.noconvert(), "number"_a.noconvert(),
          "output"_a.noconvert(), "confidence"_a, "deviations"_a, "kept"_a.noconvert(),
          "right"_a.noconvert(), "wrong"_a.noconvert(), "threads"_a);
    m.def("pessimistic_errors", &pessimistic_errors, "total"_a.noconvert(), "errors"_a.noconvert(),
          "confidence"_a, "deviations"_a, "expected"_a.noconvert());
}

}  // namespace rulewright::bindings
