// Interruption of kernels.
//
// A caller installs an Interruption for its thread. Loops call `checkpoint` with the work done, in
// cells or rows; after enough work the caller is asked whether to go on. Only the calling thread
// asks, at most once every `interval`; that is measured across kernels, so that many short ones are
// stopped too. Worker threads read a flag. A kernel that has to stop throws Interrupted, and its
// outputs are left unfinished.
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
    static constexpr std::chrono::milliseconds interval{50};

    explicit Interruption(std::function<bool()> wanted) : wanted_(std::move(wanted)) {}

    bool raised() const noexcept { return raised_.load(std::memory_order_relaxed); }

    // Asks the caller if the interval has passed. Only for the calling thread.
    void ask() {
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + interval;
        if (wanted_()) raised_.store(true, std::memory_order_relaxed);
    }

private:
    using Clock = std::chrono::steady_clock;

    static inline constinit thread_local Clock::time_point next_{};

    std::function<bool()> wanted_;
    std::atomic<bool> raised_{false};
};

namespace detail {

struct ThreadState {
    Interruption* interruption = nullptr;
    bool asks = false;  // this is the calling thread
    std::size_t work = 0;
};

inline constinit thread_local ThreadState state;

inline constexpr std::size_t enough_work = 1 << 16;

}  // namespace detail

// Installs an interruption for this thread until the end of a scope.
class Interruptible {
public:
    Interruptible(Interruption* interruption, bool asks) noexcept
        : before_(std::exchange(detail::state, {interruption, asks, 0})) {}
    ~Interruptible() { detail::state = before_; }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    detail::ThreadState before_;
};

inline Interruption* current_interruption() noexcept { return detail::state.interruption; }

// Throws if this thread has to stop.
inline void stop_if_interrupted() {
    detail::ThreadState& state = detail::state;
    state.work = 0;
    if (state.interruption == nullptr) return;
    if (state.asks) state.interruption->ask();
    if (state.interruption->raised()) throw Interrupted{};
}

// The same, after enough work.
inline void checkpoint(std::size_t work) {
    detail::state.work += work;
    if (detail::state.work >= detail::enough_work) stop_if_interrupted();
}

}  // namespace rulewright
