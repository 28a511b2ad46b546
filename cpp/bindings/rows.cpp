// Rows of other libraries as columns, and rows as lines of text.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "arrow_rows.hpp"
#include "csv_rows.hpp"
#include "modules.hpp"
#include "row_lines.hpp"
#include "unlocked.hpp"

namespace rulewright::bindings {

namespace {

using namespace nb::literals;

template <class Structure>
struct Release {
    void operator()(Structure* owned) const noexcept {
        if (owned->release != nullptr) owned->release(owned);
        delete owned;
    }
};

template <class Structure>
using Owned = std::unique_ptr<Structure, Release<Structure>>;

template <class Structure>
Owned<Structure> make_empty() {
    return Owned<Structure>(new Structure{});
}

ArrowType type_of(const ArrowSchema& schema) {
    const std::string_view format(schema.format);
    need(schema.dictionary == nullptr && (format == "g" || format == "u" || format == "U"),
         "a column must hold doubles or text");
    if (format == "g") return ArrowType::number;
    return format == "u" ? ArrowType::text : ArrowType::long_text;
}

// A stream of rows in a capsule, which owns it.
class ArrowRows {
public:
    explicit ArrowRows(nb::capsule capsule) : capsule_(std::move(capsule)) {
        need(capsule_.name() != nullptr && std::strcmp(capsule_.name(), "arrow_array_stream") == 0,
             "rows must be a stream in a capsule");
        stream_ = static_cast<ArrowArrayStream*>(capsule_.data());
        need(stream_->release != nullptr, "the stream was read before");
        auto schema = make_empty<ArrowSchema>();
        need_success(stream_->get_schema(stream_, schema.get()));
        for (std::int64_t i = 0; i < schema->n_children; ++i) {
            types_.push_back(type_of(*schema->children[i]));
        }
    }

    // The next rows, up to `size`: for each column its numbers, or codes and texts. None at the
    // end.
    nb::object next(std::size_t size) {
        need(size >= 1, "the number of rows must be 1 or more");
        while (array_ == nullptr || row_ == length()) {
            if (!fetch()) return nb::none();
        }
        const std::size_t count = std::min(size, length() - row_);
        nb::list columns;
        for (std::size_t i = 0; i < types_.size(); ++i) columns.append(column(i, count));
        row_ += count;
        return nb::make_tuple(count, columns);
    }

private:
    std::size_t length() const noexcept { return static_cast<std::size_t>(array_->length); }

    bool fetch() {
        auto array = make_empty<ArrowArray>();
        int code = 0;
        {
            const nb::gil_scoped_release released;
            code = stream_->get_next(stream_, array.get());
        }
        need_success(code);
        if (array->release == nullptr) return false;
        need(static_cast<std::size_t>(array->n_children) == types_.size() && array->offset == 0,
             "the rows do not fit the columns of the stream");
        array_ = std::move(array);
        row_ = 0;
        return true;
    }

    void need_success(int code) {
        if (code == 0) return;
        const char* message = stream_->get_last_error(stream_);
        throw std::runtime_error(message == nullptr ? "the rows cannot be read" : message);
    }

    nb::object column(std::size_t number, std::size_t count) const {
        const ArrowArray& array = *array_->children[number];
        if (types_[number] == ArrowType::number) {
            std::vector<double> values;
            {
                const nb::gil_scoped_release released;
                values.resize(count);
                copy_numbers(array, row_, values);
            }
            return nb::cast(array_of(std::move(values)));
        }
        std::vector<std::int32_t> codes(count);
        std::vector<std::string_view> found;
        {
            const nb::gil_scoped_release released;
            found = code_texts(array, types_[number], row_, codes);
        }
        nb::list texts;
        for (const std::string_view text : found) texts.append(nb::str(text.data(), text.size()));
        return nb::make_tuple(array_of(std::move(codes)), texts);
    }

    nb::capsule capsule_;
    ArrowArrayStream* stream_ = nullptr;
    std::vector<ArrowType> types_;
    Owned<ArrowArray> array_;
    std::size_t row_ = 0;
};

// The rows of a plain CSV file.
class CsvFileRows {
public:
    CsvFileRows(const nb::bytes& path, std::size_t start, std::int64_t threads)
        : rows_(found_rows({path.c_str(), path.size()}, start, threads_of(threads))) {
        need(rows_.rows() <= max_rows, "rows must be at most 2^31 - 1");
    }

