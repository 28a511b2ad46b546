#include "answers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "clones.hpp"
#include "exponential.hpp"
#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {

namespace {

constexpr std::size_t task_rows = 16 * block_rows;
constexpr double largest = std::numeric_limits<double>::max();

// Calls `answer(evaluator, first row, mask of the rows)` for every block. `make` returns the
// function, with buffers of its own, for each task.
template <class Make>
void for_each_block(const ConditionTable& table, const Conditions& conditions, std::size_t threads,
                    Make make) {
    const std::size_t tasks = (table.rows + task_rows - 1) / task_rows;
    for_each_task(tasks, threads, [&](std::size_t task) {
        BlockEvaluator evaluator(table, conditions);
        auto answer = make();
        const std::size_t end = std::min(table.rows, (task + 1) * task_rows);
        for (std::size_t first = task * task_rows; first < end; first += block_rows) {
            answer(evaluator, first, evaluator.open(first));
            checkpoint(block_rows);
        }
    });
}

void write(const RowMask& mask, std::int32_t number, std::int32_t* answer) noexcept {
    for (std::size_t w = 0; w < block_words; ++w) {
        for (std::uint64_t word = mask[w]; word != 0; word &= word - 1) {
            answer[64 * w + static_cast<std::size_t>(std::countr_zero(word))] = number;
        }
    }
}

// Takes the rows of `held` out of `open` and answers them.
void settle(const RowMask& held, std::int32_t number, RowMask& open,
            std::int32_t* answer) noexcept {
    RowMask here;
    for (std::size_t w = 0; w < block_words; ++w) {
        here[w] = held[w] & open[w];
        open[w] &= ~held[w];
    }
    write(here, number, answer);
}

// The inner loops have a whole word of rows, so that they need no end of their own.
RULEWRIGHT_CLONES void add_weight(const RowMask& held, double weight, double* sum) {
    for (std::size_t w = 0; w < block_words; ++w) {
        for (std::size_t k = 0; k < 64; ++k) {
            const double added = sum[64 * w + k] + (((held[w] >> k) & 1) != 0 ? weight : 0.0);
            sum[64 * w + k] = std::min(std::max(added, -largest), largest);
        }
    }
}

RULEWRIGHT_CLONES void add_number(const RowMask& held, std::int64_t number, std::int64_t* total) {
    for (std::size_t w = 0; w < block_words; ++w) {
        for (std::size_t k = 0; k < 64; ++k) {
            total[64 * w + k] += -static_cast<std::int64_t>((held[w] >> k) & 1) & number;
        }
    }
}

RULEWRIGHT_CLONES void silence(const RowMask& spoke, double* sum) {
    for (std::size_t w = 0; w < block_words; ++w) {
        for (std::size_t k = 0; k < 64; ++k) {
            const double before = sum[64 * w + k];
            sum[64 * w + k] =
                ((spoke[w] >> k) & 1) != 0 ? before : -std::numeric_limits<double>::infinity();
        }
    }
}

// Replaces the best where another number is larger.
template <class Number>
RULEWRIGHT_INLINE void keep_largest(const Number* other, std::int64_t number, Number* best,
                                    std::int64_t* winner) {
    for (std::size_t k = 0; k < block_rows; ++k) {
        const bool larger = other[k] > best[k];
        winner[k] = larger ? number : winner[k];
        best[k] = larger ? other[k] : best[k];
    }
}

RULEWRIGHT_CLONES void keep_largest_sum(const double* other, std::int64_t number, double* best,
                                        std::int64_t* winner) {
    keep_largest(other, number, best, winner);
}

RULEWRIGHT_CLONES void keep_largest_total(const std::int64_t* other, std::int64_t number,
                                          std::int64_t* best, std::int64_t* winner) {
    keep_largest(other, number, best, winner);
}

RULEWRIGHT_CLONES void count_reached(const std::int64_t* total, std::int64_t low,
                                     std::int64_t* reached) {
    for (std::size_t k = 0; k < block_rows; ++k) reached[k] += total[k] >= low ? 1 : 0;
}

RULEWRIGHT_CLONES void find_equal(const std::int64_t* numbers, std::int64_t number,
                                  RowMask& found) {
    for (std::size_t w = 0; w < block_words; ++w) {
        std::uint64_t word = 0;
        for (std::size_t k = 0; k < 64; ++k) {
            word |= numbers[64 * w + k] == number ? std::uint64_t{1} << k : 0;
        }
        found[w] = word;
    }
}

// Shares of odds in place. The class that is answered has the largest: where another has more, it
// gets 1e-9 more than that. Odds are added from the first class to the last.
void make_shares(std::span<double> odds, std::size_t answered) noexcept {
    const auto most = std::max_element(odds.begin(), odds.end());
    if (static_cast<std::size_t>(most - odds.begin()) != answered) {
        odds[answered] = *most * (1 + 1e-9);
    }
    double total = 0;
    for (const double odd : odds) total += odd;
    for (double& odd : odds) odd /= total;
}

// The numbers of one block by class, and the class with the largest.
template <class Number>
struct ClassNumbers {
    explicit ClassNumbers(std::size_t classes)
        : numbers(classes * block_rows), best(block_rows), winner(block_rows) {}

