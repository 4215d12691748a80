// Running independent work on several threads.
#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hopefear {

// The number of threads to use for an option `threads`, where 0 means one per core that this
// process may run on: a container or taskset may leave it fewer than the machine has, which
// hardware_concurrency() does not know.
[[nodiscard]] inline std::size_t thread_count(std::size_t threads) {
    if (threads > 0) return threads;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        return static_cast<std::size_t>(std::max(1, CPU_COUNT(&cores)));
    return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

// Call work(begin, end) for blocks that cover 0..count on `threads` threads; idle threads take the
// next block. A call may write only its own part of the result, so that any number of threads gives
// the same result. The first exception is rethrown here after all threads have stopped.
inline void parallel_blocks(std::size_t count, std::size_t block, std::size_t threads,
                            const std::function<void(std::size_t, std::size_t)>& work) {
    block = std::max<std::size_t>(1, block);
    threads = std::min(thread_count(threads), (count + block - 1) / block);
    if (threads <= 1) {
        for (std::size_t begin = 0; begin < count; begin += block)
            work(begin, std::min(begin + block, count));
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::exception_ptr error;
    const auto run = [&] {
        while (!stopped.load()) {
            const std::size_t begin = next.fetch_add(block);
            if (begin >= count) return;
            try {
                work(begin, std::min(begin + block, count));
            } catch (...) {
                if (!stopped.exchange(true)) error = std::current_exception();
                return;
            }
        }
    };
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(run);
    run();
    pool.clear();  // joins
    if (error) std::rethrow_exception(error);
}

// Workers, each used by one thread at a time and kept for the next thread that needs one.
template <class Worker>
class WorkerPool {
  public:
    // A worker on loan; returned to the pool by the destructor.
    class Loan {
      public:
        Loan(WorkerPool& pool, std::unique_ptr<Worker> worker)
            : pool_(&pool), worker_(std::move(worker)) {}
        Loan(const Loan&) = delete;
        ~Loan() {
            const std::lock_guard lock(pool_->mutex_);
            pool_->idle_.push_back(std::move(worker_));
        }
        Worker* operator->() { return worker_.get(); }
        Worker& operator*() { return *worker_; }

      private:
        WorkerPool* pool_;
        std::unique_ptr<Worker> worker_;
    };

    // An idle worker, or a new one made by `make`.
    template <class Make>
    [[nodiscard]] Loan take(const Make& make) {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                auto worker = std::move(idle_.back());
                idle_.pop_back();
                return Loan(*this, std::move(worker));
            }
        }
        return Loan(*this, make());
    }

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace hopefear
