// The confidence of pessimistic error estimates.
#pragma once

#include <cmath>

#include "arrays.hpp"
#include "pruning.hpp"

namespace rulewright::bindings {

inline PessimisticEstimate pessimistic_estimate_of(double confidence, double deviations) {
    need(confidence > 0.0 && confidence <= 0.5, "confidence must be above 0 and at most 0.5");
    need(std::isfinite(deviations) && deviations >= 0.0, "deviations must be finite and 0 or more");
    return {confidence, deviations};
}

}  // namespace rulewright::bindings
