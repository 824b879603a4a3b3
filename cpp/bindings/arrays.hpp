#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"
#include "quickshiftpp/search/join.hpp"
#include "quickshiftpp/search/neighbor_lists.hpp"

namespace quickshiftpp::bindings {

namespace nb = nanobind;

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

/// A Python object that owns a value, and deletes it.
template <class Value>
nb::capsule to_capsule(std::unique_ptr<Value> value) {
  nb::capsule owner(value.get(), [](void* held) noexcept { delete static_cast<Value*>(held); });
  value.release();
  return owner;
}
/// Passes the ownership of a buffer to NumPy, without a copy.
template <class T>
Array<T> to_array(Buffer<T>&& buffer) {
  auto owned = std::make_unique<Buffer<T>>(std::move(buffer));
  T* data = owned->data();
  const std::size_t size = owned->size();
  return Array<T>(data, {size}, to_capsule(std::move(owned)));
}
/// Wraps a shared buffer as a read-only NumPy array, without a copy.
template <class T>
Array<const T> to_array(std::shared_ptr<const Buffer<T>> shared) {
  const T* data = shared->data();
  const std::size_t size = shared->size();
  using Shared = std::shared_ptr<const Buffer<T>>;
  return Array<const T>(data, {size}, to_capsule(std::make_unique<Shared>(std::move(shared))));
}
/// Passes the ownership of a buffer to NumPy as a matrix of `rows` rows.
template <class T>
Matrix<T> to_matrix(Buffer<T>&& buffer, std::size_t rows) {
  auto owned = std::make_unique<Buffer<T>>(std::move(buffer));
  T* data = owned->data();
  const std::size_t columns = owned->size() / rows;
  return Matrix<T>(data, {rows, columns}, to_capsule(std::move(owned)));
}
/// Passes the ownership of a table for so many samples to NumPy: distances and row numbers.
inline std::pair<Matrix<double>, Matrix<std::int64_t>> to_arrays(NeighborTable&& table,
                                                                 std::size_t samples) {
  return {to_matrix(std::move(table.distance), samples), to_matrix(std::move(table.row), samples)};
}
/// Copies a vector.
template <class T>
Array<T> to_array(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return to_array(std::move(buffer));
}

/// Copies a NumPy array, aligned or not.
template <class T>
Buffer<T> to_buffer(const Column<T>& column) {
  Buffer<T> buffer(column.shape(0));
  if (buffer.size() > 0) std::memcpy(buffer.data(), column.data(), buffer.size() * sizeof(T));
  return buffer;
}

// Checks of what is passed in. The core relies on them: Python code may call any function of this
// module with any array, and a model may come from a damaged file.

/// Throws std::invalid_argument, which becomes a ValueError, unless the condition holds.
inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}
/// The values of an array. NumPy can make arrays whose address does not suit their type.
template <class NumPyArray>
auto aligned_data(const NumPyArray& array) {
  const auto* data = array.data();
  require(reinterpret_cast<std::uintptr_t>(data) % alignof(decltype(*data)) == 0,
          "an array is not aligned to its type: pass a copy");
  return data;
}
/// Whether the magnitudes of all values are below a limit. False for NaN.
template <class T>
bool are_below(const T* values, std::size_t count, double limit, const Run& run) {
  std::atomic<bool> are{true};
  parallel_for(run, count, 1 << 20, [&](std::size_t begin, std::size_t end, int) {
    if (!kernels<T>().are_below(values + begin, end - begin, limit))
      are.store(false, std::memory_order_relaxed);
  });
  return are;
}
/// For samples of an index.
template <class T>
void require_samples(const Rows<T>& x) {
  require(x.shape(0) >= 1 && x.shape(1) >= 1, "an index needs a sample and a column");
  require(x.shape(0) < (std::size_t{1} << 31) - 64, "an index takes fewer than 2^31 samples");
}
template <class T>
void require_same_columns(const Index<T>& queries, const Index<T>& targets) {
  require(queries.columns() == targets.columns(), "queries and targets differ in columns");
}
template <class T>
void require_k(const Index<T>& index, int k) {
  require(k >= 1 && static_cast<std::size_t>(k) <= index.samples(),
          "k must be from 1 to the number of samples");
}
template <class T>
void require_lists_of(const Index<T>& index, const NeighborLists& lists) {
  require(lists.belong_to(index), "the lists belong to another index");
}

/// Runs without the interpreter lock while it exists.
///
/// A daemon thread may want the lock back after the interpreter has begun to exit. Python then ends
/// the thread, up to version 3.13 by unwinding its stack, which may not pass through C++ code.
/// Such a thread waits here instead, until the process is gone; as in Python from 3.14 on.
class WithoutInterpreter {
 public:
  WithoutInterpreter() : was_exiting_(is_exiting()), state_(PyEval_SaveThread()) {}
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;
  ~WithoutInterpreter() { acquire(); }

  /// Takes the lock back for work(), and releases it again.
  template <class Work>
  auto with_lock(Work&& work) {
    acquire();
    struct Release {
      PyThreadState*& state;
      ~Release() { state = PyEval_SaveThread(); }
    } release{state_};
    return work();
  }

 private:
  void acquire() noexcept {
    try {
      // The thread that ends the interpreter may still run code, such as __del__ methods.
      if (was_exiting_ || !is_exiting()) return PyEval_RestoreThread(state_);
      wait_for_the_end();
    } catch (...) {  // the unwinding of a thread that is being ended: it must not leave this block
      wait_for_the_end();
    }
  }
  [[noreturn]] static void wait_for_the_end() {
    while (true) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  static bool is_exiting() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
  }

  bool was_exiting_;  // before the lock was released
  PyThreadState* state_;
};

/// Releases the interpreter lock and calls work(run). The monitor of the run reacquires the lock at
/// intervals, to check for signals such as Ctrl-C and to call `progress` with the finished
/// fraction.
template <class Work>
auto run_native(int threads, const nb::object& progress, Work&& work) {
  require(threads >= 1 && threads <= 4096, "threads must be from 1 to 4096");
  try {
    WithoutInterpreter unlocked;
    Monitor monitor([&](double fraction) {
      return unlocked.with_lock([&] {
        if (PyErr_CheckSignals() != 0) return true;
        if (progress.is_none()) return false;
        try {
          progress(fraction);
        } catch (nb::python_error& error) {
          error.restore();
          return true;
        }
        return false;
      });
    });
    const Run run(threads, monitor);
    return work(run);
  } catch (const Interrupted&) {
    throw nb::python_error();  // the Python exception that the poll function has set
  }
}

/// Throws unless all values are finite and moderate: NaN would break the order that sorting relies
/// on, and squares of larger values would overflow. Not part of the stage's progress.
template <class T>
void require_moderate_values(const T* values, std::size_t count, int threads) {
  const bool are_moderate = run_native(
      threads, nb::none(), [&](const Run& run) { return are_below(values, count, 0x1p500, run); });
  require(are_moderate, "values must be finite and below 2^500: scale the samples");
}

}  // namespace quickshiftpp::bindings
