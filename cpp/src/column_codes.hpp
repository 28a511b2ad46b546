// Numeric columns coded into cells once per tree, for nodes with too many rows to keep them sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bins.hpp"
#include "column.hpp"

namespace rulewright {

class ColumnCodes {
public:
    ColumnCodes(std::span<const Column> columns, std::size_t rows, std::size_t threads);

    // One per row, in the order of the values; `missing_code` where missing.
    std::span<const std::uint16_t> code(std::size_t column) const noexcept {
        return {code_.get() + column * rows_, rows_};
    }

    // Whether a cell may hold several values.
    bool mixed(std::size_t column, std::size_t code) const noexcept {
        return has({mixed_.data() + column * code_words, code_words}, code);
    }

    bool has_missing(std::size_t column) const noexcept { return has_missing_[column] != 0; }

private:
    std::size_t rows_;
    std::unique_ptr<std::uint16_t[]> code_;
    std::vector<std::uint64_t> mixed_;
    std::vector<std::uint8_t> has_missing_;
};

}  // namespace rulewright
