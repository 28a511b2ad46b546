#include "sc_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "interruption.hpp"

namespace rulewright::sc {

Lattice::Lattice(const ScObjects& objects) : columns(objects.columns.size()) {
    for (std::size_t i = 0; i < objects.positive.size(); ++i) {
        const bool missing =
            std::any_of(objects.columns.begin(), objects.columns.end(),
                        [i](const Column& column) { return std::isnan(column[i]); });
        if (objects.possible[i] && !missing) {
            numbers.push_back(static_cast<std::int32_t>(i));
        } else {
            always_wrong += objects.positive[i] ? 1 : 0;
        }
    }
    words = (numbers.size() + word_bits - 1) / word_bits;
    positive.assign(words, 0);
    negative.assign(words, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        put(objects.positive[static_cast<std::size_t>(numbers[i])] ? positive : negative, i);
    }
    level.resize(numbers.size() * columns);
    for (std::size_t j = 0; j < columns; ++j) {
        axes.push_back(axis_of(objects.columns[j], objects.at_least[j] != 0, j));
    }
    positives = count(positive);
}

Axis Lattice::axis_of(const Column& column, bool at_least, std::size_t j) {
    checkpoint(size() * words);
    Axis axis;
    const auto value = [&](std::int32_t i) {
        const double v = column[static_cast<std::size_t>(numbers[static_cast<std::size_t>(i)])];
        return at_least ? -v : v;
    };
    axis.order.resize(size());
    std::iota(axis.order.begin(), axis.order.end(), 0);
    std::sort(axis.order.begin(), axis.order.end(), [&](std::int32_t a, std::int32_t b) {
        return value(a) != value(b) ? value(a) < value(b) : a < b;
    });
    axis.end.push_back(0);
    for (std::size_t place = 0; place < size(); ++place) {
        const std::int32_t i = axis.order[place];
        if (place == 0 || value(axis.order[place - 1]) != value(i)) axis.end.push_back(place);
        axis.end.back() = place + 1;
        axis.cost.push_back(has(positive, static_cast<std::size_t>(i)) ? -1 : 1);
        level[static_cast<std::size_t>(i) * columns + j] = static_cast<Level>(axis.end.size() - 1);
    }
    axis.up_to.assign(axis.end.size() * words, 0);
    for (std::size_t v = 1; v < axis.end.size(); ++v) {
        Word* line = axis.up_to.data() + v * words;
        std::copy_n(line - words, words, line);
        for (std::size_t place = axis.end[v - 1]; place < axis.end[v]; ++place) {
            const auto i = static_cast<std::size_t>(axis.order[place]);
            line[i / word_bits] |= Word{1} << (i % word_bits);
        }
    }
    return axis;
}

}  // namespace rulewright::sc
