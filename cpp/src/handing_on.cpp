#include "handing_on.hpp"

#include <cstddef>
#include <memory>
#include <numeric>

#include "interruption.hpp"
#include "parallel.hpp"

namespace rulewright {

std::int32_t heavier(const Bud& bud, const Split& split) {
    double first = 0.0, known = 0.0;
    const Members members = bud.members();
    const auto count = [&](std::size_t i, bool within) {
        known += members.weight_of(i);
        first += within ? members.weight_of(i) : 0.0;
    };
    if (split.categorical) {
        const auto code = bud.code(split.place);
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (code[i] >= 0) count(i, split.branch_of[static_cast<std::size_t>(code[i])] == 0);
        }
    } else {
        const auto entries = bud.order(split.place);
        for (std::size_t k = 0; k < entries.size(); ++k) {
            count(entries[k] & number_mask, split.first <= k && k <= split.last);
        }
    }
    return 2.0 * first > known ? 0 : 1;
}

namespace {

void assign_by_code(const Bud& bud, const Split& split, std::vector<std::uint32_t>& branch) {
    const auto code = bud.code(split.place);
    const bool by_presence = split.kind == Kind::present;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i] < 0) continue;
        const auto category = static_cast<std::size_t>(code[i]);
        branch[i] = by_presence ? 0U : static_cast<std::uint32_t>(split.branch_of[category]);
    }
}

void assign_by_order(const Bud& bud, const Split& split, std::vector<std::uint32_t>& branch) {
    const auto entries = bud.order(split.place);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        const bool within = split.kind == Kind::present || (split.first <= k && k <= split.last);
        branch[entries[k] & number_mask] = within ? 0U : 1U;
    }
}

}  // namespace

Assignment assign(const Bud& bud, const Split& split) {
    const std::size_t n = bud.size(), b = split.branches;
    const auto all = static_cast<std::uint32_t>(b);
    const auto absent = split.missing < 0 ? all : static_cast<std::uint32_t>(split.missing);
    Assignment to{std::vector<std::uint32_t>(n, absent),
                  std::vector<std::uint32_t>(n),
                  std::vector<std::uint32_t>(b, 0),
                  {}};
    if (split.categorical) {
        assign_by_code(bud, split, to.branch);
    } else {
        assign_by_order(bud, split, to.branch);
    }
    for (std::size_t i = 0; i < n; ++i) {
        if (to.branch[i] == all) {
            to.number[i] = static_cast<std::uint32_t>(to.everywhere.size());
            to.everywhere.push_back(static_cast<std::uint32_t>(i));
        } else {
            to.number[i] = to.own[to.branch[i]]++;
        }
    }
    return to;
}

namespace {

std::vector<Bud> empty_children(const Ground& ground, const Bud& bud, const Assignment& to,
                                bool weighs) {
    std::vector<Bud> children(to.own.size());
    for (std::size_t b = 0; b < children.size(); ++b) {
        const std::size_t n = to.own[b] + to.everywhere.size();
        Bud& child = children[b];
        child.depth = bud.depth + 1;
        child.lower = bud.lower;
        child.upper = bud.upper;
        child.row.resize(n);
        if (!bud.label.empty()) child.label.resize(n);
        if (!bud.target.empty()) child.target.resize(n);
        if (weighs) child.weight.assign(n, 1.0);
        child.sums = ground.nil;
    }
    return children;
}

// On each side of a cut in a column of a direction, values stay on their side of the middle.
void bound(const Ground& ground, const Bud& bud, const Split& split, std::vector<Bud>& children) {
    if (split.categorical || split.kind != Kind::cut) return;
    const int direction = ground.direction(bud.numeric[split.place]);
    if (direction == 0) return;
    const double middle = ground.value(children[0]) / 2 + ground.value(children[1]) / 2;
    Bud& smaller = children[direction > 0 ? 0 : 1];
    Bud& larger = children[direction > 0 ? 1 : 0];
    smaller.upper = middle;
    larger.lower = middle;
}

}  // namespace

std::vector<Bud> make_children(const Ground& ground, const Bud& bud, const Split& split,
                               const Assignment& to) {
    const Measure& measure = ground.measure;
    const bool weighs = !bud.weight.empty() || !to.everywhere.empty();
    std::vector<Bud> children = empty_children(ground, bud, to, weighs);
    const auto copy = [&](std::size_t i, Bud& child, std::size_t number, double share) {
        child.row[number] = bud.row[i];
        if (!bud.label.empty()) child.label[number] = bud.label[i];
        if (!bud.target.empty()) child.target[number] = bud.target[i];
        if (weighs) child.weight[number] = bud.members().weight_of(i) * share;
        measure.add(bud.members(), i, share, child.sums.data());
    };
    for (std::size_t i = 0; i < bud.size(); ++i) {
        if (to.branch[i] < children.size()) copy(i, children[to.branch[i]], to.number[i], 1.0);
    }
    std::vector<double> shares;
    for (const Bud& child : children) shares.push_back(ground.weight(child));
    const double known = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (const std::uint32_t i : to.everywhere) {
        for (std::size_t b = 0; b < children.size(); ++b) {
            copy(i, children[b], to.own[b] + to.number[i], shares[b] / known);
        }
    }
    bound(ground, bud, split, children);
    return children;
}

