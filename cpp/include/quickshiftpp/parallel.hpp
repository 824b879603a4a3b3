#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace quickshiftpp {

/// Thrown by a stage that was asked to stop.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Reports the progress of a parallel stage and passes on requests to stop it.
///
/// Only the calling thread runs the poll function, at most once per `interval`. The function may
/// therefore wait for a lock, such as the interpreter lock, without holding up the other threads.
class Monitor {
 public:
  /// Receives the finished fraction of the stage; returns true to stop it.
  using Poll = std::function<bool(double)>;

  explicit Monitor(Poll poll = {}) : poll_(std::move(poll)), last_(Clock::now()) {}

  void begin(std::size_t total) {
    total_ = total;
    done_.store(0, std::memory_order_relaxed);
  }
  void advance(std::size_t items, bool on_calling_thread) {
    const std::size_t done = done_.fetch_add(items, std::memory_order_relaxed) + items;
    if (on_calling_thread && poll_ && Clock::now() - last_ >= interval) {
      if (poll_(static_cast<double>(done) / static_cast<double>(total_)))
        canceled_.store(true, std::memory_order_relaxed);
      last_ = Clock::now();
    }
  }
  bool canceled() const { return canceled_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds interval{40};
  Poll poll_;
  Clock::time_point last_;
  std::size_t total_ = 1;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> canceled_{false};
};

/// How to run a stage: the number of threads, and the monitor that it reports to.
struct Run {
  int threads = 1;
  Monitor& monitor;
};

/// The number of threads that OpenMP would use now. It depends on OMP_NUM_THREADS, threadpoolctl
/// and the number of cores.
inline int default_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

/// Calls body(begin, end, thread) for consecutive pieces of [0, count), each of `grain` items but
/// the last. Each thread takes the next piece when it is free. Rethrows the first exception from
/// `body`; throws Interrupted when the monitor was asked to stop.
template <class Body>
void parallel_for(const Run& run, std::size_t count, std::size_t grain, Body&& body) {
  if (count == 0) return;
  run.monitor.begin(count);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;
  auto work = [&](int thread) {
    try {
      while (!stop.load(std::memory_order_relaxed)) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= count) break;
        const std::size_t end = std::min(begin + grain, count);
        body(begin, end, thread);
        run.monitor.advance(end - begin, thread == 0);
        if (run.monitor.canceled()) stop.store(true, std::memory_order_relaxed);
      }
    } catch (...) {
      if (!stop.exchange(true)) failure = std::current_exception();
    }
  };
#ifdef _OPENMP
  const std::size_t pieces = (count + grain - 1) / grain;
  const int threads = static_cast<int>(std::min<std::size_t>(std::max(run.threads, 1), pieces));
  if (threads > 1) {
#pragma omp parallel num_threads(threads)
    work(omp_get_thread_num());
  } else {
    work(0);
  }
#else
  work(0);
#endif
  if (failure) std::rethrow_exception(failure);
  if (run.monitor.canceled()) throw Interrupted();
}

}  // namespace quickshiftpp
