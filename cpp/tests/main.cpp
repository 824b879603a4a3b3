#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <stdexcept>

#include "kernels/kernels.hpp"

int main(int argc, char** argv) {
  try {
    std::printf("instruction set: %s\n", quickshiftpp::simd_level().c_str());
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
    return 77;  // skipped: this processor does not have the requested instruction set
  }
  return doctest::Context(argc, argv).run();
}
