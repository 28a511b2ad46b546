// Counters of cells, which keep their counts from batch to batch.
#include "cell_counts.hpp"

#include <utility>

#include "arrays.hpp"
#include "modules.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

constexpr std::size_t max_groups = std::size_t{1} << 28;

using Doubles = Vector<const double>;
using Numbers = Vector<const std::int32_t>;

rulewright::NodeCells cells_of(Numbers first, Doubles low, Doubles high, Doubles scale) {
    const auto starts = span_of(first);
    const std::size_t count = low.shape(0);
    need(high.shape(0) == count && scale.shape(0) == count,
         "the arrays must have one entry per cell");
    need(starts.size() >= 2 && starts.front() == 0 &&
             static_cast<std::size_t>(starts.back()) == count &&
             std::is_sorted(starts.begin(), starts.end()),
         "the nodes must cover all cells");
    need(std::all_of(scale.data(), scale.data() + count,
                     [](double one) { return one >= 0.0 && std::isfinite(one); }),
         "scales must be finite and not negative");
    return {starts, span_of(low), span_of(high), span_of(scale)};
}

void need_groups(std::size_t cells, std::size_t bins, std::size_t classes) {
    need(bins >= 1 && classes >= 1 && bins <= max_groups && classes <= max_groups / bins &&
             cells <= max_groups / (bins * classes),
         "cells, bins and classes must be at least 1, and their product at most 2^28");
}

rulewright::CountedRows rows_of(Doubles value, Numbers node, Numbers label, std::size_t nodes,
                                std::size_t classes) {
    need(label.shape(0) == value.shape(0), "there must be one class for each value");
    need(node.shape(0) == 0 || node.shape(0) == value.shape(0),
         "there must be one node for each value, or none");
    need_missing_or_below(span_of(node), nodes, "node");
    need_below(span_of(label), classes, "class");
    return {span_of(value), span_of(node), span_of(label)};
}

nb::tuple tuple_of(rulewright::CountedGroups&& found) {
    return nb::make_tuple(array_of(std::move(found.place)), array_of(std::move(found.low)),
                          array_of(std::move(found.high)), array_of(std::move(found.counts)));
}

// A counter, and what its rows must have.
template <class Counter>
class Checked {
public:
    Checked(Counter&& counter, std::size_t nodes, std::size_t classes)
        : counter_(std::move(counter)), nodes_(nodes), classes_(classes) {}

    void add(Doubles value, Numbers node, Numbers label) {
        unlocked([&] { counter_.add(rows_of(value, node, label, nodes_, classes_)); });
    }

    nb::tuple groups() {
        rulewright::CountedGroups found;
        unlocked([&] { found = counter_.groups(); });
        return tuple_of(std::move(found));
    }

private:
    Counter counter_;
    std::size_t nodes_, classes_;
};

using Bins = Checked<rulewright::BinCounter>;
using Values = Checked<rulewright::ValueCounter>;

template <class Counter>
void bind(nb::class_<Counter>& counter) {
    counter
        .def("add", &Counter::add, "value"_a.noconvert(), "node"_a.noconvert(),
             "label"_a.noconvert())
        .def("groups", &Counter::groups);
}

}  // namespace

void bind_cell_counts(nb::module_& m) {
    auto bins = nb::class_<Bins>(m, "BinCounter")
                    .def(
                        "__init__",
                        [](Bins* made, Numbers first, Doubles low, Doubles high, Doubles scale,
                           std::size_t count, std::size_t classes) {
                            const auto cells = cells_of(first, low, high, scale);
                            need_groups(cells.low.size(), count, classes);
                            new (made) Bins({cells, count, classes}, first.shape(0) - 1, classes);
                        },
                        "first"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
                        "scale"_a.noconvert(), "bins"_a, "classes"_a);
    bind(bins);
    auto values = nb::class_<Values>(m, "ValueCounter")
                      .def(
                          "__init__",
                          [](Values* made, Numbers first, Doubles low, Doubles high, Doubles scale,
                             std::size_t classes) {
                              const auto cells = cells_of(first, low, high, scale);
                              need_groups(cells.low.size(), 1, classes);
                              new (made) Values({cells, classes}, first.shape(0) - 1, classes);
                          },
                          "first"_a.noconvert(), "low"_a.noconvert(), "high"_a.noconvert(),
                          "scale"_a.noconvert(), "classes"_a);
    bind(values);
}

}  // namespace rulewright::bindings
