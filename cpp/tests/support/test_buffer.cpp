#include <doctest/doctest.h>

#include <cstdint>

#include "quickshiftpp/buffer.hpp"

using quickshiftpp::Buffer;

TEST_CASE("a buffer without elements has an address, aligned like any other") {
  Buffer<double> empty(0);
  CHECK(empty.size() == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(empty.data()) % 64 == 0);
  CHECK(empty.data() != nullptr);
}
