// Kernels that can be stopped before they are done.
//
// A caller installs an Interruption for its thread. Loops call `checkpoint` with the work that they
// have done, in cells or rows; after enough work the caller is asked whether to go on. Only the
// thread that called is asked, and not more often than every `patience`. Helper threads read a
// flag. A kernel that has to stop throws Interrupted: what it was filling is left unfinished.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

namespace rulewright {

struct Interrupted {};

class Interruption {
public:
    static constexpr std::chrono::milliseconds patience{50};

    explicit Interruption(std::function<bool()> wanted)
        : wanted_(std::move(wanted)), next_(Clock::now() + patience) {}

    bool raised() const noexcept { return raised_.load(std::memory_order_relaxed); }

    // Asks the caller, if it is time. Only for the thread that called.
    void ask() {
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + patience;
        if (wanted_()) raised_.store(true, std::memory_order_relaxed);
    }

private:
    using Clock = std::chrono::steady_clock;

    std::function<bool()> wanted_;
    Clock::time_point next_;
    std::atomic<bool> raised_{false};
};

namespace detail {

struct Watch {
    Interruption* interruption = nullptr;
    bool asks = false;  // this is the thread that called
    std::size_t work = 0;
};

inline constinit thread_local Watch watch;

inline constexpr std::size_t enough_work = 1 << 16;

}  // namespace detail

// Installs an interruption for this thread until the end of a scope.
class Interruptible {
public:
    Interruptible(Interruption* interruption, bool asks) noexcept
        : before_(std::exchange(detail::watch, {interruption, asks, 0})) {}
    ~Interruptible() { detail::watch = before_; }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    detail::Watch before_;
};

inline Interruption* current_interruption() noexcept { return detail::watch.interruption; }

// Throws if this thread has to stop.
inline void stop_if_interrupted() {
    detail::Watch& watch = detail::watch;
    watch.work = 0;
    if (watch.interruption == nullptr) return;
    if (watch.asks) watch.interruption->ask();
    if (watch.interruption->raised()) throw Interrupted{};
}

// The same after enough work.
inline void checkpoint(std::size_t work) {
    detail::watch.work += work;
    if (detail::watch.work >= detail::enough_work) stop_if_interrupted();
}

}  // namespace rulewright
