// NumPy's arrays as the kernels take them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "column.hpp"

namespace rulewright::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Strided = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;
using Columns = std::vector<Strided>;

inline void need(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(what);
}

template <class T>
std::span<T> span_of(const Vector<T>& v) {
    return {v.data(), v.shape(0)};
}

template <class T>
std::span<T> row_of(const Matrix<T>& m, std::size_t row) {
    return {m.data() + row * m.shape(1), m.shape(1)};
}

// An array that is as long as it turns out to be, so that it is made here and not in Python.
template <class T>
auto array_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

inline std::vector<Column> columns_of(const Columns& arrays, std::size_t rows) {
    std::vector<Column> columns;
    columns.reserve(arrays.size());
    for (const auto& a : arrays) {
        need(a.shape(0) == rows, "columns differ in length");
        columns.push_back({a.data(), static_cast<std::ptrdiff_t>(a.stride(0))});
    }
    return columns;
}

inline void need_below(std::span<const std::int32_t> numbers, std::size_t end, const char* what) {
    for (const auto i : numbers) need(i >= 0 && static_cast<std::size_t>(i) < end, what);
}

}  // namespace rulewright::bindings
