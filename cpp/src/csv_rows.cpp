#include "csv_rows.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <utility>

#include "interruption.hpp"
#include "parallel.hpp"
#include "text_numbers.hpp"

namespace rulewright {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 21;
// Blocks between two unions of texts, whatever the number of threads: a file that cannot be read
// has the same result with any.
constexpr std::size_t blocks_together = 16;

constexpr std::size_t word = 8;  // bytes that are looked at together

// Reads bytes [begin, end) of a file, and adds line ends: a last line may have none. Returns false
// if the bytes are not there.
bool read_bytes(const std::string& path, std::size_t begin, std::size_t end,
                std::vector<char>& buffer) {
    const std::size_t size = end - begin;
    std::ifstream file(path, std::ios::binary);
    buffer.resize(size + word);
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(buffer.data(), static_cast<std::streamsize>(size));
    std::fill(buffer.end() - word, buffer.end(), '\n');
    return file.gcount() == static_cast<std::streamsize>(size);
}

// What is in some bytes: line ends, and bytes that a plain file does not have.
struct Found {
    std::size_t lines = 0;
    std::size_t last = 0;  // after the last line end
    bool plain = true;
};

Found look_at(std::span<const char> bytes) noexcept {
    const char* const begin = bytes.data();
    const char* const end = begin + bytes.size();
    const auto find = [&](const char* from, char c) {
        return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end - from)));
    };
    Found found;
    found.plain = !find(begin, '"') && !find(begin, '\r') && !find(begin, '\0');
    for (const char* at = begin; found.plain && (at = find(at, '\n')) != nullptr;) {
        ++found.lines;
        found.last = static_cast<std::size_t>(++at - begin);
    }
    return found;
}

constexpr std::array<double, 23> powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

// The end of some digits, which are added to a number.
const char* digits(const char* at, std::uint64_t& number) noexcept {
    for (; is_digit(*at); ++at) number = 10 * number + static_cast<std::uint64_t>(*at - '0');
    return at;
}

#ifdef __cpp_lib_to_chars
bool parse_long(const char* begin, const char* end, double& value) noexcept {
    const auto [last, error] = std::from_chars(begin, end, value);
    return error == std::errc{} && last == end;
}
#else
bool parse_long(const char*, const char*, double&) noexcept { return false; }
#endif

enum class NumberForm { number, padded, other };

// Reads a number from `at`, and moves it to its end. The quotient or product of a whole number
// below 2^53 and a power of ten up to 10^22 is rounded once, so it is the nearest double (Clinger,
// How to read floating point numbers accurately, 1990).
NumberForm parse(const char*& at, char delimiter, double& value) noexcept {
    const char* const begin = at;
    const bool negative = *at == '-';
    at += negative;
    const char* const first = at;
    std::uint64_t number = 0;
    at = digits(at, number);
    const auto whole = at - first;
    if (whole == 0) return NumberForm::other;
    if (whole > 1 && *first == '0') return NumberForm::padded;
    std::ptrdiff_t decimals = 0;
    if (*at == '.') {
        const char* const point = ++at;
        at = digits(at, number);
        decimals = at - point;
        if (decimals == 0) return NumberForm::other;
    }
    const bool ends = *at == delimiter || *at == '\n';
    if (ends && whole + decimals <= 19 && number < std::uint64_t{1} << 53) {
        const double found =
            static_cast<double>(number) / powers[static_cast<std::size_t>(decimals)];
        value = negative ? -found : found;
        return NumberForm::number;
    }
    if (*at == 'e' || *at == 'E') {
        ++at;
        at += *at == '-' || *at == '+';
        const char* const exponent = at;
        std::uint64_t ignored = 0;
        at = digits(at, ignored);
        if (at == exponent) return NumberForm::other;
    }
    if (*at != delimiter && *at != '\n') return NumberForm::other;
    return parse_long(begin, at, value) ? NumberForm::number : NumberForm::other;
}

