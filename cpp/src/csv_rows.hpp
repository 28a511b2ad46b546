// Columns of a CSV file of the plainest kind: no quotes, one cell per column in every line, and
// numbers written with digits, a point and an exponent. Anything else is left to another reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rulewright {

// A column of the file: numbers, codes of texts, or neither if it is not wanted.
struct CsvColumn {
    std::span<double> numbers;
    std::span<std::int32_t> codes;
};

enum class CsvResult {
    read,
    unusual,      // another reader may understand the file
    zero_padded,  // a cell of a numeric column is a code such as 007
};

class CsvRows {
public:
    // Finds the lines of a file whose first row begins at byte `start`.
    CsvRows(std::string path, std::size_t start, std::size_t threads);

    bool plain() const noexcept { return plain_; }
    std::size_t rows() const noexcept { return rows_; }

    // Fills the columns. The cells in `missing` have no value, and others are compared as they are.
    // `texts` gets the different texts of each column in the order of their first occurrence.
    CsvResult read(std::span<const CsvColumn> columns, char delimiter,
                   const std::vector<std::string>& missing,
                   std::vector<std::vector<std::string>>& texts) const;

private:
    // Bytes of the file that hold whole lines, with the number of the first.
    struct Block {
        std::size_t begin, end;
        std::size_t first, lines;
    };

    std::string path_;
    std::size_t threads_;
    std::vector<Block> blocks_;
    std::size_t rows_ = 0;
    bool plain_ = true;
};

}  // namespace rulewright
