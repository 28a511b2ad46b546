// Measures of classes: impurities, and scores of a user's function.
#include "measures.hpp"

#include <algorithm>
#include <utility>

#include "class_sides.hpp"
#include "number_measures.hpp"
#include "scanning.hpp"

namespace rulewright {
namespace {

// Base class of measures of class weights.
class ClassMeasure : public Measure {
public:
    explicit ClassMeasure(std::size_t classes) : classes_(classes) {}

    std::size_t width() const noexcept override { return classes_; }
    void add(const Members& members, std::size_t i, double share,
             double* sums) const noexcept override {
        sums[members.label[i]] += members.weight_of(i) * share;
    }
    double weight(const double* sums) const noexcept override { return total_of({sums, classes_}); }
    double value(const double* sums) const noexcept override {
        return classes_ > 1 ? sums[1] / weight(sums) : 0.0;
    }
    Summary summary(const Members&, const double* sums) const override {
        const auto present = std::count_if(sums, sums + classes_, [](double w) { return w > 0.0; });
        return {impurity({sums, classes_}), value(sums), present < 2};
    }
    double gain(std::span<const double> branches) const override {
        std::vector<double> all(classes_, 0.0);
        double parts = 0.0;
        for (std::size_t at = 0; at < branches.size(); at += classes_) {
            parts += impurity(branches.subspan(at, classes_));
            for (std::size_t c = 0; c < classes_; ++c) all[c] += branches[at + c];
        }
        return impurity(all) - parts;
    }
    std::vector<std::vector<double>> projections() const override {
        std::vector<std::vector<double>> pairs;
        for (std::size_t c = classes_ == 2 ? 1 : 0; c < classes_; ++c) {
            std::vector<double> pair(2 * classes_, 0.0);
            for (std::size_t k = 0; k < classes_; ++k) pair[k == c ? k : classes_ + k] = 1.0;
            pairs.push_back(std::move(pair));
        }
        return pairs;
    }

protected:
    virtual double impurity(std::span<const double> counts) const = 0;

    std::size_t classes_;
};

class GiniMeasure : public ClassMeasure {
public:
    using ClassMeasure::ClassMeasure;

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const SplitConstraints& constraints) const override {
        if (!members.weight.empty()) {
            return scan(entries, CountsOfMany<GiniImpurity>(members, left, right, classes_),
                        constraints);
        }
        if (classes_ == 2) return scan(entries, GiniOfTwo(left, right), constraints);
        return scan(entries, SumsOfMany<SquareTerm>(members, left, right, classes_, SquareTerm{}),
                    constraints);
    }
    bool counts_two() const noexcept override { return classes_ == 2; }
    double gain_of_two(const double* left, const double* right) const override {
        return GiniOfTwo(left, right).gain();
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return GiniImpurity::impurity(counts);
    }
};

class EntropyMeasure : public ClassMeasure {
public:
    EntropyMeasure(std::size_t classes, std::size_t largest)
        : ClassMeasure(classes), table_(largest + 1) {
        for (std::size_t k = 0; k <= largest; ++k) table_[k] = xlogx(static_cast<double>(k));
    }

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const SplitConstraints& constraints) const override {
        if (!members.weight.empty()) {
            return scan(entries, CountsOfMany<EntropyImpurity>(members, left, right, classes_),
                        constraints);
        }
        if (classes_ == 2) return scan(entries, EntropyOfTwo(left, right, table_), constraints);
        return scan(entries, SumsOfMany<LogTerm>(members, left, right, classes_, LogTerm{table_}),
                    constraints);
    }
    bool counts_two() const noexcept override { return classes_ == 2; }
    double gain_of_two(const double* left, const double* right) const override {
        return EntropyOfTwo(left, right, table_).gain();
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return EntropyImpurity::impurity(counts);
    }

private:
    std::vector<double> table_;
};

class Error : public ClassMeasure {
public:
    using ClassMeasure::ClassMeasure;

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const SplitConstraints& constraints) const override {
        return scan(entries, CountsOfMany<ErrorImpurity>(members, left, right, classes_),
                    constraints);
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return ErrorImpurity::impurity(counts);
    }
};

// A user's function of the class weights of a branch. All cuts of a column are scored in one call.
class ScoredMeasure : public ClassMeasure {
public:
    ScoredMeasure(std::size_t classes, Scoring scoring)
        : ClassMeasure(classes), scoring_(std::move(scoring)) {}

    double rounding(double) const noexcept override { return 0.0; }
    double chance(double, double) const noexcept override { return 0.0; }
    double gain(std::span<const double> branches) const override {
        std::vector<double> all(classes_, 0.0), scores(branches.size() / classes_);
        for (std::size_t at = 0; at < branches.size(); ++at) all[at % classes_] += branches[at];
        scoring_(branches, all, scores);
        return *std::max_element(scores.begin(), scores.end());
    }

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const SplitConstraints& constraints) const override {
        const CutWeights covered = cover(members, entries, left, right, constraints);
        Cut best;
        best.tried = covered.positions.size();
        if (covered.positions.empty()) return best;
        std::vector<double> all(left, left + classes_), scores(2 * covered.positions.size());
        for (std::size_t c = 0; c < classes_; ++c) all[c] += right[c];
        scoring_(covered.rows, all, scores);
        for (std::size_t k = 0; k < covered.positions.size(); ++k) {
            const double score = std::max(scores[2 * k], scores[2 * k + 1]);
            if (score > best.gain) best.gain = score, best.position = covered.positions[k];
        }
        return best;
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return ErrorImpurity::impurity(counts);
    }

private:
    // The allowed cuts of a column, each with a row of weights below and one above.
    struct CutWeights {
        std::vector<std::size_t> positions;
        std::vector<double> rows;
    };

    CutWeights cover(const Members& members, std::span<const std::uint32_t> entries,
                     const double* left, const double* right,
                     const SplitConstraints& constraints) const {
        std::vector<double> below(left, left + classes_), above(right, right + classes_);
        CutWeights covered;
        const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
        for (std::size_t i = 0; i < last; ++i) {
            const std::size_t member = entries[i] & number_mask;
            below[members.label[member]] += members.weight_of(member);
            above[members.label[member]] -= members.weight_of(member);
            if (entries[i + 1] & tied) continue;
            const double l = total_of(below), r = total_of(above);
            if (!(l >= constraints.min_weight && r >= constraints.min_weight)) continue;
            if (constraints.bounded && !constraints.allow(below[1] / l, above[1] / r)) continue;
            covered.positions.push_back(i);
            covered.rows.insert(covered.rows.end(), below.begin(), below.end());
            covered.rows.insert(covered.rows.end(), above.begin(), above.end());
        }
        return covered;
    }

    Scoring scoring_;
};

}  // namespace

std::unique_ptr<Measure> measure_of(Impurity impurity, std::size_t classes, std::size_t largest) {
    switch (impurity) {
        case Impurity::error:
            return std::make_unique<Error>(classes);
        case Impurity::entropy:
            return std::make_unique<EntropyMeasure>(classes, largest);
        case Impurity::gini:
            return std::make_unique<GiniMeasure>(classes);
        case Impurity::variance:
            return variance_measure();
        case Impurity::absolute:
            return absolute_measure();
    }
    return nullptr;
}

std::unique_ptr<Measure> scored_measure(std::size_t classes, Scoring scoring) {
    return std::make_unique<ScoredMeasure>(classes, std::move(scoring));
}

}  // namespace rulewright
