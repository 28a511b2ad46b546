// Rows in groups that agree in some tests, so that what depends on the tests only is computed once
// for each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rulewright {

class RowGroups {
public:
    explicit RowGroups(std::size_t rows) : group_(rows, 0), count_(1) {}

    std::size_t count() const { return count_; }
    std::span<const std::uint32_t> group() const { return group_; }

    // Splits groups by a test of rows, whose results are 0 or 1. Returns, for each group, twice the
    // number of the group that it was in, plus the result of the test. Groups keep their order.
    template <class Test>
    std::vector<std::uint32_t> split(Test&& test) {
        std::vector<std::uint32_t> number(2 * count_, 0), origin;
        for (std::size_t i = 0; i < group_.size(); ++i) {
            group_[i] = 2 * group_[i] + static_cast<std::uint32_t>(test(i));
            number[group_[i]] = 1;
        }
        for (std::uint32_t part = 0; part < number.size(); ++part) {
            if (!number[part]) continue;
            number[part] = static_cast<std::uint32_t>(origin.size());
            origin.push_back(part);
        }
        renumber(number, origin.size());
        return origin;
    }

    // Gives groups new numbers below `count`, which several may share.
    void renumber(std::span<const std::uint32_t> number, std::size_t count) {
        for (std::uint32_t& group : group_) group = number[group];
        count_ = count;
    }

private:
    std::vector<std::uint32_t> group_;  // of each row
    std::size_t count_;
};

}  // namespace rulewright
