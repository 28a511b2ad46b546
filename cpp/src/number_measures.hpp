// Measures of numbers to predict: distances from their mean or from their median.
#pragma once

#include <memory>

#include "measures.hpp"

namespace rulewright {

std::unique_ptr<Measure> variance_measure();
std::unique_ptr<Measure> absolute_measure();

}  // namespace rulewright
