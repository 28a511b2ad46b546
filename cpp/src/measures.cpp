#include "measures.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

namespace rulewright {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

double xlogx(double x) noexcept { return x > 0.0 ? x * std::log2(x) : 0.0; }

double sum_of(std::span<const double> values) noexcept {
    double total = 0.0;
    for (const double v : values) total += v;
    return total;
}

// Goes through a sorted column once. A Side has the examples moved to it one by one, and knows
// the weight on both sides and the gain.
template <class Side>
Cut scan(std::span<const std::uint32_t> entries, Side side, const Terms& terms) {
    Cut best;
    const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        side.move(entries[i]);
        if (entries[i + 1] & tied) continue;
        if (!(side.left() >= terms.least && side.right() >= terms.least)) continue;
        ++best.tried;
        const double gain = side.gain();
        if (gain > best.gain && side.allowed(terms)) {
            best.gain = gain;
            best.position = i;
        }
    }
    return best;
}

// Two classes of unit weights by Gini: I(S) - I(L) - I(R) = 2 (l1 n - nl P)^2 / (n nl nr).
class GiniOfTwo {
public:
    GiniOfTwo(const double* left, const double* right) noexcept
        : below_(left[0] + left[1]),
          positive_(left[1]),
          total_(below_ + right[0] + right[1]),
          positives_(left[1] + right[1]) {}

    void move(std::uint32_t entry) noexcept {
        below_ += 1.0;
        positive_ += static_cast<double>((entry & second) >> 30);
    }
    double left() const noexcept { return below_; }
    double right() const noexcept { return total_ - below_; }
    double gain() const noexcept {
        const double apart = positive_ * total_ - below_ * positives_;
        return 2.0 * (apart * apart) / (total_ * (below_ * (total_ - below_)));
    }
    bool allowed(const Terms& terms) const noexcept {
        return terms.allow(positive_ / below_, (positives_ - positive_) / (total_ - below_));
    }

private:
    double below_, positive_, total_, positives_;
};

// Two classes of unit weights by entropy, from a table of x log x.
class EntropyOfTwo {
public:
    EntropyOfTwo(const double* left, const double* right, std::span<const double> table) noexcept
        : table_(table),
          below_{static_cast<std::size_t>(left[0]), static_cast<std::size_t>(left[1])},
          above_{static_cast<std::size_t>(right[0]), static_cast<std::size_t>(right[1])},
          whole_(impurity(below_[0] + above_[0], below_[1] + above_[1])) {}

    void move(std::uint32_t entry) noexcept {
        const std::size_t c = (entry & second) >> 30;
        ++below_[c];
        --above_[c];
    }
    double left() const noexcept { return static_cast<double>(below_[0] + below_[1]); }
    double right() const noexcept { return static_cast<double>(above_[0] + above_[1]); }
    double gain() const noexcept {
        return whole_ - (impurity(below_[0], below_[1]) + impurity(above_[0], above_[1]));
    }
    bool allowed(const Terms& terms) const noexcept {
        return terms.allow(static_cast<double>(below_[1]) / left(),
                           static_cast<double>(above_[1]) / right());
    }

private:
    double impurity(std::size_t a, std::size_t b) const noexcept {
        return table_[a + b] - (table_[a] + table_[b]);
    }

    std::span<const double> table_;
    std::size_t below_[2], above_[2];
    double whole_;
};

struct GiniLaw {
    static double impurity(std::span<const double> counts) noexcept {
        const double total = sum_of(counts);
        double squares = 0.0;
        for (const double c : counts) squares += c * c;
        return total > 0.0 ? total - squares / total : 0.0;
    }
};

struct EntropyLaw {
    static double impurity(std::span<const double> counts) noexcept {
        double pure = 0.0;
        for (const double c : counts) pure += xlogx(c);
        return xlogx(sum_of(counts)) - pure;
    }
};

struct ErrorLaw {
    static double impurity(std::span<const double> counts) noexcept {
        return sum_of(counts) - *std::max_element(counts.begin(), counts.end());
    }
};

