#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace quickshiftpp {

/// Thrown by a stage that was asked to stop.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Reports the progress of a parallel stage and passes on requests to stop it.
///
/// Only the calling thread runs the poll function, at most once per `interval`, and never again
/// after it has asked to stop. The function may therefore wait for a lock, such as the interpreter
/// lock, without holding up the other threads.
class Monitor {
 public:
  /// Receives the finished fraction of the stage; returns true to stop it.
  using Poll = std::function<bool(double)>;

  static constexpr std::chrono::milliseconds interval{40};

  explicit Monitor(Poll poll = {}) : poll_(std::move(poll)), last_(Clock::now()) {}

  void begin(std::size_t total) {
    total_ = total;
    done_.store(0, std::memory_order_relaxed);
  }
  void advance(std::size_t items) { done_.fetch_add(items, std::memory_order_relaxed); }
  /// Polls if it is time to, on the calling thread. Throws Interrupted once the stage is to stop.
  void check(bool is_calling_thread) {
    if (is_calling_thread && poll_ && !is_canceled() && Clock::now() - last_ >= interval) {
      const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
      if (poll_(done / static_cast<double>(total_)))
        is_canceled_.store(true, std::memory_order_relaxed);
      last_ = Clock::now();
    }
    if (is_canceled()) throw Interrupted();
  }

 private:
  bool is_canceled() const { return is_canceled_.load(std::memory_order_relaxed); }

  using Clock = std::chrono::steady_clock;
  Poll poll_;
  Clock::time_point last_;
  std::size_t total_ = 1;
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> is_canceled_{false};
};

/// The calling thread and others that work with it.
///
/// The others start when they are first needed and end with the team. A team lives as long as one
/// call into the library, so that between calls no thread of the library exists: none is lost when
/// the process forks, and none is in the way when it exits. Where the system refuses a thread, the
/// team works with those that it has.
class Team {
 public:
  /// Work on one thread, given its number: 0 for the calling thread. It must not throw.
  using Work = std::function<void(int)>;

  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  /// Calls work(0) on this thread and work(1), work(2), ... on up to `others` more, as they become
  /// free. Returns when all calls have; until then it calls wait() now and then.
  void run(int others, const Work& work, const std::function<void()>& wait);

 private:
  void start_threads(std::size_t wanted) noexcept;
  void serve();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable has_work_, is_idle_;
  const Work* work_ = nullptr;  // the current one, while more threads may join it
  int free_seats_ = 0;          // threads that may still join the current work
  int last_number_ = 0;         // of a thread that has joined
  // Written under the mutex, but read without it by threads that wait for a moment.
  std::atomic<int> busy_{0};           // threads that have joined and not yet returned
  std::atomic<std::size_t> round_{0};  // counts the calls of run
  std::atomic<bool> is_ending_{false};
};

/// How to run a stage: the number of threads, and the monitor that it reports to.
class Run {
 public:
  Run(int wanted_threads, Monitor& its_monitor)
      : threads(std::max(wanted_threads, 1)), monitor(its_monitor) {}

  const int threads;
  Monitor& monitor;

 private:
  template <class Body>
  friend void parallel_for(const Run&, std::size_t, std::size_t, Body&&);

  mutable Team team_;
};

/// Counts the operations of a long piece of work, so that it can be interrupted every few
/// milliseconds: looking at the clock in each inner loop would take longer than the loop.
class WorkMeter {
 public:
  WorkMeter(const Run& run, int thread) : monitor_(&run.monitor), is_calling_(thread == 0) {}

  /// Throws Interrupted once the stage is to stop.
  void spend(std::size_t operations) {
    spent_ += operations;
    if (spent_ < kOperationsPerCheck) return;
    spent_ = 0;
    monitor_->check(is_calling_);
  }

 private:
  /// Subtractions, multiplications and additions of coordinates: 2 to 4 ms.
  static constexpr std::size_t kOperationsPerCheck = std::size_t{1} << 22;

  Monitor* monitor_;
  bool is_calling_;
  std::size_t spent_ = 0;
};

/// Calls body(begin, end, thread) for consecutive pieces of [0, count), each of `grain` items but
/// the last. Each thread takes the next piece when it is free; `thread` is below run.threads.
/// Rethrows the first exception from `body`; throws Interrupted when the monitor was asked to stop.
/// A body whose pieces may take longer than a few milliseconds spends from a WorkMeter.
template <class Body>
void parallel_for(const Run& run, std::size_t count, std::size_t grain, Body&& body) {
  if (count == 0) return;
  run.monitor.begin(count);
  std::atomic<std::size_t> next{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr failure;
  auto fail = [&] {
    if (!has_failed.exchange(true)) failure = std::current_exception();
  };
  auto work = [&](int thread) {
    try {
      while (!has_failed.load(std::memory_order_relaxed)) {
        const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= count) break;
        const std::size_t end = std::min(begin + grain, count);
        body(begin, end, thread);
        run.monitor.advance(end - begin);
        run.monitor.check(thread == 0);
      }
    } catch (...) {
      fail();
    }
  };
  auto wait = [&] {
    try {
      run.monitor.check(true);
    } catch (...) {
      fail();
    }
  };
  const std::size_t pieces = (count - 1) / grain + 1;
  const int threads = static_cast<int>(std::min(static_cast<std::size_t>(run.threads), pieces));
  if (threads > 1)
    run.team_.run(threads - 1, std::ref(work), wait);
  else
    work(0);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace quickshiftpp
