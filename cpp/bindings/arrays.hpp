// NumPy arrays as spans and columns, and the checks of kernel arguments.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "column.hpp"

namespace rulewright::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Columns = std::vector<Strided>;

// Rows are numbered with 32 bits.
inline constexpr std::size_t max_rows = std::numeric_limits<std::int32_t>::max();

inline void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

inline void need(bool condition, const char* what, std::int64_t found) {
    if (condition) return;
    throw std::invalid_argument(std::string(what) + ", got " + std::to_string(found));
}

template <class T>
std::span<T> span_of(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}

template <class T>
std::span<T> row_of(const Matrix<T>& m, std::size_t row) {
    return {m.data() + row * m.shape(1), m.shape(1)};
}

template <class T>
std::span<T> all_of(const Matrix<T>& m) {
    return {m.data(), m.size()};
}

// A NumPy array of a vector whose length only the kernel knows.
template <class T>
auto array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

inline std::vector<Column> columns_of(const Columns& arrays, std::size_t rows) {
    need(rows <= max_rows, "rows must be at most 2^31 - 1");
    std::vector<Column> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns must have the same length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

// Results do not depend on the number of threads, so a larger number is reduced.
inline std::size_t threads_of(std::int64_t threads) {
    need(threads >= 1, "threads must be 1 or more", threads);
    return static_cast<std::size_t>(std::min<std::int64_t>(threads, 1024));
}

// Checks that numbers are from `begin` to below `end`.
inline void need_within(std::span<const std::int32_t> numbers, std::int64_t begin, std::size_t end,
                        const char* what) {
    if (numbers.empty()) return;
    const Extremes found = extremes_of(numbers);
    const auto limit = static_cast<std::int64_t>(end);
    if (found.smallest >= begin && found.largest < limit) return;
    throw std::invalid_argument(
        std::string(what) + " must be from " + std::to_string(begin) + " to " +
        std::to_string(limit - 1) + ", got " +
        std::to_string(found.smallest < begin ? found.smallest : found.largest));
}

inline void need_below(std::span<const std::int32_t> numbers, std::size_t end, const char* what) {
    need_within(numbers, 0, end, what);
}

// Codes are -1 where missing.
inline void need_missing_or_below(std::span<const std::int32_t> codes, std::size_t end,
                                  const char* what) {
    need_within(codes, -1, end, what);
}

inline void need_marks(std::span<const std::uint8_t> marks) {
    need(are_marks(marks), "marks must be 0 or 1");
}

inline void need_safe_sum(std::span<const std::int64_t> weights) {
    need(have_safe_sum(weights), "the absolute weights must sum to less than 2^62");
}

inline void need_weights(std::span<const double> weights) {
    need(are_weights(weights), "weights and their sum must be finite and not negative");
}

inline void need_number(double number, const char* what) {
    if (std::isnan(number)) throw std::invalid_argument(std::string(what) + " must be a number");
}

// Tables of values are as long as the largest number, even if rows do not have these values.
inline void need_values(std::size_t values, std::size_t rows, const char* what) {
    constexpr std::size_t always = 1 << 24;
    const std::size_t max_values = std::max(rows, always);
    if (values <= max_values) return;
    throw std::invalid_argument("a column of " + std::to_string(rows) + " rows may have at most " +
                                std::to_string(max_values) + ' ' + what + ", got " +
                                std::to_string(values));
}

}  // namespace rulewright::bindings
