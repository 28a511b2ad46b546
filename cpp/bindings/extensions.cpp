#include "extensions.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "modules.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

using Words = Vector<const std::uint64_t>;
using Numbers = Vector<std::int32_t>;

// An array that NumPy owns from here on.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(const std::vector<Slot>& slots, T Slot::* member) {
    auto* values = new std::vector<T>;
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    values->reserve(slots.size());
    for (const Slot& slot : slots) values->push_back(slot.*member);
    return {values->data(), {values->size()}, owner};
}

// Columns as numbers of their values, prepared once for any number of tallies.
class ExtensionTable {
public:
    ExtensionTable(Matrix<const std::int32_t> codes, Vector<const std::int32_t> values,
                   std::vector<Words> bits, std::size_t threads)
        : codes_(std::move(codes)),
          values_(std::move(values)),
          bits_(std::move(bits)),
          threads_(threads) {
        const std::size_t rows = codes_.shape(1);
        words_ = (rows + 63) / 64;
        need(values_.shape(0) == codes_.shape(0) && bits_.size() == codes_.shape(0),
             "one of each array a column");
        for (std::size_t j = 0; j < codes_.shape(0); ++j) {
            const std::int32_t count = values_.data()[j];
            need(count >= 0, "no fewer values than none");
            const auto values_here = static_cast<std::size_t>(count);
            const auto code = row_of(codes_, j);
            for (const auto c : code) need(c >= -1 && c < count, "no such value");
            const std::size_t lines = bits_[j].shape(0);
            need(lines == 0 || lines == (values_here + 1) * words_, "a line of bits a value");
            columns_.push_back({code, values_here, span_of(bits_[j])});
        }
    }

    auto tally(Words rows, Words own, Vector<const double> weight) const {
        need(rows.shape(0) == words_ && own.shape(0) == words_, "one bit a row");
        need(weight.shape(0) == 0 || weight.shape(0) == codes_.shape(1), "one weight a row");
        const std::size_t last = codes_.shape(1) % 64;
        need(!words_ || !last || rows.data()[words_ - 1] >> last == 0, "no bits beyond the rows");
        std::vector<Slot> slots;
        {
            const nb::gil_scoped_release unlocked;
            slots =
                tally_values(columns_, {span_of(rows), span_of(own), span_of(weight)}, threads_);
        }
        return std::tuple(array_of(slots, &Slot::column), array_of(slots, &Slot::code),
                          array_of(slots, &Slot::own), array_of(slots, &Slot::other));
    }

private:
    Matrix<const std::int32_t> codes_;
    Vector<const std::int32_t> values_;
    std::vector<Words> bits_;
    std::size_t threads_;
    std::size_t words_ = 0;
    std::vector<CodedColumn> columns_;
};

}  // namespace

void bind_extensions(nb::module_& m) {
    nb::class_<ExtensionTable>(m, "ExtensionTable")
        .def(nb::init<Matrix<const std::int32_t>, Vector<const std::int32_t>, std::vector<Words>,
                      std::size_t>(),
             "codes"_a.noconvert(), "values"_a.noconvert(), "bits"_a, "threads"_a)
        .def("tally", &ExtensionTable::tally, "rows"_a.noconvert(), "own"_a.noconvert(),
             "weight"_a.noconvert());
}

}  // namespace rulewright::bindings
