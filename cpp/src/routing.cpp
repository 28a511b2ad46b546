#include "routing.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {

namespace {

constexpr std::size_t block = 4096;  // rows per task
constexpr std::size_t abreast = 8;   // rows that are routed together: each step waits for memory

class Router {
public:
    Router(const RoutedTable& table, const Routes& routes, Parts* parts)
        : table_(table),
          routes_(routes),
          parts_(parts),
          total_(forks(routes) ? routes.classes : 0),
          best_(total_.size()),
          leaf_(total_.size()) {}

    void route(std::size_t first, std::span<std::int32_t> leaf) {
        std::array<std::int32_t, abreast> at{};
        std::size_t steps = 0;
        for (std::size_t start = 0; start < leaf.size(); start += abreast) {
            const std::size_t count = std::min(abreast, leaf.size() - start);
            at.fill(0);
            for (bool going = true; going;) {
                going = false;
                ++steps;
                for (std::size_t k = 0; k < count; ++k) {
                    if (at[k] < 0) continue;
                    at[k] = step(at[k], first + start + k);
                    going |= at[k] >= 0;
                }
            }
            if (steps >= block) checkpoint(abreast * std::exchange(steps, 0));
            for (std::size_t k = 0; k < count; ++k) {
                leaf[start + k] = is_leaf(at[k]) ? ~at[k] : vote(at[k], first + start + k);
            }
        }
    }

private:
    static bool forks(const Routes& routes) noexcept { return routes.first.size() > 1; }

    bool is_leaf(std::int32_t end) const noexcept {
        return static_cast<std::size_t>(~end) < routes_.output.size();
    }

    std::int32_t step(std::int32_t at, std::size_t row) const noexcept {
        const RouteTest& test = routes_.tests[static_cast<std::size_t>(at)];
        return test.ends[end_of(test, row)];
    }

    // Numbers are compared without branches, which would often be predicted wrongly.
    std::size_t end_of(const RouteTest& test, std::size_t row) const noexcept {
        const auto column = static_cast<std::size_t>(test.column);
        if (test.bits < 0) {
            const double x = table_.numbers[column][row];
            const bool inside = (x >= test.low) & (x <= test.high);
            return static_cast<std::size_t>(!inside) + static_cast<std::size_t>(x != x);
        }
        const auto bit = static_cast<std::size_t>(table_.codes[column][row] + 1);
        if (bit == 0) return 2;
        const std::uint64_t word = routes_.words[static_cast<std::size_t>(test.bits) + bit / 64];
        return ~(word >> (bit % 64)) & 1;
    }

    // From a fork on, in the order of branches, so that the sums do not depend on the numbering of
    // nodes.
    std::int32_t vote(std::int32_t fork, std::size_t row) {
        std::fill(total_.begin(), total_.end(), 0.0);
        std::fill(best_.begin(), best_.end(), 0.0);
        pending_.assign(1, {fork, 1.0});
        for (std::size_t parts = 1; !pending_.empty(); ++parts) {
            if (parts % block == 0) checkpoint(block);
            auto [at, weight] = pending_.back();
            pending_.pop_back();
            while (at >= 0) at = step(at, row);
            if (is_leaf(at)) {
                count(~at, weight);
                if (parts_) note(row, ~at, weight);
            } else {
                part(static_cast<std::size_t>(~at) - routes_.output.size(), weight);
            }
        }
        const auto winner = std::max_element(total_.begin(), total_.end()) - total_.begin();
        return leaf_[static_cast<std::size_t>(winner)];
    }

    void count(std::int32_t leaf, double weight) {
        const auto c = static_cast<std::size_t>(routes_.output[static_cast<std::size_t>(leaf)]);
        total_[c] += weight;
        if (weight > best_[c] || (weight == best_[c] && leaf < leaf_[c])) {
            best_[c] = weight;
            leaf_[c] = leaf;
        }
    }

    void note(std::size_t row, std::int32_t leaf, double weight) {
        parts_->row.push_back(static_cast<std::int32_t>(row));
        parts_->leaf.push_back(leaf);
        parts_->share.push_back(weight);
    }

    void part(std::size_t fork, double weight) {
        const auto begin = static_cast<std::size_t>(routes_.first[fork]);
        for (auto i = static_cast<std::size_t>(routes_.first[fork + 1]); i-- > begin;) {
            const double share = weight * routes_.share[i];
            if (share > 0) pending_.push_back({routes_.target[i], share});
        }
    }

    struct PendingPart {
        std::int32_t at;
        double weight;
    };

    RoutedTable table_;
    Routes routes_;
    Parts* parts_;  // where shares are recorded, if requested
    std::vector<double> total_;
    std::vector<double> best_;
    std::vector<std::int32_t> leaf_;
    std::vector<PendingPart> pending_;
};

std::size_t blocks_of(std::span<const std::int32_t> leaf) noexcept {
    return (leaf.size() + block - 1) / block;
}

// With `parts`, each block of rows records its own.
void route_blocks(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
                  std::size_t threads, Parts* parts) {
    for_each_task(blocks_of(leaf), threads, [&](std::size_t number) {
        const std::size_t first = number * block;
        const auto rows = leaf.subspan(first, std::min(block, leaf.size() - first));
        Router(table, routes, parts ? parts + number : nullptr).route(first, rows);
        checkpoint(block);
    });
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void route(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
           std::size_t threads) {
    route_blocks(table, routes, leaf, threads, nullptr);
}

Parts route_in_parts(const RoutedTable& table, const Routes& routes, std::span<std::int32_t> leaf,
                     std::size_t threads) {
    std::vector<Parts> found(blocks_of(leaf));
    route_blocks(table, routes, leaf, threads, found.data());
    Parts all;
    for (const Parts& parts : found) {
        append(all.row, parts.row);
        append(all.leaf, parts.leaf);
        append(all.share, parts.share);
    }
    return all;
}

}  // namespace rulewright