// Any number of classes and any weights: impurities are computed anew at every cut.
template <class Law>
class CountsOfMany {
public:
    CountsOfMany(const Members& members, const double* left, const double* right,
                 std::size_t classes)
        : members_(members),
          below_(left, left + classes),
          above_(right, right + classes),
          left_(sum_of(below_)),
          right_(sum_of(above_)) {
        auto all = below_;
        for (std::size_t c = 0; c < classes; ++c) all[c] += above_[c];
        whole_ = Law::impurity(all);
    }

    void move(std::uint32_t entry) noexcept {
        const std::size_t i = entry & number_mask;
        const double weight = members_.weight_of(i);
        below_[members_.label[i]] += weight;
        above_[members_.label[i]] -= weight;
        left_ += weight;
        right_ -= weight;
    }
    double left() const noexcept { return left_; }
    double right() const noexcept { return right_; }
    double gain() const noexcept {
        return whole_ - (Law::impurity(below_) + Law::impurity(above_));
    }
    bool allowed(const Terms& terms) const noexcept {
        return !terms.bounded || terms.allow(below_[1] / left_, above_[1] / right_);
    }

private:
    Members members_;
    std::vector<double> below_, above_;
    double left_, right_, whole_;
};

// Many classes of unit weights: a sum over the classes, kept up to date as one of them changes.
template <class Term>
class SumsOfMany {
public:
    SumsOfMany(const Members& members, const double* left, const double* right, std::size_t classes,
               Term term)
        : members_(members), term_(term), below_(classes), above_(classes) {
        double all = 0.0, sum_all = 0.0;
        for (std::size_t c = 0; c < classes; ++c) {
            below_[c] = static_cast<std::size_t>(left[c]);
            above_[c] = static_cast<std::size_t>(right[c]);
            left_ += below_[c];
            right_ += above_[c];
            sum_left_ += term_(below_[c]);
            sum_right_ += term_(above_[c]);
            sum_all += term_(below_[c] + above_[c]);
        }
        all = term_.impurity(left_ + right_, sum_all);
        whole_ = all;
    }

    void move(std::uint32_t entry) noexcept {
        const std::size_t c = members_.label[entry & number_mask];
        sum_left_ -= term_(below_[c]);
        sum_right_ -= term_(above_[c]);
        ++below_[c];
        --above_[c];
        sum_left_ += term_(below_[c]);
        sum_right_ += term_(above_[c]);
        ++left_;
        --right_;
    }
    double left() const noexcept { return static_cast<double>(left_); }
    double right() const noexcept { return static_cast<double>(right_); }
    double gain() const noexcept {
        return whole_ - (term_.impurity(left_, sum_left_) + term_.impurity(right_, sum_right_));
    }
    bool allowed(const Terms& terms) const noexcept {
        return !terms.bounded || terms.allow(static_cast<double>(below_[1]) / left(),
                                             static_cast<double>(above_[1]) / right());
    }

private:
    Members members_;
    Term term_;
    std::vector<std::size_t> below_, above_;
    std::size_t left_ = 0, right_ = 0;
    double sum_left_ = 0.0, sum_right_ = 0.0, whole_ = 0.0;
};

struct SquareTerm {
    double operator()(std::size_t count) const noexcept {
        return static_cast<double>(count) * static_cast<double>(count);
    }
    double impurity(std::size_t total, double squares) const noexcept {
        return total ? static_cast<double>(total) - squares / static_cast<double>(total) : 0.0;
    }
};

struct LogTerm {
    std::span<const double> table;

    double operator()(std::size_t count) const noexcept { return table[count]; }
    double impurity(std::size_t total, double sum) const noexcept { return table[total] - sum; }
};

// What measures of class weights share.
class ClassMeasure : public Measure {
public:
    explicit ClassMeasure(std::size_t classes) : classes_(classes) {}