    Number* of(std::size_t c) noexcept { return numbers.data() + c * block_rows; }

    Number at(std::size_t c, std::size_t row) const noexcept {
        return numbers[c * block_rows + row];
    }

    template <class Keep>
    void choose(std::size_t classes, Keep keep) {
        std::copy_n(of(0), block_rows, best.begin());
        std::fill(winner.begin(), winner.end(), 0);
        for (std::size_t c = 1; c < classes; ++c) {
            keep(of(c), static_cast<std::int64_t>(c), best.data(), winner.data());
        }
    }

    void copy_to(std::span<Number> out, std::size_t first, std::size_t rows, std::size_t classes) {
        for (std::size_t c = 0; c < classes; ++c) {
            for (std::size_t k = 0; k < rows; ++k) out[(first + k) * classes + c] = at(c, k);
        }
    }

    std::vector<Number> numbers;
    std::vector<Number> best;
    std::vector<std::int64_t> winner;
};

class VoteCounter {
public:
    VoteCounter(const Voters& voters, const VoteResults& results)
        : voters_(voters),
          results_(results),
          held_(voters.roots.size()),
          spoke_(voters.classes),
          sums_(voters.classes) {}

    void operator()(BlockEvaluator& evaluator, std::size_t first, const RowMask& rows) {
        for (std::size_t v = 0; v < held_.size(); ++v) {
            evaluator.truth(voters_.roots[v], rows, held_[v]);
        }
        count(first, evaluator.rows(), rows);
    }

    // The rows on which a voter's condition is true, for `count`.
    RowMask& held(std::size_t voter) noexcept { return held_[voter]; }

    void count(std::size_t first, std::size_t count, const RowMask& rows) {
        add();
        RowMask open{};
        for (const RowMask& spoke : spoke_) {
            for (std::size_t w = 0; w < block_words; ++w) open[w] |= spoke[w];
        }
        for (std::size_t c = 0; c < voters_.classes; ++c) silence(spoke_[c], sums_.of(c));
        sums_.choose(voters_.classes, keep_largest_sum);
        answer(results_.answer.data() + first, rows, open);
        if (!results_.votes.empty()) {
            sums_.copy_to(results_.votes, first, count, voters_.classes);
        }
        if (!results_.chance.empty()) write_chances(first, count, open);
    }

private:
    void add() {
        std::fill(spoke_.begin(), spoke_.end(), RowMask{});
        std::fill(sums_.numbers.begin(), sums_.numbers.end(), 0.0);
        for (std::size_t v = 0; v < held_.size(); ++v) {
            const auto c = static_cast<std::size_t>(voters_.output[v]);
            add_weight(held_[v], voters_.weight[v], sums_.of(c));
            for (std::size_t w = 0; w < block_words; ++w) spoke_[c][w] |= held_[v][w];
        }
    }

    void answer(std::int32_t* answer, const RowMask& rows, const RowMask& spoken) {
        RowMask silent;
        for (std::size_t w = 0; w < block_words; ++w) silent[w] = rows[w] & ~spoken[w];
        write(silent, static_cast<std::int32_t>(held_.size()), answer);
        won_.resize(voters_.classes);
        for (std::size_t c = 0; c < voters_.classes; ++c) {
            find_equal(sums_.winner.data(), static_cast<std::int64_t>(c), won_[c]);
        }
        for (const std::int32_t v : voters_.heaviest_first) {
            const auto number = static_cast<std::size_t>(v);
            settle(held_[number], v, won_[static_cast<std::size_t>(voters_.output[number])],
                   answer);
        }
    }

