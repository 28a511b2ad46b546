#include "generalisation.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "clones.hpp"
#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {
namespace {

constexpr double worst = std::numeric_limits<double>::infinity();

struct RightAndWrong {
    double right = 0;
    double wrong = 0;

    double total() const noexcept { return right + wrong; }
};

struct CountRows {
    RULEWRIGHT_INLINE void operator()(RightAndWrong& sum, std::uint64_t rows, std::uint64_t own,
                                      std::size_t) const noexcept {
        sum.right += std::popcount(rows & own);
        sum.wrong += std::popcount(rows & ~own);
    }
};

struct WeighRows {
    const double* weight;

    RULEWRIGHT_INLINE void operator()(RightAndWrong& sum, std::uint64_t rows, std::uint64_t own,
                                      std::size_t word) const noexcept {
        for (; rows; rows &= rows - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(rows));
            (own >> bit & 1U ? sum.right : sum.wrong) += weight[64 * word + bit];
        }
    }
};

using Lines = std::vector<const std::uint64_t*>;

constexpr std::size_t block = 64;  // words processed together, to fill the registers

// For some words: the rows that fail no condition, and those that fail one.
struct Failing {
    std::uint64_t none[block];
    std::uint64_t one[block];
};

RULEWRIGHT_CLONES void find_failing(const Lines& lines, std::size_t first, std::size_t words,
                                    Failing& failing) noexcept {
    for (std::size_t w = 0; w < words; ++w) {
        failing.none[w] = ~std::uint64_t{0};
        failing.one[w] = 0;
    }
    for (const auto* line : lines) {
        const std::uint64_t* holds = line + first;
        for (std::size_t w = 0; w < words; ++w) {
            failing.one[w] = (failing.one[w] & holds[w]) | (failing.none[w] & ~holds[w]);
            failing.none[w] &= holds[w];
        }
    }
}

double rate_of(const RightAndWrong& sum, const PessimisticEstimate& estimate) noexcept {
    const double total = sum.total();
    if (total <= 0) return worst;
    return (sum.wrong + estimate.more_errors(total, sum.wrong)) / total;
}

class RuleGeneraliser {
public:
    RuleGeneraliser(const RuleData& data, const PessimisticEstimate& estimate,
                    std::span<const std::uint64_t> everything)
        : data_(data), estimate_(estimate), everything_(everything) {}

    RightAndWrong run(std::span<const std::int32_t> conditions, std::int32_t output,
                      std::span<std::uint8_t> kept) {
        // The first condition always holds, and is never dropped.
        lines_.assign(1, everything_.data());
        places_.assign(1, 0);
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            lines_.push_back(data_.condition(conditions[i]));
            places_.push_back(i);
            kept[i] = 1;
        }
        covered_ = {};
        alone_.assign(lines_.size(), {});
        seen_.resize(data_.words);
        for (std::size_t w = 0; w < seen_.size(); ++w) seen_[w] = ~everything_[w];
        for (;;) {
            sum_up(data_.of_class(output));
            const std::size_t dropped = useless();
            if (dropped == 0) return covered_;
            kept[places_[dropped]] = 0;
            covered_.right += alone_[dropped].right;
            covered_.wrong += alone_[dropped].wrong;
            forget(lines_, dropped);
            forget(places_, dropped);
            forget(alone_, dropped);
        }
    }

private:
    template <class T>
    static void forget(std::vector<T>& some, std::size_t place) {
        some.erase(some.begin() + static_cast<std::ptrdiff_t>(place));
    }

    // Sums the rows that satisfy all conditions, and for each condition those that fail only it.
    // Rows that fail several conditions are left for later. A row that fails only one condition
    // still does so after another is dropped, so every row is summed once.
    void sum_up(const std::uint64_t* own) {
        checkpoint(data_.words * lines_.size());
        if (data_.weight.empty()) {
            sum_up(own, CountRows{});
        } else {
            sum_up(own, WeighRows{data_.weight.data()});
        }
    }

    template <class Add>
    void sum_up(const std::uint64_t* own, const Add& add) {
        Failing failing;
        for (std::size_t first = 0; first < data_.words; first += block) {
            const std::size_t words = std::min(block, data_.words - first);
            find_failing(lines_, first, words, failing);
            for (std::size_t i = 0; i < words; ++i) {
                const std::size_t w = first + i;
                const std::uint64_t fresh = (failing.none[i] | failing.one[i]) & ~seen_[w];
                if (!fresh) continue;
                seen_[w] |= fresh;
                if (const auto rows = failing.none[i] & fresh) add(covered_, rows, own[w], w);
                const std::uint64_t one = failing.one[i] & fresh;
                for (std::size_t d = 0; one && d < lines_.size(); ++d) {
                    if (const auto rows = one & ~lines_[d][w]) add(alone_[d], rows, own[w], w);
                }
            }
        }
    }

    // The condition to drop, 0 for none.
    std::size_t useless() const noexcept {
        std::size_t best = 0;
        double rate = rate_of(covered_, estimate_);
        double max_left = -1;  // weight left by the best; at first, the rule itself loses ties
        for (std::size_t d = 1; d < lines_.size(); ++d) {
            const RightAndWrong left{covered_.right + alone_[d].right,
                                     covered_.wrong + alone_[d].wrong};
            const double here = rate_of(left, estimate_);
            if (here < rate || (here == rate && left.total() > max_left)) {
                best = d;
                rate = here;
                max_left = left.total();
            }
        }
        return best;
    }

    const RuleData& data_;
    const PessimisticEstimate& estimate_;
    std::span<const std::uint64_t> everything_;
    Lines lines_;
    std::vector<std::size_t> places_;
    RightAndWrong covered_;
    std::vector<RightAndWrong> alone_;
    std::vector<std::uint64_t> seen_;  // rows already summed, and bits beyond the rows
};

}  // namespace

void drop_conditions(const RuleData& data, const Conditions& rules,
                     const PessimisticEstimate& estimate, const Generalised& found,
                     std::size_t threads) {
    std::vector<std::uint64_t> everything(data.words, 0);  // every row is of some class
    for (std::size_t i = 0; i < data.own.size(); ++i) everything[i % data.words] |= data.own[i];
    for_each_task(rules.output.size(), threads, [&](std::size_t rule) {
        RuleGeneraliser generaliser(data, estimate, everything);
        const auto begin = static_cast<std::size_t>(rules.start[rule]);
        const auto size = static_cast<std::size_t>(rules.start[rule + 1]) - begin;
        const RightAndWrong sum = generaliser.run(
            rules.number.subspan(begin, size), rules.output[rule], found.kept.subspan(begin, size));
        found.right[rule] = sum.right;
        found.wrong[rule] = sum.wrong;
    });
}

}  // namespace rulewright
