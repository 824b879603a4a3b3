#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/tuning.hpp"

namespace quickshiftpp {

/// Gives the pages of an array back to the system before it is freed, on all threads: where memory
/// is freed, one thread does it. What the array held is lost.
inline void give_back_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes,
                            [[maybe_unused]] const Run& run) {
#ifdef __linux__
  if (bytes < 2 * tuning::kPagesPiece) return;
  // Whole pages, the rest belongs to others as well.
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  parallel_for(run, end - begin, tuning::kPagesPiece, [&](std::size_t from, std::size_t to, int) {
    // Where it fails nothing is lost: the memory is freed in any case.
    (void)madvise(reinterpret_cast<void*>(begin + from), to - from, MADV_DONTNEED);
  });
#endif
}

}  // namespace quickshiftpp
