#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace quickshiftpp {

/// An owned array, aligned to 64 bytes, whose elements start uninitialized.
///
/// A std::vector would first write zeros to every element on one thread, before the parallel stages
/// overwrite them. For n * k elements, that takes as long as a stage of its own.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : Buffer(size, size) {}
  /// Allocates `capacity` >= `size` elements. The elements after `size` are padding: vector
  /// instructions may read them, but their values are not used. A buffer without elements has an
  /// address as well.
  Buffer(std::size_t size, std::size_t capacity)
      : data_(static_cast<T*>(::operator new(capacity * sizeof(T), alignment))), size_(size) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) ::operator delete(data_, alignment);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::align_val_t alignment{64};
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace quickshiftpp
