// Tasks 0..count-1 shared out among threads. The order in which tasks run is free, so a task may
// only write what is its own; the first exception is rethrown to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "interruption.hpp"

namespace rulewright {

template <class Task>
void for_each_task(std::size_t count, std::size_t threads, Task&& task) {
    threads = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(count, 1));
    if (threads == 1) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::size_t helping = 0;
    std::mutex meeting;
    std::condition_variable left;
    const auto fail = [&]() noexcept {
        const std::lock_guard lock(meeting);
        if (!failure) failure = std::current_exception();
        next = count;
    };
    const auto work = [&]() noexcept {
        try {
            for (std::size_t i = next++; i < count; i = next++) task(i);
        } catch (...) {
            fail();
        }
    };
    Interruption* const interruption = current_interruption();
    const auto help = [&]() noexcept {
        {
            const Interruptible watched(interruption, false);
            work();
        }
        const std::lock_guard lock(meeting);
        --helping;
        left.notify_one();
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads - 1);
    try {
        while (helpers.size() + 1 < threads) {
            {
                const std::lock_guard lock(meeting);
                ++helping;
            }
            helpers.emplace_back(help);
        }
    } catch (const std::system_error&) {
        // The system gives no more threads: the ones that started, and this one, do the work.
        const std::lock_guard lock(meeting);
        --helping;
    }
    work();
    // While the others finish their last tasks, this thread still listens for an interruption.
    const auto all_left = [&]() noexcept {
        std::unique_lock lock(meeting);
        return left.wait_for(lock, Interruption::patience, [&] { return helping == 0; });
    };
    while (!all_left()) {
        try {
            stop_if_interrupted();
        } catch (...) {
            fail();
        }
    }
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rulewright
