#pragma once

#include <cstddef>
#include <cstdint>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"

namespace quickshiftpp {

/// The root that each entry's links lead to. A root links to itself. Throws std::invalid_argument
/// where a link is no entry or links form a cycle.
Buffer<std::int32_t> link_roots(const std::int32_t* link, std::size_t count, const Run& run);

}  // namespace quickshiftpp
