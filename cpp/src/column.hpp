// A numeric column in place: contiguous, or a stride through a matrix; never copied.
#pragma once

#include <cstddef>

namespace rulewright {

struct Column {
    const double* data;
    std::ptrdiff_t stride;  // in elements

    double operator[](std::size_t row) const noexcept {
        return data[static_cast<std::ptrdiff_t>(row) * stride];
    }
};

}  // namespace rulewright