    void write_chances(std::size_t first, std::size_t rows, const RowMask& spoken) {
        const std::size_t classes = voters_.classes;
        for (std::size_t k = 0; k < rows; ++k) {
            const auto chance = results_.chance.subspan((first + k) * classes, classes);
            if (((spoken[k / 64] >> (k % 64)) & 1) == 0) {
                std::copy_n(results_.default_chance.begin(), classes, chance.begin());
                continue;
            }
            // A class without votes counts as 0 votes.
            for (std::size_t c = 0; c < classes; ++c) {
                const bool silent = ((spoke_[c][k / 64] >> (k % 64)) & 1) == 0;
                chance[c] = silent ? 0.0 : sums_.at(c, k);
            }
            const double most = *std::max_element(chance.begin(), chance.end());
            for (double& share : chance) share = exponential(2 * (share - most));
            make_shares(chance, static_cast<std::size_t>(sums_.winner[k]));
        }
    }

    Voters voters_;
    VoteResults results_;
    std::vector<RowMask> held_;
    std::vector<RowMask> spoke_;
    std::vector<RowMask> won_;
    ClassNumbers<double> sums_;
};

constexpr std::size_t most_patterns = 1 << 12;

// The results of a vote for every pattern of true conditions: bit v is that of voter v.
class VotePatterns {
public:
    VotePatterns(const Voters& voters, const VoteResults& wanted)
        : answer_(std::size_t{1} << voters.roots.size()),
          votes_(wanted.votes.empty() ? 0 : answer_.size() * voters.classes),
          chance_(wanted.chance.empty() ? 0 : answer_.size() * voters.classes) {
        VoteCounter counter(voters, {answer_, votes_, chance_, wanted.default_chance});
        for (std::size_t first = 0; first < answer_.size(); first += block_rows) {
            const std::size_t count = std::min(block_rows, answer_.size() - first);
            RowMask rows{};
            for (std::size_t v = 0; v < voters.roots.size(); ++v) counter.held(v) = RowMask{};
            for (std::size_t k = 0; k < count; ++k) {
                const std::uint64_t bit = std::uint64_t{1} << (k % 64);
                rows[k / 64] |= bit;
                for (std::size_t v = 0; v < voters.roots.size(); ++v) {
                    if ((((first + k) >> v) & 1) != 0) counter.held(v)[k / 64] |= bit;
                }
            }
            counter.count(first, count, rows);
        }
    }

    // Whether the patterns are so few that their results are found before those of the rows.
    static bool are_few(std::size_t voters, std::size_t rows) noexcept {
        return voters < 16 && std::size_t{1} << voters <= std::min(most_patterns, rows / 16);
    }

    void copy_to(const VoteResults& results, std::size_t row, std::size_t pattern,
                 std::size_t classes) const noexcept {
        results.answer[row] = answer_[pattern];
        if (!votes_.empty()) copy(votes_, pattern, classes, results.votes.data() + row * classes);
        if (!chance_.empty())
            copy(chance_, pattern, classes, results.chance.data() + row * classes);
    }

private:
    static void copy(const std::vector<double>& numbers, std::size_t pattern, std::size_t classes,
                     double* out) noexcept {
        for (std::size_t c = 0; c < classes; ++c) out[c] = numbers[pattern * classes + c];
    }

    std::vector<std::int32_t> answer_;
    std::vector<double> votes_;
    std::vector<double> chance_;
};

RULEWRIGHT_CLONES void add_bit(const RowMask& held, std::size_t bit, std::uint32_t* pattern) {
    for (std::size_t w = 0; w < block_words; ++w) {
        for (std::size_t k = 0; k < 64; ++k) {
            pattern[64 * w + k] |= static_cast<std::uint32_t>((held[w] >> k) & 1) << bit;
        }
    }
}

// Answers each row by the pattern of its true conditions.
class PatternVoter {
public:
    PatternVoter(const Voters& voters, const VoteResults& results, const VotePatterns& patterns)
        : voters_(voters), results_(results), patterns_(patterns) {}

    void operator()(BlockEvaluator& evaluator, std::size_t first, const RowMask& rows) {
        std::array<std::uint32_t, block_rows> pattern{};
        RowMask held;
        for (std::size_t v = 0; v < voters_.roots.size(); ++v) {
            evaluator.truth(voters_.roots[v], rows, held);
            add_bit(held, v, pattern.data());
        }
        for (std::size_t k = 0; k < evaluator.rows(); ++k) {
            patterns_.copy_to(results_, first + k, pattern[k], voters_.classes);
        }
    }

private:
    Voters voters_;
    VoteResults results_;
    const VotePatterns& patterns_;
};

class PointCounter {
public:
    PointCounter(const Points& points, const PointResults& results)
        : points_(points), results_(results), totals_(points.start.size()) {}

