#include "quickshiftpp/parallel.hpp"

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

#include <new>
#include <system_error>

namespace quickshiftpp {

namespace {

/// Moves a thread that was just started away from the core of the calling thread, where it would
/// wait for its turn. After a pause, Linux on a virtual machine may leave it there for 2 to 10 ms,
/// as long as a whole fit. It may go to all cores again at once.
void move_to_another_core([[maybe_unused]] std::thread& thread) {
#ifdef __linux__
  cpu_set_t allowed;
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<unsigned>(sched_getcpu()), &others);
  if (CPU_COUNT(&others) == 0) return;
  pthread_setaffinity_np(thread.native_handle(), sizeof(others), &others);
  pthread_setaffinity_np(thread.native_handle(), sizeof(allowed), &allowed);
#endif
}

/// Waits until something holds that another thread is about to do, but not for long: to fall asleep
/// and to be woken takes longer than most stages of a small fit.
template <class Condition>
void wait_briefly(Condition&& holds) {
  constexpr auto longest = std::chrono::microseconds(50);
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!holds() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(int others, const Work& work, const std::function<void()>& wait) {
  start_threads(static_cast<std::size_t>(others));
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    free_seats_ = others;
    last_number_ = 0;
    ++round_;
  }
  has_work_.notify_all();
  work(0);
  {
    const std::lock_guard lock(mutex_);
    work_ = nullptr;  // who has not joined yet would find nothing left to do
  }
  wait_briefly([this] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  while (!is_idle_.wait_for(lock, Monitor::interval, [this] { return busy_ == 0; })) {
    lock.unlock();
    wait();
    lock.lock();
  }
}

void Team::start_threads(std::size_t wanted) noexcept {
  try {
    threads_.reserve(wanted);
    while (threads_.size() < wanted) {
      threads_.emplace_back([this] { serve(); });
      move_to_another_core(threads_.back());
    }
  } catch (const std::system_error&) {  // the system refuses another thread
  } catch (const std::bad_alloc&) {
  }
}

void Team::serve() {
  std::size_t served_round = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    lock.unlock();
    wait_briefly([&] { return is_ending_ || round_ != served_round; });
    lock.lock();
    has_work_.wait(lock, [&] {
      return is_ending_ || (work_ != nullptr && free_seats_ > 0 && round_ != served_round);
    });
    if (is_ending_) return;
    served_round = round_;
    --free_seats_;
    ++busy_;
    const int number = ++last_number_;
    const Work& work = *work_;
    lock.unlock();
    work(number);
    lock.lock();
    if (--busy_ == 0) is_idle_.notify_one();
  }
}

}  // namespace quickshiftpp