// A word whose bytes have their highest bit set at the first byte of `word` that is zero; later
// bytes may be marked too.
std::uint64_t zero_bytes(std::uint64_t bytes) noexcept {
    return (bytes - 0x0101010101010101U) & ~bytes & 0x8080808080808080U;
}

// There are eight bytes from the end of every cell.
const char* end_of_cell(const char* at, char delimiter) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    if constexpr (std::endian::native != std::endian::little) {
        while (*at != delimiter && *at != '\n') ++at;
        return at;
    }
    const std::uint64_t delimiters = ones * static_cast<unsigned char>(delimiter);
    for (;; at += word) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, at, word);
        const std::uint64_t ends = zero_bytes(bytes ^ delimiters) | zero_bytes(bytes ^ ones * '\n');
        if (ends) return at + std::countr_zero(ends) / 8;
    }
}

// The texts of a column in some lines, which point into its bytes.
struct BlockTexts {
    std::vector<char> bytes;
    std::vector<TextNumbers> numbers;  // of each column
};

// The cells that have no value.
class MissingTexts {
public:
    explicit MissingTexts(std::span<const std::string> texts) : texts_(texts) {
        for (const std::string& text : texts) longest_ = std::max(longest_, text.size());
    }

    bool contains(std::string_view text) const noexcept {
        return text.size() <= longest_ && std::ranges::find(texts_, text) != texts_.end();
    }

private:
    std::span<const std::string> texts_;
    std::size_t longest_ = 0;
};

class BlockReader {
public:
    BlockReader(std::span<const CsvColumn> columns, char delimiter, const MissingTexts& missing)
        : columns_(columns), delimiter_(delimiter), missing_(missing) {}

    CsvResult read(std::size_t first, std::size_t lines, BlockTexts& block) const {
        block.numbers.assign(columns_.size(), {});
        const char* at = block.bytes.data();
        const char* const end = at + block.bytes.size();
        for (std::size_t row = first; row < first + lines; ++row) {
            if (at >= end || *at == '\n') return CsvResult::unusual;  // an empty line
            for (std::size_t j = 0; j < columns_.size(); ++j) {
                const CsvResult result = read_cell(columns_[j], row, at, block.numbers[j]);
                if (result != CsvResult::read) return result;
                const char expected = j + 1 < columns_.size() ? delimiter_ : '\n';
                if (at >= end || *at != expected) return CsvResult::unusual;
                ++at;
            }
        }
        return CsvResult::read;
    }

private:
    CsvResult read_cell(const CsvColumn& column, std::size_t row, const char*& at,
                        TextNumbers& numbers) const {
        if (!column.numbers.empty()) return read_number(column.numbers[row], at);
        const char* const begin = at;
        at = end_of_cell(at, delimiter_);
        const std::string_view text(begin, static_cast<std::size_t>(at - begin));
        if (column.codes.empty()) {
            const auto plain = [](char c) { return static_cast<signed char>(c) >= 0; };
            return std::ranges::all_of(text, plain) ? CsvResult::read : CsvResult::unusual;
        }
        column.codes[row] = numbers.number(text, key_of_padded(text));
        return CsvResult::read;
    }

    CsvResult read_number(double& value, const char*& at) const {
        const char* const begin = at;
        const NumberForm form = parse(at, delimiter_, value);
        if (form == NumberForm::number) return CsvResult::read;
        if (form == NumberForm::padded) return CsvResult::zero_padded;
        at = end_of_cell(begin, delimiter_);
        value = std::numeric_limits<double>::quiet_NaN();
        const std::string_view text(begin, static_cast<std::size_t>(at - begin));
        return missing_.contains(text) ? CsvResult::read : CsvResult::unusual;
    }

    std::span<const CsvColumn> columns_;
    char delimiter_;
    const MissingTexts& missing_;
};

// The texts of a column in all lines, which it owns.
class ColumnTexts {
public:
    explicit ColumnTexts(const MissingTexts& missing) : missing_(missing) {}