    bool plain() const { return rows_.plain(); }
    std::size_t rows() const { return rows_.rows(); }

    // For each column of the file, `numbers` or `codes` has an array that is filled, or both have
    // an empty one. Returns the texts of each column, or the reason why there are none.
    nb::object read(const std::vector<Vector<double>>& numbers,
                    const std::vector<Vector<std::int32_t>>& codes, const std::string& delimiter,
                    const std::vector<std::string>& missing) const {
        need(numbers.size() == codes.size() && !numbers.empty(),
             "every column needs numbers and codes");
        need(delimiter.size() == 1 && delimiter != "\n" && delimiter != "." &&
                 !std::isalnum(static_cast<unsigned char>(delimiter[0])),
             "the delimiter must be one character that no number has");
        std::vector<rulewright::CsvColumn> columns;
        for (std::size_t j = 0; j < numbers.size(); ++j) {
            const std::size_t filled = numbers[j].shape(0) + codes[j].shape(0);
            need(filled == 0 || filled == rows(), "columns must have one cell per row");
            columns.push_back({span_of(numbers[j]), span_of(codes[j])});
        }
        std::vector<std::vector<std::string>> texts;
        const auto result =
            unlocked([&] { return rows_.read(columns, delimiter[0], missing, texts); });
        if (result == rulewright::CsvResult::zero_padded) return nb::str("zero-padded");
        if (result == rulewright::CsvResult::unusual) return nb::str("unusual");
        nb::list found;
        for (auto& column : texts) {
            nb::list list;
            for (const std::string& text : column) {
                PyObject* const decoded =
                    PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
                if (decoded == nullptr) {  // not UTF-8
                    PyErr_Clear();
                    return nb::str("unusual");
                }
                list.append(nb::steal(decoded));
            }
            found.append(std::move(list));
        }
        return found;
    }

private:
    static rulewright::CsvRows found_rows(std::string path, std::size_t start,
                                          std::size_t threads) {
        return unlocked([&] { return rulewright::CsvRows(std::move(path), start, threads); });
    }

    rulewright::CsvRows rows_;
};

constexpr std::uint64_t max_number = std::uint64_t{1} << 62;

nb::bytes row_lines(std::uint64_t first, std::size_t rows,
                    const std::vector<Vector<const std::int32_t>>& codes,
                    const std::vector<nb::bytes>& texts,
                    const std::vector<Vector<const std::int64_t>>& starts) {
    need(first <= max_number && rows <= max_rows, "row numbers must be below 2^62");
    need(codes.size() == texts.size() && codes.size() == starts.size(),
         "every column needs codes, texts and their starts");
    std::vector<CodedTexts> columns;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const auto start = span_of(starts[i]);
        need(codes[i].shape(0) == rows, "columns must have the same length");
        need(!start.empty() && start[0] == 0 && std::is_sorted(start.begin(), start.end()) &&
                 start.back() == static_cast<std::int64_t>(texts[i].size()),
             "the starts of texts must cover all bytes");
        need_below(span_of(codes[i]), start.size() - 1, "codes");
        columns.push_back({span_of(codes[i]), texts[i].c_str(), start});
    }
    // Bytes are filled in place, before anyone else can see them.
    const std::size_t size = rulewright::size_of_lines(first, rows, columns);
    const auto lines =
        nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!lines.is_valid()) throw nb::python_error();
    const std::span<char> filled(PyBytes_AsString(lines.ptr()), size);
    unlocked([&] { rulewright::write_lines(first, rows, columns, filled); });
    return lines;
}

}  // namespace

void bind_rows(nb::module_& m) {
    nb::class_<ArrowRows>(m, "ArrowRows")
        .def(nb::init<nb::capsule>(), "capsule"_a)
        .def("next", &ArrowRows::next, "size"_a);
    nb::class_<CsvFileRows>(m, "CsvRows")
        .def(nb::init<const nb::bytes&, std::size_t, std::int64_t>(), "path"_a, "start"_a,
             "threads"_a)
        .def_prop_ro("plain", &CsvFileRows::plain)
        .def_prop_ro("rows", &CsvFileRows::rows)
        .def("read", &CsvFileRows::read, "numbers"_a, "codes"_a, "delimiter"_a, "missing"_a);
    m.def("row_lines", &row_lines, "first"_a, "rows"_a, "codes"_a, "texts"_a, "starts"_a);
}

}  // namespace rulewright::bindings
