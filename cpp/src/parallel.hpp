// Runs tasks 0..count-1 on several threads. Tasks run in any order, so a task may only write its
// own data; the first exception is rethrown to the caller.
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
    std::size_t running = 0;
    std::mutex mutex;
    std::condition_variable finished;
    const auto fail = [&]() noexcept {
        const std::lock_guard lock(mutex);
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
    const auto run_worker = [&]() noexcept {
        {
            const Interruptible guard(interruption, false);
            work();
        }
        const std::lock_guard lock(mutex);
        --running;
        finished.notify_one();
    };
    std::vector<std::thread> workers;
    workers.reserve(threads - 1);
    try {
        while (workers.size() + 1 < threads) {
            {
                const std::lock_guard lock(mutex);
                ++running;
            }
            workers.emplace_back(run_worker);
        }
    } catch (const std::system_error&) {
        // No more threads are available: the started ones, and this one, do the work.
        const std::lock_guard lock(mutex);
        --running;
    }
    work();
    // While the others finish their last tasks, this thread still checks for an interruption.
    const auto all_finished = [&]() noexcept {
        std::unique_lock lock(mutex);
        return finished.wait_for(lock, Interruption::interval, [&] { return running == 0; });
    };
    while (!all_finished()) {
        try {
            stop_if_interrupted();
        } catch (...) {
            fail();
        }
    }
    for (auto& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rulewright