    std::size_t width() const noexcept override { return classes_; }
    void add(const Members& members, std::size_t i, double share,
             double* sums) const noexcept override {
        sums[members.label[i]] += members.weight_of(i) * share;
    }
    double weight(const double* sums) const noexcept override { return sum_of({sums, classes_}); }
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

class Gini : public ClassMeasure {
public:
    using ClassMeasure::ClassMeasure;

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const Terms& terms) const override {
        if (!members.weight.empty()) {
            return scan(entries, CountsOfMany<GiniLaw>(members, left, right, classes_), terms);
        }
        if (classes_ == 2) return scan(entries, GiniOfTwo(left, right), terms);
        return scan(entries, SumsOfMany<SquareTerm>(members, left, right, classes_, SquareTerm{}),
                    terms);
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return GiniLaw::impurity(counts);
    }
};

class Entropy : public ClassMeasure {
public:
    Entropy(std::size_t classes, std::size_t largest) : ClassMeasure(classes), table_(largest + 1) {
        for (std::size_t k = 0; k <= largest; ++k) table_[k] = xlogx(static_cast<double>(k));
    }

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const Terms& terms) const override {
        if (!members.weight.empty()) {
            return scan(entries, CountsOfMany<EntropyLaw>(members, left, right, classes_), terms);
        }
        if (classes_ == 2) return scan(entries, EntropyOfTwo(left, right, table_), terms);
        return scan(entries, SumsOfMany<LogTerm>(members, left, right, classes_, LogTerm{table_}),
                    terms);
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return EntropyLaw::impurity(counts);
    }

private:
    std::vector<double> table_;
};

class Error : public ClassMeasure {
public:
    using ClassMeasure::ClassMeasure;

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const Terms& terms) const override {
        return scan(entries, CountsOfMany<ErrorLaw>(members, left, right, classes_), terms);
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return ErrorLaw::impurity(counts);
    }
};

// A user's function of what a branch covers. All cuts of a column are scored in one call.
class Scored : public ClassMeasure {
public:
    Scored(std::size_t classes, Scoring scoring)
        : ClassMeasure(classes), scoring_(std::move(scoring)) {}

    double gain(std::span<const double> branches) const override {
        std::vector<double> all(classes_, 0.0), scores(branches.size() / classes_);
        for (std::size_t at = 0; at < branches.size(); ++at) all[at % classes_] += branches[at];
        scoring_(branches, all, scores);
        return *std::max_element(scores.begin(), scores.end());
    }

    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const Terms& terms) const override {
        std::vector<double> below(left, left + classes_), above(right, right + classes_),
            all(below);
        for (std::size_t c = 0; c < classes_; ++c) all[c] += above[c];
        std::vector<double> covered;
        std::vector<std::size_t> positions;
        const std::size_t last = entries.empty() ? 0 : entries.size() - 1;
        for (std::size_t i = 0; i < last; ++i) {
            const std::size_t member = entries[i] & number_mask;
            below[members.label[member]] += members.weight_of(member);
            above[members.label[member]] -= members.weight_of(member);
            if (entries[i + 1] & tied) continue;
            const double l = sum_of(below), r = sum_of(above);
            if (!(l >= terms.least && r >= terms.least)) continue;
            if (terms.bounded && !terms.allow(below[1] / l, above[1] / r)) continue;
            positions.push_back(i);
            covered.insert(covered.end(), below.begin(), below.end());
            covered.insert(covered.end(), above.begin(), above.end());
        }
        Cut best;
        best.tried = positions.size();
        if (positions.empty()) return best;
        std::vector<double> scores(2 * positions.size());
        scoring_(covered, all, scores);
        for (std::size_t k = 0; k < positions.size(); ++k) {
            const double score = std::max(scores[2 * k], scores[2 * k + 1]);
            if (score > best.gain) best.gain = score, best.position = positions[k];
        }
        return best;
    }

protected:
    double impurity(std::span<const double> counts) const override {
        return ErrorLaw::impurity(counts);
    }

private:
    Scoring scoring_;
};

