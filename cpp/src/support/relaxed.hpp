#pragma once

#include <cstdint>

namespace quickshiftpp {

// Relaxed atomic access to plain memory, for values that threads may read while another writes
// them. std::atomic_ref does the same, but Apple's library has it only from Xcode 16.3 on.

template <class T>
T load_relaxed(const T& from) {
  T value;
  __atomic_load(&from, &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
void store_relaxed(T& to, T value) {
  __atomic_store(&to, &value, __ATOMIC_RELAXED);
}

inline void add_relaxed(std::int64_t& to, std::int64_t value) {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

}  // namespace quickshiftpp