    // Numbers of the texts of a block among all, -1 where they have no value.
    std::vector<std::int32_t> add(const TextNumbers& block) {
        std::vector<std::int32_t> numbers;
        numbers.reserve(block.size());
        for (std::size_t i = 0; i < block.size(); ++i) {
            numbers.push_back(number(block.text(i), block.key(i)));
        }
        return numbers;
    }

    std::vector<std::string> take() { return {kept_.begin(), kept_.end()}; }

private:
    std::int32_t number(std::string_view text, const TextKey& key) {
        if (missing_.contains(text)) return -1;
        const auto keep = [&](std::string_view found) -> std::string_view {
            return kept_.emplace_back(found);
        };
        return all_.number(text, key, keep);
    }

    const MissingTexts& missing_;
    std::deque<std::string> kept_;
    TextNumbers all_;
};

}  // namespace

CsvRows::CsvRows(std::string path, std::size_t start, std::size_t threads)
    : path_(std::move(path)), threads_(threads) {
    std::ifstream file(path_, std::ios::binary | std::ios::ate);
    const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
    plain_ = file.good() && start <= size;
    if (!plain_) return;
    const std::size_t count = (size - start + block_bytes - 1) / block_bytes;
    std::vector<Found> found(count);
    for_each_task(count, threads, [&](std::size_t k) {
        checkpoint(block_bytes / 16);
        thread_local std::vector<char> buffer;
        const std::size_t begin = start + k * block_bytes;
        const std::size_t end = std::min(begin + block_bytes, size);
        if (read_bytes(path_, begin, end, buffer)) {
            found[k] = look_at({buffer.data(), end - begin});
        } else {
            found[k].plain = false;
        }
    });
    std::size_t begin = start;
    for (std::size_t k = 0; k < count; ++k) {
        const bool last = k + 1 == count;
        // A line that is longer than a block is left to another reader.
        plain_ = plain_ && found[k].plain && (found[k].lines > 0 || last);
        std::size_t end = found[k].lines ? start + k * block_bytes + found[k].last : begin;
        std::size_t lines = found[k].lines;
        if (last && end < size) end = size, ++lines;
        blocks_.push_back({begin, end, rows_, lines});
        rows_ += lines;
        begin = end;
    }
}

CsvResult CsvRows::read(std::span<const CsvColumn> columns, char delimiter,
                        const std::vector<std::string>& missing,
                        std::vector<std::vector<std::string>>& texts) const {
    const MissingTexts without_value(missing);
    const BlockReader reader(columns, delimiter, without_value);
    std::vector<ColumnTexts> all(columns.size(), ColumnTexts(without_value));
    std::atomic<CsvResult> result{plain_ ? CsvResult::read : CsvResult::unusual};
    std::vector<BlockTexts> parts(std::min(blocks_together, blocks_.size()));
    for (std::size_t from = 0; from < blocks_.size() && result == CsvResult::read;
         from += blocks_together) {
        const std::size_t count = std::min(blocks_together, blocks_.size() - from);
        for_each_task(count, threads_, [&](std::size_t k) {
            const Block& block = blocks_[from + k];
            checkpoint(block.lines * columns.size());
            CsvResult found = CsvResult::unusual;
            if (read_bytes(path_, block.begin, block.end, parts[k].bytes)) {
                found = reader.read(block.first, block.lines, parts[k]);
            }
            // Of several results, the same for any order of the blocks.
            CsvResult before = result;
            while (found > CsvResult::read && (before == CsvResult::read || found < before) &&
                   !result.compare_exchange_weak(before, found)) {
            }
        });
        if (result != CsvResult::read) break;
        for_each_task(columns.size(), threads_, [&](std::size_t j) {
            if (columns[j].codes.empty()) return;
            for (std::size_t k = 0; k < count; ++k) {
                const auto numbers = all[j].add(parts[k].numbers[j]);
                const Block& block = blocks_[from + k];
                for (std::int32_t& code : columns[j].codes.subspan(block.first, block.lines)) {
                    code = numbers[static_cast<std::size_t>(code)];
                }
            }
        });
    }
    texts.clear();
    for (ColumnTexts& column : all) texts.push_back(column.take());
    return result;
}

}  // namespace rulewright