// Numbers by their variance: sums are the weight, the sum, and the sum of squares.
class VarianceSide {
public:
    VarianceSide(const Members& members, const double* left, const double* right) noexcept
        : members_(members),
          below_(left[0]),
          sum_(left[1]),
          total_(left[0] + right[0]),
          sums_(left[1] + right[1]) {}

    void move(std::uint32_t entry) noexcept {
        const std::size_t i = entry & number_mask;
        const double weight = members_.weight_of(i);
        below_ += weight;
        sum_ += weight * members_.target[i];
    }
    double left() const noexcept { return below_; }
    double right() const noexcept { return total_ - below_; }
    double gain() const noexcept {
        const double apart = sum_ * total_ - below_ * sums_;
        return (apart * apart) / (total_ * (below_ * (total_ - below_)));
    }
    bool allowed(const Terms& terms) const noexcept {
        return terms.allow(sum_ / below_, (sums_ - sum_) / (total_ - below_));
    }

private:
    Members members_;
    double below_, sum_, total_, sums_;
};

class NumberMeasure : public Measure {
public:
    std::size_t width() const noexcept override { return 3; }
    void add(const Members& members, std::size_t i, double share,
             double* sums) const noexcept override {
        const double weight = members.weight_of(i) * share, y = members.target[i];
        sums[0] += weight;
        sums[1] += weight * y;
        sums[2] += weight * y * y;
    }
    double weight(const double* sums) const noexcept override { return sums[0]; }
    double value(const double* sums) const noexcept override { return sums[1] / sums[0]; }
    std::vector<std::vector<double>> projections() const override {
        return {{1.0, 0.0, 0.0, 0.0, 1.0, 0.0}};
    }

protected:
    static bool all_equal(const Members& members) noexcept {
        return std::all_of(members.target.begin(), members.target.end(),
                           [&](double y) { return y == members.target[0]; });
    }
};

class Variance : public NumberMeasure {
public:
    Summary summary(const Members& members, const double* sums) const override {
        // About the mean, where sums of squares would lose digits.
        const double mean = value(sums);
        double spread = 0.0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const double apart = members.target[i] - mean;
            spread += members.weight_of(i) * apart * apart;
        }
        return {spread, mean, all_equal(members)};
    }
    double gain(std::span<const double> branches) const override {
        double weight = 0.0, sum = 0.0, apart = 0.0;
        for (std::size_t at = 0; at < branches.size(); at += 3) {
            weight += branches[at];
            sum += branches[at + 1];
        }
        // What the means are apart, where differences of large sums would lose digits.
        for (std::size_t at = 0; at < branches.size(); at += 3) {
            const double off = branches[at + 1] * weight - branches[at] * sum;
            if (branches[at] > 0.0) apart += off * off / branches[at];
        }
        return apart / (weight * weight);
    }
    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double* left,
                 const double* right, const Terms& terms) const override {
        return scan(entries, VarianceSide(members, left, right), terms);
    }
};

// The weighted median of numbers that come one by one, and their distances from it.
class RunningMedian {
public:
    void add(double y, double weight) {
        if (lower_.empty() || y <= lower_.top().first) {
            lower_.emplace(y, weight);
            below_ += weight;
            sum_below_ += weight * y;
        } else {
            upper_.emplace(y, weight);
            above_ += weight;
            sum_above_ += weight * y;
        }
        // The median is the top of the lower half, which holds at least half of the weight.
        while (!upper_.empty() && below_ < above_) {
            const auto [value, w] = upper_.top();
            upper_.pop();
            lower_.emplace(value, w);
            below_ += w, above_ -= w;
            sum_below_ += w * value, sum_above_ -= w * value;
        }
        while (lower_.size() > 1 && below_ - lower_.top().second >= above_ + lower_.top().second) {
            const auto [value, w] = lower_.top();
            lower_.pop();
            upper_.emplace(value, w);
            below_ -= w, above_ += w;
            sum_below_ -= w * value, sum_above_ += w * value;
        }
    }
    double median() const { return lower_.empty() ? 0.0 : lower_.top().first; }
    double distances() const {
        const double middle = median();
        return std::max(0.0, (middle * below_ - sum_below_) + (sum_above_ - middle * above_));
    }

private:
    using Weighted = std::pair<double, double>;
    std::priority_queue<Weighted> lower_;
    std::priority_queue<Weighted, std::vector<Weighted>, std::greater<>> upper_;
    double below_ = 0.0, above_ = 0.0, sum_below_ = 0.0, sum_above_ = 0.0;
};

