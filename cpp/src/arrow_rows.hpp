// Columns of rows that arrive in Arrow's C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The structures of the interface, under the guard that the specification names.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

#endif

namespace rulewright {

enum class ArrowType { number, text, long_text };

// Copies numbers from row `first` of an array on; missing ones become NaN.
void copy_numbers(const ArrowArray& array, std::size_t first, std::span<double> values);

// Numbers the different texts of some rows in the order of their first occurrence; -1 where
// missing. The texts are views of the array.
std::vector<std::string_view> code_texts(const ArrowArray& array, ArrowType type, std::size_t first,
                                         std::span<std::int32_t> codes);

}  // namespace rulewright