    void operator()(BlockEvaluator& evaluator, std::size_t first, const RowMask& rows) {
        const std::size_t classes = points_.start.size();
        add(evaluator, rows);
        if (classes == 1) {
            std::fill(totals_.winner.begin(), totals_.winner.end(), 0);
            for (const std::int32_t low : points_.lows) {
                count_reached(totals_.of(0), low, totals_.winner.data());
            }
        } else {
            totals_.choose(classes, keep_largest_total);
        }
        for (std::size_t k = 0; k < evaluator.rows(); ++k) {
            results_.answer[first + k] = static_cast<std::int32_t>(totals_.winner[k]);
        }
        if (!results_.totals.empty()) {
            totals_.copy_to(results_.totals, first, evaluator.rows(), classes);
        }
        if (!results_.chance.empty()) write_chances(first, evaluator.rows());
    }

private:
    void add(BlockEvaluator& evaluator, const RowMask& rows) {
        const std::size_t classes = points_.start.size();
        for (std::size_t c = 0; c < classes; ++c) {
            std::fill_n(totals_.of(c), block_rows, points_.start[c]);
        }
        for (std::size_t i = 0; i < points_.roots.size(); ++i) {
            RowMask held;
            evaluator.truth(points_.roots[i], rows, held);
            for (std::size_t c = 0; c < classes; ++c) {
                const std::int32_t number = points_.points[i * classes + c];
                if (number != 0) add_number(held, number, totals_.of(c));
            }
        }
    }

    void write_chances(std::size_t first, std::size_t rows) {
        const std::size_t classes = points_.start.size();
        for (std::size_t k = 0; k < rows; ++k) {
            const auto chance = results_.chance.subspan((first + k) * classes, classes);
            const auto winner = static_cast<std::size_t>(totals_.winner[k]);
            const std::int64_t most = totals_.at(winner, k);
            for (std::size_t c = 0; c < classes; ++c) {
                const auto behind = static_cast<double>(totals_.at(c, k) - most);
                chance[c] = exponential(points_.slope * behind);
            }
            make_shares(chance, winner);
        }
    }

    Points points_;
    PointResults results_;
    ClassNumbers<std::int64_t> totals_;
};

}  // namespace

void first_true(const ConditionTable& table, const Conditions& conditions,
                std::span<const std::int32_t> roots, std::span<std::int32_t> answer,
                std::size_t threads) {
    for_each_block(table, conditions, threads, [&] {
        return [&](BlockEvaluator& evaluator, std::size_t first, const RowMask& rows) {
            RowMask open = rows, held;
            for (std::size_t r = 0; r < roots.size() && any_of(open); ++r) {
                evaluator.truth(roots[r], open, held);
                settle(held, static_cast<std::int32_t>(r), open, answer.data() + first);
            }
            write(open, static_cast<std::int32_t>(roots.size()), answer.data() + first);
        };
    });
}

void find_truth(const ConditionTable& table, const Conditions& conditions,
                std::span<const std::int32_t> roots, std::span<std::uint8_t> truth,
                std::size_t threads) {
    for_each_block(table, conditions, threads, [&] {
        return [&](BlockEvaluator& evaluator, std::size_t first, const RowMask& rows) {
            RowMask held;
            for (std::size_t r = 0; r < roots.size(); ++r) {
                evaluator.truth(roots[r], rows, held);
                std::uint8_t* out = truth.data() + r * table.rows + first;
                for (std::size_t k = 0; k < evaluator.rows(); ++k) {
                    out[k] = static_cast<std::uint8_t>((held[k / 64] >> (k % 64)) & 1);
                }
            }
        };
    });
}

void count_votes(const ConditionTable& table, const Conditions& conditions, const Voters& voters,
                 const VoteResults& results, std::size_t threads) {
    if (VotePatterns::are_few(voters.roots.size(), table.rows)) {
        const VotePatterns patterns(voters, results);
        for_each_block(table, conditions, threads,
                       [&] { return PatternVoter(voters, results, patterns); });
        return;
    }
    for_each_block(table, conditions, threads, [&] { return VoteCounter(voters, results); });
}

void add_points(const ConditionTable& table, const Conditions& conditions, const Points& points,
                const PointResults& results, std::size_t threads) {
    for_each_block(table, conditions, threads, [&] { return PointCounter(points, results); });
}

}  // namespace rulewright
