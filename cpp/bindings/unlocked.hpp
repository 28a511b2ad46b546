// Kernels run without the interpreter's lock, and stop when a signal arrives.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <utility>

#include "interruption.hpp"

namespace rulewright::bindings {

namespace nb = nanobind;

// The interpreter handles signals in its main thread only. Other threads check their identity once,
// and do not take the lock again.
class Signals {
public:
    // Whether a signal handler raised an exception, as that of Ctrl-C does.
    bool raised() {
        if (main_ == false) return false;
        const nb::gil_scoped_acquire locked;
        if (!main_.has_value()) main_ = is_main_thread();
        if (!*main_ || PyErr_CheckSignals() == 0) return false;
        error_.emplace();
        return true;
    }

    [[noreturn]] void rethrow() { throw std::move(*error_); }

private:
    static bool is_main_thread() {
        const nb::object main = nb::module_::import_("threading").attr("main_thread")();
        return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
    }

    std::optional<bool> main_;
    std::optional<nb::python_error> error_;
};

// Runs a kernel without the lock. Its arguments must not be Python objects.
template <class Work>
auto unlocked(Work&& work) {
    Signals signals;
    try {
        const nb::gil_scoped_release released;
        Interruption interruption([&signals] { return signals.raised(); });
        const Interruptible guard(&interruption, true);
        return std::forward<Work>(work)();
    } catch (const Interrupted&) {
        signals.rethrow();
    }
}

}  // namespace rulewright::bindings
