// Columns of numbers and of categories with any stride, and the check of their codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays.hpp"
#include "routing.hpp"

namespace rulewright::bindings {

template <class T>
using StridedOf = nb::ndarray<const T, nb::ndim<1>, nb::device::cpu>;

template <class ColumnOf, class T>
std::vector<ColumnOf> strided_of(const std::vector<StridedOf<T>>& arrays, std::size_t rows) {
    std::vector<ColumnOf> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns must have the same length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

// The largest code of a column, or -1.
inline std::int64_t largest_code(const rulewright::CodeColumn& codes, std::size_t rows) {
    if (rows == 0) return -1;
    Extremes found{codes[0], codes[0]};
    if (codes.stride == 1) {
        found = extremes_of({codes.data, rows});
    } else {
        for (std::size_t row = 0; row < rows; ++row) {
            found = {std::min(found.smallest, codes[row]), std::max(found.largest, codes[row])};
        }
    }
    need(found.smallest >= -1, "codes must be -1 where missing, and 0 or more elsewhere",
         found.smallest);
    return found.largest;
}

}  // namespace rulewright::bindings
