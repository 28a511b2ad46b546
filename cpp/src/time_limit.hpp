// A time limit after which a search stops and keeps what it has found.
#pragma once

#include <atomic>
#include <chrono>

namespace rulewright {

// Any thread may ask whether time is over. Once one has been told so, all are.
class TimeLimit {
public:
    // Infinity, or more than some decades: no limit, and the clock is never read.
    explicit TimeLimit(double seconds) noexcept : limited_(seconds < longest) {
        if (!limited_) return;
        const std::chrono::duration<double> left(seconds);
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
    }

    bool limited() const noexcept { return limited_; }

    // Whether a thread was told that time is over.
    bool reached() const noexcept { return reached_.load(std::memory_order_relaxed); }

    // The caller leaves out what it was about to do, if time is over.
    bool over() const noexcept {
        if (!limited_) return false;
        if (!reached() && Clock::now() >= end_) reached_.store(true, std::memory_order_relaxed);
        return reached();
    }

private:
    using Clock = std::chrono::steady_clock;

    static constexpr double longest = 1e9;

    bool limited_;
    Clock::time_point end_{};
    mutable std::atomic<bool> reached_{false};
};

}  // namespace rulewright
