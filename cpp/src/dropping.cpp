#include "dropping.hpp"

#include <bit>
#include <limits>
#include <vector>

#include "clones.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr double worst = std::numeric_limits<double>::infinity();

struct Sum {
    double right = 0;
    double wrong = 0;

    double total() const noexcept { return right + wrong; }
};

struct CountRows {
    RULEWRIGHT_INLINE void operator()(Sum& sum, std::uint64_t rows, std::uint64_t own,
                                      std::size_t) const noexcept {
        sum.right += std::popcount(rows & own);
        sum.wrong += std::popcount(rows & ~own);
    }
};

struct WeighRows {
    const double* weight;

    RULEWRIGHT_INLINE void operator()(Sum& sum, std::uint64_t rows, std::uint64_t own,
                                      std::size_t word) const noexcept {
        for (; rows; rows &= rows - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(rows));
            (own >> bit & 1U ? sum.right : sum.wrong) += weight[64 * word + bit];
        }
    }
};

using Lines = std::vector<const std::uint64_t*>;

// Sums what all conditions cover, and for each of them what fails on it alone. One pass: rows that
// fail on two conditions concern nobody.
template <class Add>
RULEWRIGHT_INLINE void sum_up(const Lines& lines, const std::uint64_t* own, std::size_t words,
                              const Add& add, Sum& covered, std::vector<Sum>& alone) {
    for (std::size_t w = 0; w < words; ++w) {
        std::uint64_t none = ~std::uint64_t{0};  // rows that fail on no condition so far, on one
        std::uint64_t one = 0;
        for (const auto* line : lines) {
            const std::uint64_t holds = line[w];
            one = (one & holds) | (none & ~holds);
            none &= holds;
        }
        if (none) add(covered, none, own[w], w);
        if (!one) continue;
        for (std::size_t d = 0; d < lines.size(); ++d) {
            const std::uint64_t fails = one & ~lines[d][w];
            if (fails) add(alone[d], fails, own[w], w);
        }
    }
}

RULEWRIGHT_CLONES void count(const Lines& lines, const std::uint64_t* own, std::size_t words,
                             Sum& covered, std::vector<Sum>& alone) {
    sum_up(lines, own, words, CountRows{}, covered, alone);
}

void weigh(const Lines& lines, const std::uint64_t* own, std::size_t words, const double* weight,
           Sum& covered, std::vector<Sum>& alone) {
    sum_up(lines, own, words, WeighRows{weight}, covered, alone);
}

double rate_of(const Sum& sum, const Pessimism& pessimism) noexcept {
    const double total = sum.total();
    if (total <= 0) return worst;
    return (sum.wrong + pessimism.more_errors(total, sum.wrong)) / total;
}

class Dropping {
public:
    Dropping(const Facts& facts, const Pessimism& pessimism,
             std::span<const std::uint64_t> everything)
        : facts_(facts), pessimism_(pessimism), everything_(everything) {}

    Sum run(std::span<const std::int32_t> conditions, std::int32_t output,
            std::span<std::uint8_t> kept) {
        // A condition that always holds keeps the bits beyond the rows out, and is never dropped.
        lines_.assign(1, everything_.data());
        places_.assign(1, 0);
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            lines_.push_back(facts_.condition(conditions[i]));
            places_.push_back(i);
            kept[i] = 1;
        }
        Sum covered;
        for (;;) {
            covered = sums(facts_.of_class(output));
            const std::size_t least = useless(covered);
            if (least == 0) return covered;
            kept[places_[least]] = 0;
            lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(least));
            places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(least));
        }
    }

private:
    Sum sums(const std::uint64_t* own) {
        Sum covered;
        alone_.assign(lines_.size(), {});
        if (facts_.weight.empty()) {
            count(lines_, own, facts_.words, covered, alone_);
        } else {
            weigh(lines_, own, facts_.words, facts_.weight.data(), covered, alone_);
        }
        return covered;
    }

    // The condition to drop, 0 for none.
    std::size_t useless(const Sum& covered) const noexcept {
        std::size_t best = 0;
        double rate = rate_of(covered, pessimism_);
        double most = -1;  // what the best leaves; as it is, the rule is worse than its equals
        for (std::size_t d = 1; d < lines_.size(); ++d) {
            const Sum left{covered.right + alone_[d].right, covered.wrong + alone_[d].wrong};
            const double here = rate_of(left, pessimism_);
            if (here < rate || (here == rate && left.total() > most)) {
                best = d;
                rate = here;
                most = left.total();
            }
        }
        return best;
    }

    const Facts& facts_;
    const Pessimism& pessimism_;
    std::span<const std::uint64_t> everything_;
    Lines lines_;
    std::vector<std::size_t> places_;
    std::vector<Sum> alone_;
};

}  // namespace

void drop_conditions(const Facts& facts, const Conditions& rules, const Pessimism& pessimism,
                     const Generalised& found, std::size_t threads) {
    std::vector<std::uint64_t> everything(facts.words, 0);  // every row is of some class
    for (std::size_t i = 0; i < facts.own.size(); ++i) everything[i % facts.words] |= facts.own[i];
    for_each_task(rules.output.size(), threads, [&](std::size_t rule) {
        Dropping dropping(facts, pessimism, everything);
        const auto begin = static_cast<std::size_t>(rules.start[rule]);
        const auto size = static_cast<std::size_t>(rules.start[rule + 1]) - begin;
        const Sum sum = dropping.run(rules.number.subspan(begin, size), rules.output[rule],
                                     found.kept.subspan(begin, size));
        found.right[rule] = sum.right;
        found.wrong[rule] = sum.wrong;
    });
}

}  // namespace rulewright