// Numbers by their distances from the median. Missing values take no side while a cut is sought.
class Absolute : public NumberMeasure {
public:
    Summary summary(const Members& members, const double*) const override {
        RunningMedian all;
        for (std::size_t i = 0; i < members.size(); ++i) {
            all.add(members.target[i], members.weight_of(i));
        }
        return {all.distances(), all.median(), all_equal(members)};
    }
    double gain(std::span<const double>) const override { return nothing; }
    bool sideless() const noexcept override { return true; }
    Cut best_cut(const Members& members, std::span<const std::uint32_t> entries, const double*,
                 const double*, const Terms& terms) const override {
        const std::size_t n = entries.size();
        std::vector<double> below(n), above(n + 1, 0.0), left(n), middle(n), beyond(n + 1, 0.0);
        RunningMedian lower, upper;
        double weight = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t member = entries[i] & number_mask;
            lower.add(members.target[member], members.weight_of(member));
            below[i] = lower.distances();
            middle[i] = lower.median();
            left[i] = weight += members.weight_of(member);
        }
        for (std::size_t i = n; i-- > 0;) {
            const std::size_t member = entries[i] & number_mask;
            upper.add(members.target[member], members.weight_of(member));
            above[i] = upper.distances();
            beyond[i] = upper.median();
        }
        Cut best;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            if (entries[i + 1] & tied) continue;
            if (!(left[i] >= terms.least && weight - left[i] >= terms.least)) continue;
            ++best.tried;
            const double gain = above[0] - (below[i] + above[i + 1]);
            if (gain > best.gain && terms.allow(middle[i], beyond[i + 1])) {
                best.gain = gain;
                best.position = i;
            }
        }
        return best;
    }
};

// The distinct values of a sorted column: sums up to each, and where their entries begin.
struct Groups {
    std::vector<std::size_t> begin;  // one more than there are groups
    std::vector<double> upto;        // (groups + 1) x width

    std::size_t count() const noexcept { return begin.size() - 1; }
};

Groups groups_of(const Measure& measure, const Members& members,
                 std::span<const std::uint32_t> entries) {
    const std::size_t width = measure.width();
    Groups groups;
    groups.upto.assign(width, 0.0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!(entries[i] & tied)) {
            groups.begin.push_back(i);
            const std::size_t before = groups.upto.size() - width;
            groups.upto.resize(groups.upto.size() + width);
            std::copy_n(groups.upto.begin() + static_cast<std::ptrdiff_t>(before), width,
                        groups.upto.end() - static_cast<std::ptrdiff_t>(width));
        }
        measure.add(members, entries[i] & number_mask, 1.0,
                    groups.upto.data() + groups.upto.size() - width);
    }
    groups.begin.push_back(entries.size());
    return groups;
}

// Intervals of groups as points of the plane: the gain is convex, so the best of them is a corner
// of their hull, and a corner is the heaviest interval for some weights of the two coordinates.
class IntervalHull {
public:
    static constexpr std::size_t most_questions = 400;

    IntervalHull(std::vector<double> u, std::vector<double> v)
        : u_(std::move(u)), v_(std::move(v)) {}

    struct Point {
        std::size_t first = 0, last = 0;  // groups
        double u = 0.0, v = 0.0;
    };

