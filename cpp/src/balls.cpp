#include "balls.hpp"

#include <algorithm>
#include <vector>

#include "interruption.hpp"

namespace rulewright {
namespace {

class Balls : public Rays {
public:
    Balls(const Centres& centres, const PrototypeConstraint& constraint, const RayQuery& query)
        : centres_(centres), query_(query), constraint_(constraint) {}

    std::size_t count() const noexcept final { return centres_.row.size(); }
    bool open(std::size_t ray) const noexcept final { return query_.opens(centres_.row[ray]); }

    CutConstraint cut_constraint(std::size_t ray) const final {
        if (!constraint_.apart || !centres_.below[ray]) return {};
        return {.covered = -own_distance(ray), .excused = constraint_.excuses(centres_.row[ray])};
    }

protected:
    // Closer counts as greater: negating a distance is exact.
    void turn(std::size_t ray, std::span<double> out) const noexcept {
        if (!centres_.below[ray]) return;
        for (double& d : out) d = -d;
    }

    virtual double own_distance(std::size_t ray) const = 0;

    const Centres& centres_;
    const RayQuery& query_;
    const PrototypeConstraint& constraint_;
};

// The columns are copied in the order of the active rows, so that the inner loop reads consecutive
// memory.
class MeasuredBalls final : public Balls {
public:
    MeasuredBalls(std::span<const Column> columns, const BallShape& shape, const Centres& centres,
                  const PrototypeConstraint& constraint, const ActiveRows& active,
                  const RayQuery& query)
        : Balls(centres, constraint, query),
          columns_(columns),
          shape_(shape),
          copy_(columns.size() * active.size()),
          self_(shape.in_kernel_space ? active.size() : 0) {
        for (std::size_t j = 0; j < columns.size(); ++j) {
            checkpoint(active.size());
            double* const line = copy_.data() + j * active.size();
            for (std::size_t i = 0; i < active.size(); ++i) {
                line[i] = columns[j][static_cast<std::size_t>(active.row[i])];
            }
            mustered_.push_back({line, 1});
        }
        self_similarities(mustered_, shape.kernel, self_);
    }

    RayValues values(std::size_t ray, std::span<double> out) const override {
        measure(mustered_, self_, centre(ray), out);
        turn(ray, out);
        return {out.data()};
    }

private:
    std::vector<double> centre(std::size_t ray) const {
        std::vector<double> point;
        point.reserve(columns_.size());
        for (const auto& column : columns_) {
            point.push_back(column[static_cast<std::size_t>(centres_.row[ray])]);
        }
        return point;
    }

    void measure(std::span<const Column> columns, std::span<const double> self,
                 std::span<const double> point, std::span<double> out) const {
        if (shape_.in_kernel_space) {
            kernel_distances(columns, self, point, shape_.kernel, out);
        } else {
            distances(columns, point, shape_.metric, out);
        }
    }

    // Zero, unless numbers are so large that the distance is NaN.
    double own_distance(std::size_t ray) const override {
        const auto point = centre(ray);
        std::vector<Column> single;
        for (const double& x : point) single.push_back({&x, 1});
        double self = 0.0;
        double distance = 0.0;
        if (shape_.in_kernel_space) self_similarities(single, shape_.kernel, {&self, 1});
        measure(single, {&self, 1}, point, {&distance, 1});
        return distance;
    }

    std::span<const Column> columns_;
    const BallShape& shape_;
    std::vector<double> copy_;
    std::vector<Column> mustered_;
    std::vector<double> self_;
};

class GivenBalls final : public Balls {
public:
    GivenBalls(const double* given, const Centres& centres, const PrototypeConstraint& constraint,
               const ActiveRows& active, const RayQuery& query)
        : Balls(centres, constraint, query), distances_(given), active_(active) {}

    RayValues values(std::size_t ray, std::span<double> out) const noexcept override {
        const double* const line = distances_ + ray * query_.weight.size();
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = line[static_cast<std::size_t>(active_.row[i])];
        }
        turn(ray, out);
        return {out.data()};
    }

private:
    double own_distance(std::size_t ray) const noexcept override {
        const auto row = static_cast<std::size_t>(centres_.row[ray]);
        return distances_[ray * query_.weight.size() + row];
    }

    const double* distances_;
    const ActiveRows& active_;
};

}  // namespace

HeaviestRay heaviest_ball(std::span<const Column> columns, const BallShape& shape,
                          const Centres& centres, const PrototypeConstraint& constraint,
                          const RayQuery& query, std::span<std::int64_t> limits) {
    const ActiveRows active(query);
    const MeasuredBalls balls(columns, shape, centres, constraint, active, query);
    return heaviest_ray(balls, active, query, limits);
}

HeaviestRay heaviest_given_ball(const double* distances, const Centres& centres,
                                const PrototypeConstraint& constraint, const RayQuery& query,
                                std::span<std::int64_t> limits) {
    const ActiveRows active(query);
    const GivenBalls balls(distances, centres, constraint, active, query);
    return heaviest_ray(balls, active, query, limits);
}

}  // namespace rulewright
