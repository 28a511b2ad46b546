#include "rays.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "interruption.hpp"
#include "parallel.hpp"
#include "ray_buckets.hpp"
#include "sums.hpp"

namespace rulewright {
namespace {

// Maximum number of rows that are sorted rather than put into buckets again, and of repetitions.
constexpr std::size_t few = 32;
constexpr int max_levels = 4;

// Maximum number of rays with the highest limits that are searched first, to find a good cut early.
constexpr std::size_t max_promising = 2048;

// Number of rays from which quantiles are estimated.
constexpr std::size_t sampled_rays = 32;
constexpr std::uint64_t large_prime = 2'654'435'761;

// Minimum number of values for which quantiles are worth their cost.
constexpr std::size_t min_work = 1 << 16;

constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

// The documented order.
bool ahead(const HeaviestRay& a, const HeaviestRay& b) noexcept {
    if (a.ray < 0 || b.ray < 0) return a.ray >= 0;
    if (a.total != b.total) return a.total > b.total;
    if (a.gathered != b.gathered) return a.gathered > b.gathered;
    if (a.ray != b.ray) return a.ray < b.ray;
    return a.border < b.border;
}

struct RayRow {
    double value;
    std::int64_t weight;
    std::int64_t border;  // row number, or no_row
};

// Data shared by the threads. A ray is searched by one of them.
struct RaySearch {
    const Rays& rays;
    const ActiveRows& active;
    const RayQuery& query;
    std::span<std::int64_t> limits;
    std::vector<std::uint8_t> seen;  // searched for this query
    std::mutex mutex;
    HeaviestRay best;
    std::optional<QuantileBuckets> quantiles;  // or buckets of equal width
};

Range row_range(std::span<const RayRow> rows) noexcept {
    Range range = {std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity(), 0.0};
    for (const RayRow& row : rows) {
        range.smallest = std::min(range.smallest, row.value);
        range.largest = std::max(range.largest, row.value);
        range.odd += row.value - row.value;
    }
    return range;
}

// The work of one thread, with its own buffers.
class Worker {
public:
    explicit Worker(RaySearch& search)
        : search_(search),
          active_(search.active),
          room_(active_.size()),
          code_(active_.size()),
          place_(active_.size()),
          sparse_(search.quantiles.has_value() && search.rays.sparse()) {
        for (std::size_t i = 0; i < active_.nonzero; ++i) everything_.add(active_.weight[i]);
        exchange();
    }
    ~Worker() { exchange(); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void look_at(std::size_t ray) {
        if (!concerns(ray)) return;
        checkpoint(active_.size());
        search_.seen[ray] = 1;
        if (sparse_ && best_.ray >= 0) {
            const BucketMap map(*search_.quantiles);
            count_nonzero(ray, map);
            search_.limits[ray] = sums_.limit(map);
            if (search_.limits[ray] < best_.total || !contends(ray, map)) return;
        }
        const std::size_t nonzero = active_.nonzero;
        const BucketMap map = survey(search_.rays.values(ray, std::span(room_).first(nonzero)));
        limit_ = sums_.limit(map);
        if (best_.ray < 0 || limit_ >= best_.total) refine(ray, map);
        search_.limits[ray] = limit_;
    }

    // Upper limit of the total of any cut.
    std::int64_t limit_of(std::size_t ray) {
        const BucketMap map =
            survey(search_.rays.values(ray, std::span(room_).first(active_.nonzero)));
        return sums_.limit(map);
    }

    // Values of the rows of positive weight, along the ray of the last limit.
    std::span<const double> positive_values() const noexcept { return {value_, active_.positive}; }

    void look_at_bundle(std::size_t number) {
        const RayCluster cluster = search_.rays.cluster(number);
        const auto rays = std::span(cluster.ray).first(cluster.size);
        checkpoint(rays.size());
        const auto left =
            std::count_if(rays.begin(), rays.end(), [&](std::size_t ray) { return concerns(ray); });
        if (left > 1 && best_.ray >= 0 && gain_ >= 0 && !sparse_) {
            checkpoint(active_.nonzero);
            const BucketMap map = survey(search_.rays.envelope(number));
            limit_ = sums_.limit(map);
            const bool lost = limit_ < best_.total;
            gain_ += (lost ? left : 0) - 1;
            if (lost) {
                for (const auto ray : rays) {
                    search_.limits[ray] = std::min(search_.limits[ray], limit_);
                }
                return;
            }
        }
        for (const auto ray : rays) look_at(ray);
    }

private:
    bool concerns(std::size_t ray) const noexcept {
        return (best_.ray < 0 || search_.limits[ray] >= best_.total) && !search_.seen[ray] &&
               search_.rays.open(ray);
    }

    BucketMap survey(RayValues values) {
        const std::size_t nonzero = active_.nonzero;
        value_ = values.minus == nullptr ? values.plus : room_.data();
        const Range range = values.minus == nullptr
                                ? range_of(values.plus, nonzero)
                                : subtract(values.plus, values.minus, nonzero, room_.data());
        const BucketMap map = search_.quantiles ? BucketMap(*search_.quantiles) : BucketMap(range);
        map.code(value_, nonzero, place_.data(), code_.data());
        sums_.add_up(code_.data(), active_, map.buckets());
        return map;
    }

    // Sums up the weight of each bucket from the values that are not zero.
    void count_nonzero(std::size_t ray, const BucketMap& map) {
        const RayValues values = search_.rays.values(ray, std::span(room_).first(active_.nonzero));
        const NonzeroPlaces places = search_.rays.nonzero(ray);
        sums_.clear(map.buckets());
        Sums rest = everything_;
        const auto put = [&](std::uint32_t i) {
            const std::int64_t weight = active_.weight[i];
            const std::uint8_t k = map(values[i]);
            (weight < 0 ? sums_.negative : sums_.positive)[k] += weight;
            rest = rest - Sums{weight, std::max<std::int64_t>(weight, 0)};
        };
        for (const auto i : places.plus) put(i);
        for (const auto i : places.minus) {
            if (values.plus[i] == 0.0) put(i);
        }
        const std::uint8_t zero = map(0.0);
        sums_.positive[zero] += rest.positive;
        sums_.negative[zero] += rest.total - rest.positive;
    }

    // Whether a cut of this ray could win, ties included.
    bool contends(std::size_t ray, const BucketMap& map) noexcept {
        ray_ = static_cast<std::int64_t>(ray);
        Sums above;
        for (std::size_t k = map.buckets(); k-- > 0;) {
            Sums limit = above;
            limit.add(sums_.within(k, map));
            if (can_win(limit)) return true;
            above.add(sums_.positive[k]);
            above.add(sums_.negative[k]);
        }
        return false;
    }

    bool can_win(const Sums& limit) const noexcept {
        if (best_.ray < 0) return true;
        if (limit.total != best_.total) return limit.total > best_.total;
        if (limit.positive != best_.gathered) return limit.positive > best_.gathered;
        return ray_ <= best_.ray;
    }

    // Searches the buckets that can win, and lowers the limit accordingly.
    void refine(std::size_t ray, const BucketMap& map) {
        ray_ = static_cast<std::int64_t>(ray);
        cut_constraint_ = search_.rays.cut_constraint(ray);
        const std::size_t lowest =
            std::isnan(cut_constraint_.uncovered) ? 0 : map(cut_constraint_.uncovered);
        const std::size_t highest =
            cut_constraint_.excused ? map.buckets() - 1 : map(cut_constraint_.covered);
        bool ready = false;
        limit_ = 0;
        Sums above;
        for (std::size_t k = map.buckets(); k-- > 0;) {
            Sums limit = above;
            limit.add(sums_.within(k, map));
            if (lowest <= k && k <= highest && can_win(limit)) {
                if (!ready) complete(ray, map);
                ready = true;
                gather(static_cast<std::uint8_t>(k));
                search(rows_, spare_, above, max_levels);
            } else {
                limit_ = std::max(limit_, limit.total);
            }
            above.add(sums_.positive[k]);
            above.add(sums_.negative[k]);
        }
    }

    // RayValues and buckets of the rows of weight zero too.
    void complete(std::size_t ray, const BucketMap& map) {
        const std::size_t nonzero = active_.nonzero;
        if (nonzero == active_.size()) return;
        const RayValues values = search_.rays.values(ray, room_);
        if (values.minus != nullptr) {
            for (std::size_t i = nonzero; i < active_.size(); ++i) room_[i] = values[i];
        } else {
            value_ = values.plus;
        }
        for (std::size_t i = nonzero; i < active_.size(); ++i) code_[i] = map(value_[i]);
    }

    void gather(std::uint8_t bucket) {
        std::size_t found = 0;
        for (std::size_t i = 0; i < active_.size(); ++i) {
            place_[found] = static_cast<std::uint32_t>(i);
            found += code_[i] == bucket ? 1 : 0;
        }
        rows_.clear();
        for (const auto i : std::span(place_).first(found)) {
            if (!std::isnan(value_[i])) {
                rows_.push_back({value_[i], active_.weight[i], active_.border[i]});
            }
        }
        spare_.resize(rows_.size());
    }

    // Finds the best cut at one of these rows; all others lie above or below them.
    void search(std::span<RayRow> rows, std::span<RayRow> spare, Sums above, int levels) {
        const Range range = row_range(rows);
        const BucketMap map(range);
        if (rows.size() <= few || levels == 0 || !map.tame()) {
            if (range.smallest != range.largest) {
                std::sort(rows.begin(), rows.end(),
                          [](const RayRow& a, const RayRow& b) { return a.value > b.value; });
            }
            scan(rows, above);
            return;
        }
        std::array<std::uint32_t, even_buckets + 1> start{};
        Histogram sums;
        code_again_.resize(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint8_t k = code_again_[i] = map(rows[i].value);
            auto& part = rows[i].weight < 0 ? sums.negative : sums.positive;
            part[k] += rows[i].weight;
            ++start[k + 1];
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        auto next = start;
        for (std::size_t i = 0; i < rows.size(); ++i) spare[next[code_again_[i]]++] = rows[i];
        for (std::size_t k = even_buckets; k-- > 0;) {
            const std::size_t count = start[k + 1] - start[k];
            Sums limit = above;
            limit.add(sums.positive[k]);
            if (count > 0 && can_win(limit)) {
                search(spare.subspan(start[k], count), rows.subspan(start[k], count), above,
                       levels - 1);
            } else {
                limit_ = std::max(limit_, limit.total);
            }
            above = limit;
            above.add(sums.negative[k]);
        }
    }

    // From the highest value to the lowest.
    void scan(std::span<const RayRow> rows, Sums sums) {
        limit_ = std::max(limit_, sums.total);
        for (auto row = rows.begin(); row != rows.end();) {
            const double value = row->value;
            const Sums found = sums;
            std::int64_t border = no_row;
            for (; row != rows.end() && row->value == value; ++row) {
                sums.add(row->weight);
                border = std::min(border, row->border);
            }
            limit_ = std::max(limit_, sums.total);
            if (border == no_row || !std::isfinite(value) || !cut_constraint_.allows(value))
                continue;
            const HeaviestRay candidate = {found.total, found.positive, ray_, border};
            if (ahead(candidate, best_)) best_ = candidate;
        }
    }

    // Exchanges the best cut with the other threads.
    void exchange() {
        const std::lock_guard lock(search_.mutex);
        if (ahead(best_, search_.best)) search_.best = best_;
        best_ = search_.best;
    }

    RaySearch& search_;
    const ActiveRows& active_;
    HeaviestRay best_;
    std::ptrdiff_t gain_ = 8;  // rays saved by clusters, minus their cost

    // Of the current ray.
    std::int64_t ray_ = -1;
    CutConstraint cut_constraint_;
    std::int64_t limit_ = 0;
    const double* value_ = nullptr;
    std::vector<double> room_;
    std::vector<std::uint8_t> code_;
    Histogram sums_;

    // Of one of its buckets.
    std::vector<std::uint32_t> place_;
    bool sparse_;
    Sums everything_;
    std::vector<RayRow> rows_;
    std::vector<RayRow> spare_;
    std::vector<std::uint8_t> code_again_;
};

// Takes quantiles for buckets if that lowers the limits of some rays, from everywhere.
void choose_buckets(RaySearch& search) {
    const std::size_t rays = search.rays.count();
    if (rays * search.active.nonzero < min_work) return;
    std::vector<std::size_t> sample(sampled_rays);
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = (i + 1) * large_prime % rays;
    Worker worker(search);
    QuantileBuckets quantiles;
    double even = 0.0;  // sums of many limits would overflow
    for (const auto ray : sample) {
        even += static_cast<double>(worker.limit_of(ray));
        quantiles.count(worker.positive_values());
    }
    quantiles.settle();
    search.quantiles = std::move(quantiles);
    double by_quantiles = 0.0;
    for (const auto ray : sample) by_quantiles += static_cast<double>(worker.limit_of(ray));
    if (by_quantiles >= even) search.quantiles.reset();
}

// The rays with the highest limits, or some from everywhere if none stands out.
std::vector<std::size_t> promising(std::span<const std::int64_t> limits) {
    const std::size_t some = std::min(max_promising, limits.size() / 16);
    if (some == 0) return {};
    std::vector<std::size_t> ray(limits.size());
    std::iota(ray.begin(), ray.end(), std::size_t{0});
    std::nth_element(ray.begin(), ray.begin() + static_cast<std::ptrdiff_t>(some), ray.end(),
                     [&](std::size_t a, std::size_t b) {
                         return limits[a] != limits[b] ? limits[a] > limits[b] : a < b;
                     });
    if (limits[ray[some]] == *std::max_element(limits.begin(), limits.end())) {
        for (std::size_t i = 0; i < some; ++i) ray[i] = i * (limits.size() / some);
    }
    ray.resize(some);
    return ray;
}

// Distributes searches among the threads, some at a time.
template <class Look>
void share_out(RaySearch& search, std::size_t count, Look look) {
    const std::size_t threads = std::max<std::size_t>(search.query.threads, 1);
    const std::size_t some = std::clamp<std::size_t>(count / threads / 16, 1, 256);
    for_each_task((count + some - 1) / some, search.query.threads, [&](std::size_t task) {
        Worker worker(search);
        const std::size_t end = std::min(count, (task + 1) * some);
        for (std::size_t i = task * some; i < end; ++i) look(worker, i);
    });
}

}  // namespace

ActiveRows::ActiveRows(const RayQuery& query) {
    const auto take = [&](auto wanted) {
        for (std::size_t i = 0; i < query.weight.size(); ++i) {
            const bool is_border = query.border[i] != 0;
            if (!wanted(query.weight[i], is_border)) continue;
            row.push_back(static_cast<std::int32_t>(i));
            weight.push_back(query.weight[i]);
            border.push_back(is_border ? static_cast<std::int64_t>(i) : no_row);
            has_border = has_border || is_border;
        }
        return row.size();
    };
    positive = take([](std::int64_t w, bool) { return w > 0; });
    nonzero = take([](std::int64_t w, bool) { return w < 0; });
    take([](std::int64_t w, bool is_border) { return w == 0 && is_border; });
}

HeaviestRay heaviest_ray(const Rays& rays, const ActiveRows& active, const RayQuery& query,
                         std::span<std::int64_t> limits) {
    if (!active.has_border) return {};
    RaySearch search{rays, active, query, limits, std::vector<std::uint8_t>(limits.size()),
                     {},   {},     {}};
    choose_buckets(search);
    const auto first = promising(limits);
    share_out(search, first.size(), [&](Worker& w, std::size_t i) { w.look_at(first[i]); });
    share_out(search, rays.clusters(), [](Worker& w, std::size_t i) { w.look_at_bundle(i); });
    return search.best;
}

}  // namespace rulewright
