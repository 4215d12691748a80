// Workers that one thread uses at a time, kept for the next one that needs one.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hopefear {

template <class Worker>
class WorkerPool {
  public:
    // A worker taken from the pool, until this ends.
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

    // An idle worker, or a new one that `make` makes.
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
