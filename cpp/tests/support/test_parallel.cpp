#include <doctest/doctest.h>

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