namespace {

constexpr std::uint32_t upper_branch = tied;  // in a packed number: the second of two branches

// What does not grow is written nowhere: its place stays where it is.
struct Destination {
    std::uint32_t* at;
    std::ptrdiff_t step;
    std::uint32_t run = 0;  // of equal values, the last that came here
};

Destination destination(Bud& child, bool grows, std::size_t place,
                        std::uint32_t* nowhere) noexcept {
    return grows ? Destination{child.entries.get() + place * child.size(), 1}
                 : Destination{nowhere, 0};
}

inline void put(Destination& to, std::uint32_t number, std::uint32_t entry,
                std::uint32_t run) noexcept {
    *to.at = number | (entry & second) | (to.run == run ? tied : 0U);
    to.at += to.step;
    to.run = run;
}

void count_present(Bud& child, bool grows, std::size_t place, const Destination& to) noexcept {
    if (!grows) return;
    const std::uint32_t* begin = child.entries.get() + place * child.size();
    child.present[place] = static_cast<std::size_t>(to.at - begin);
}

// Hands on the columns of one bud, each by itself.
class Handing {
public:
    Handing(const Bud& bud, const Assignment& to, std::vector<Bud>& children,
            const std::vector<bool>& grows)
        : bud_(bud), to_(to), children_(children), grows_(grows) {
        if (children.size() == 2 && to.everywhere.empty()) pack();
    }

    void order(std::size_t from, std::size_t place) const {
        if (packed_.empty()) {
            order_to_many(from, place);
        } else {
            order_to_two(from, place);
        }
    }

    void codes(std::size_t from, std::size_t place) const {
        const auto code = bud_.code(from);
        const auto write = [&](std::size_t b, std::size_t number, std::int32_t value) {
            if (grows_[b]) children_[b].codes[place * children_[b].size() + number] = value;
        };
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (to_.branch[i] < children_.size()) {
                write(to_.branch[i], to_.number[i], code[i]);
                continue;
            }
            for (std::size_t b = 0; b < children_.size(); ++b) {
                write(b, to_.own[b] + to_.number[i], code[i]);
            }
        }
    }

private:
    void pack() {
        packed_.resize(bud_.size());
        for (std::size_t i = 0; i < packed_.size(); ++i) {
            packed_[i] = to_.number[i] | (to_.branch[i] ? upper_branch : 0U);
        }
    }

    void order_to_two(std::size_t from, std::size_t place) const noexcept {
        std::uint32_t nowhere = 0, run = 0;
        Destination places[2] = {destination(children_[0], grows_[0], place, &nowhere),
                                 destination(children_[1], grows_[1], place, &nowhere)};
        const std::uint32_t* packed = packed_.data();
        for (const std::uint32_t entry : bud_.order(from)) {
            run += (entry & tied) == 0;
            const std::uint32_t number = packed[entry & number_mask];
            put(places[number >> 31], number & number_mask, entry, run);
        }
        for (std::size_t b = 0; b < 2; ++b)
            count_present(children_[b], grows_[b], place, places[b]);
    }

    void order_to_many(std::size_t from, std::size_t place) const {
        std::uint32_t nowhere = 0, run = 0;
        std::vector<Destination> places;
        for (std::size_t b = 0; b < children_.size(); ++b) {
            places.push_back(destination(children_[b], grows_[b], place, &nowhere));
        }
        for (const std::uint32_t entry : bud_.order(from)) {
            run += (entry & tied) == 0;
            const std::size_t i = entry & number_mask;
            if (to_.branch[i] < children_.size()) {
                put(places[to_.branch[i]], to_.number[i], entry, run);
                continue;
            }
            for (std::size_t b = 0; b < children_.size(); ++b) {
                put(places[b], to_.own[b] + to_.number[i], entry, run);
            }
        }
        for (std::size_t b = 0; b < children_.size(); ++b) {
            count_present(children_[b], grows_[b], place, places[b]);
        }
    }

    const Bud& bud_;
    const Assignment& to_;
    std::vector<Bud>& children_;
    const std::vector<bool>& grows_;
    std::vector<std::uint32_t> packed_;  // of two branches: each example's branch and number
};

// The places of columns that still vary.
struct Kept {
    std::vector<std::size_t> numeric, categorical;
};

Kept kept_by(const Bud& bud) {
    const std::size_t d = bud.numeric.size();
    Kept kept;
    for (std::size_t k = 0; k < bud.constant.size(); ++k) {
        if (bud.constant[k]) continue;
        if (k < d) {
            kept.numeric.push_back(k);
        } else {
            kept.categorical.push_back(k - d);
        }
    }
    return kept;
}

void make_room(const Bud& bud, const Kept& kept, Bud& child) {
    for (const auto k : kept.numeric) child.numeric.push_back(bud.numeric[k]);
    for (const auto k : kept.categorical) child.categorical.push_back(bud.categorical[k]);
    const std::size_t n = child.size();
    child.present.resize(kept.numeric.size());
    child.entries = std::make_unique_for_overwrite<std::uint32_t[]>(kept.numeric.size() * n);
    child.codes = std::make_unique_for_overwrite<std::int32_t[]>(kept.categorical.size() * n);
}

}  // namespace

void hand_on(const Ground& ground, const Bud& bud, const Assignment& to, std::vector<Bud>& children,
             const std::vector<bool>& grows) {
    const Kept kept = kept_by(bud);
    for (std::size_t b = 0; b < children.size(); ++b) {
        if (grows[b]) make_room(bud, kept, children[b]);
    }
    const Handing handing(bud, to, children, grows);
    const std::size_t d = kept.numeric.size(), all = d + kept.categorical.size();
    for_each_task(all, ground.threads_for(bud), [&](std::size_t t) {
        checkpoint(bud.size());
        if (t < d) {
            handing.order(kept.numeric[t], t);
        } else {
            handing.codes(kept.categorical[t - d], t - d);
        }
    });
}

}  // namespace rulewright