    template <class Visit>
    void corners(Visit&& visit) const {
        const double ways[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
        Point extreme[4];
        for (std::size_t k = 0; k < 4; ++k) visit(extreme[k] = heaviest(ways[k][0], ways[k][1]));
        std::vector<std::pair<Point, Point>> edges;
        for (std::size_t k = 0; k < 4; ++k) edges.emplace_back(extreme[k], extreme[(k + 1) % 4]);
        for (std::size_t asked = 0; !edges.empty() && asked < most_questions; ++asked) {
            const auto [from, to] = edges.back();
            edges.pop_back();
            // Outward, going round against the clock.
            const double a = to.v - from.v, b = from.u - to.u;
            if (a == 0.0 && b == 0.0) continue;
            const Point beyond = heaviest(a, b);
            const double edge = a * from.u + b * from.v, found = a * beyond.u + b * beyond.v;
            if (!(found > edge + 1e-12 * (std::abs(edge) + std::abs(found)))) continue;
            visit(beyond);
            edges.emplace_back(from, beyond);
            edges.emplace_back(beyond, to);
        }
    }

private:
    Point heaviest(double a, double b) const noexcept {
        Point best;
        double most = nothing, running = nothing, u = 0.0, v = 0.0;
        std::size_t first = 0;
        for (std::size_t g = 0; g < u_.size(); ++g) {
            const double here = a * u_[g] + b * v_[g];
            if (!(running > 0.0)) running = u = v = 0.0, first = g;
            running += here, u += u_[g], v += v_[g];
            if (running > most) most = running, best = {first, g, u, v};
        }
        return best;
    }

    std::vector<double> u_, v_;
};

}  // namespace

Between best_interval(const Measure& measure, const Members& members,
                      std::span<const std::uint32_t> entries, const double* inside,
                      const double* outside, const Terms& terms) {
    Between best;
    const std::size_t width = measure.width();
    const Groups groups = groups_of(measure, members, entries);
    if (groups.count() < 2) return best;
    const double* all = groups.upto.data() + groups.count() * width;
    std::vector<double> sides(2 * width);
    const auto try_out = [&](const IntervalHull::Point& point) {
        // All values against none is a question of presence.
        if (point.first == 0 && point.last + 1 == groups.count()) return;
        for (std::size_t k = 0; k < width; ++k) {
            const double within =
                groups.upto[(point.last + 1) * width + k] - groups.upto[point.first * width + k];
            sides[k] = inside[k] + within;
            sides[width + k] = outside[k] + (all[k] - within);
        }
        const double in = measure.weight(sides.data()), out = measure.weight(&sides[width]);
        if (!(in > 0.0 && out > 0.0 && in >= terms.least && out >= terms.least)) return;
        if (!terms.allow(measure.value(sides.data()), measure.value(&sides[width]))) return;
        const double gain = measure.gain(sides);
        const Between found = {gain, groups.begin[point.first], groups.begin[point.last + 1] - 1};
        if (gain > best.gain || (gain == best.gain && std::pair(found.first, found.last) <
                                                          std::pair(best.first, best.last))) {
            best = found;
        }
    };
    for (const auto& pair : measure.projections()) {
        std::vector<double> u(groups.count()), v(groups.count());
        for (std::size_t g = 0; g < groups.count(); ++g) {
            for (std::size_t k = 0; k < width; ++k) {
                const double own = groups.upto[(g + 1) * width + k] - groups.upto[g * width + k];
                u[g] += pair[k] * own;
                v[g] += pair[width + k] * own;
            }
        }
        IntervalHull(std::move(u), std::move(v)).corners(try_out);
    }
    return best;
}

std::unique_ptr<Measure> measure_of(Impurity impurity, std::size_t classes, std::size_t largest) {
    switch (impurity) {
        case Impurity::error:
            return std::make_unique<Error>(classes);
        case Impurity::entropy:
            return std::make_unique<Entropy>(classes, largest);
        case Impurity::gini:
            return std::make_unique<Gini>(classes);
        case Impurity::variance:
            return std::make_unique<Variance>();
        case Impurity::absolute:
            return std::make_unique<Absolute>();
    }
    return nullptr;
}

std::unique_ptr<Measure> scored_measure(std::size_t classes, Scoring scoring) {
    return std::make_unique<Scored>(classes, std::move(scoring));
}

}  // namespace rulewright
