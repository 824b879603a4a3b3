#include <doctest/doctest.h>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "quickshiftpp/parallel.hpp"

using namespace quickshiftpp;

TEST_CASE("parallel_for processes every item once") {
  Monitor monitor;
  for (int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> seen(1003);
    parallel_for({threads, monitor}, seen.size(), 10, [&](std::size_t begin, std::size_t end, int) {
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const auto& count : seen) CHECK(count == 1);
  }
}

TEST_CASE("parallel_for rethrows exceptions in the caller") {
  Monitor monitor;
  CHECK_THROWS_AS(parallel_for({2, monitor}, 100, 1,
                               [](std::size_t begin, std::size_t, int) {
                                 if (begin == 50) throw std::runtime_error("fifty");
                               }),
                  std::runtime_error);
}

TEST_CASE("parallel_for throws Interrupted when the poll function returns true") {
  std::atomic<int> done = 0;
  Monitor monitor([](double) { return true; });
  auto body = [&](std::size_t, std::size_t, int) {
    ++done;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  CHECK_THROWS_AS(parallel_for({2, monitor}, 100000, 1, body), Interrupted);
  CHECK(done < 10000);
}

TEST_CASE("A long piece of work is interrupted in its midst") {
  for (int threads : {1, 2}) {
    Monitor monitor([](double) { return true; });
    const Run run(threads, monitor);
    // Without an interruption this would never end.
    auto body = [&](std::size_t, std::size_t, int thread) {
      WorkMeter meter(run, thread);
      while (true) meter.spend(1 << 20);
    };
    CHECK_THROWS_AS(parallel_for(run, 2, 1, body), Interrupted);
  }
}

TEST_CASE("The calling thread polls while it waits for others") {
  std::atomic<bool> is_polled = false;
  Monitor monitor([&](double) {
    is_polled = true;
    return false;
  });
  const Run run(2, monitor);
  std::atomic<int> started = 0;
  parallel_for(run, 2, 1, [&](std::size_t, std::size_t, int thread) {
    for (++started; started < 2;) std::this_thread::yield();  // one piece for each thread
    while (thread != 0 && !is_polled) std::this_thread::yield();
  });
  CHECK(is_polled);
}

TEST_CASE("Threads of a run have numbers of their own") {
  Monitor monitor;
  const Run run(4, monitor);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> users(4);
    parallel_for(run, 64, 1, [&](std::size_t, std::size_t, int thread) {
      CHECK(++users[static_cast<std::size_t>(thread)] == 1);
      std::this_thread::yield();
      --users[static_cast<std::size_t>(thread)];
    });
  }
}

TEST_CASE("After a request to stop the poll function is not called again") {
  std::atomic<int> polls = 0;
  Monitor monitor([&](double) { return ++polls > 0; });
  const Run run(2, monitor);
  std::atomic<int> started = 0;
  auto body = [&](std::size_t, std::size_t, int thread) {
    for (++started; started < 2;) std::this_thread::yield();  // one piece for each thread
    WorkMeter meter(run, thread);
    while (thread == 0) meter.spend(1 << 20);
    std::this_thread::sleep_for(5 * Monitor::interval);  // the calling thread waits for this one
  };
  CHECK_THROWS_AS(parallel_for(run, 2, 1, body), Interrupted);
  CHECK(polls == 1);
}

TEST_CASE("Only the calling thread polls") {
  const auto caller = std::this_thread::get_id();
  std::atomic<int> polls = 0, from_others = 0;
  Monitor monitor([&](double) {
    ++(std::this_thread::get_id() == caller ? polls : from_others);
    return false;
  });
  const Run run(3, monitor);
  parallel_for(run, 60, 1, [&](std::size_t, std::size_t, int thread) {
    WorkMeter meter(run, thread);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    meter.spend(std::size_t{1} << 30);
  });
  CHECK(polls > 0);
  CHECK(from_others == 0);
}

#ifdef __linux__

namespace {

cpu_set_t allowed_cores() {
  cpu_set_t cores;
  REQUIRE(pthread_getaffinity_np(pthread_self(), sizeof(cores), &cores) == 0);
  return cores;
}

/// Checks that every thread may run on the same cores as the calling one.
void check_cores_of_threads() {
  const cpu_set_t expected = allowed_cores();
  std::atomic<int> same = 0;
  Monitor monitor;
  parallel_for({3, monitor}, 60, 1, [&](std::size_t, std::size_t, int) {
    const cpu_set_t found = allowed_cores();
    same += CPU_EQUAL(&found, &expected);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that all threads take part
  });
  CHECK(same == 60);
}

}  // namespace

TEST_CASE("Threads may run on the cores of the calling thread, and on no others") {
  check_cores_of_threads();
  const cpu_set_t before = allowed_cores();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  REQUIRE(pthread_setaffinity_np(pthread_self(), sizeof(one), &one) == 0);
  check_cores_of_threads();
  CHECK(pthread_setaffinity_np(pthread_self(), sizeof(before), &before) == 0);
}

#endif
