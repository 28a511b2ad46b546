// The exponential of numbers of 0 or less: the same operations in the same order as
// rules/exponential.py, so that both give the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace rulewright {

inline double exponential(double x) noexcept {
    constexpr double lowest = -746.0;
    if (x == 0) return 1.0;
    if (x < lowest) return 0.0;
    const double k = std::floor(0.5 - x * 1.44269504088896338700);
    const double high = x + k * 6.93147180369123816490e-01;
    const double low = -(k * 1.90821492927058770002e-10);
    const double r = high - low;
    const double t = r * r;
    const double c =
        r - t * (1.66666666666666019037e-01 +
                 t * (-2.77777777770155933842e-03 +
                      t * (6.61375632143793436117e-05 +
                           t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    const double y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
    // A power of 2 that is not subnormal is made of its bits, which is faster than ldexp.
    constexpr double max_fast = 1000;
    if (k > max_fast) return std::ldexp(y, -static_cast<int>(k));
    return y * std::bit_cast<double>((1023 - static_cast<std::uint64_t>(k)) << 52);
}

}  // namespace rulewright
