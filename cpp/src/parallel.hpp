// Tasks 0..count-1 shared out among threads. The order in which tasks run is free, so a task may
// only write what is its own; the first exception is rethrown to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

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
    std::mutex failing;
    const auto work = [&]() noexcept {
        try {
            for (std::size_t i = next++; i < count; i = next++) task(i);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads - 1);
    try {
        while (helpers.size() + 1 < threads) helpers.emplace_back(work);
    } catch (const std::system_error&) {
        // No more threads to be had: the ones that started, and this one, do the work.
    }
    work();
    for (auto& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rulewright
