#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "quickshiftpp/buffer.hpp"
#include "quickshiftpp/parallel.hpp"
#include "quickshiftpp/search/index.hpp"

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

/// Hands a buffer to NumPy without a copy.
template <class T>
Array<T> to_array(Buffer<T>&& buffer) {
  const std::size_t size = buffer.size();
  T* data = buffer.release();
  return Array<T>(data, {size}, nb::capsule(data, Buffer<T>::free));
}
/// Shows NumPy a buffer that others read as well.
template <class T>
Array<const T> to_array(std::shared_ptr<const Buffer<T>> shared) {
  using Shared = std::shared_ptr<const Buffer<T>>;
  auto* owner = new Shared(std::move(shared));
  return Array<const T>(
      (*owner)->data(), {(*owner)->size()},
      nb::capsule(owner, [](void* held) noexcept { delete static_cast<Shared*>(held); }));
}
template <class T>
Matrix<T> to_matrix(Buffer<T>&& buffer, std::size_t rows) {
  const std::size_t columns = buffer.size() / rows;
  T* data = buffer.release();
  return Matrix<T>(data, {rows, columns}, nb::capsule(data, Buffer<T>::free));
}
template <class T>
Array<T> to_array(const std::vector<T>& values) {
  Buffer<T> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.data());
  return to_array(std::move(buffer));
}

inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

/// Runs native work without the interpreter lock, under a monitor that takes the lock now and then
/// to look for signals and to report progress.
template <class Work>
auto run_native(int threads, const nb::object& progress, Work&& work) {
  Monitor monitor([&progress](double fraction) {
    nb::gil_scoped_acquire lock;
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
  const Run run{std::max(threads, 1), monitor};
  try {
    nb::gil_scoped_release unlock;
    return work(run);
  } catch (const Interrupted&) {
    throw nb::python_error();  // the poll above left the exception to raise
  }
}

/// by_row[row(i)] = value(i), by position
template <class Out, class Row, class Value>
Buffer<Out> by_row(std::size_t samples, const Run& run, Row&& row, Value&& value) {
  Buffer<Out> out(samples);
  parallel_for(run, samples, tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i)
      out[static_cast<std::size_t>(row(i))] = value(i);
  });
  return out;
}
template <class Out, class T, class Value>
Buffer<Out> by_row(const Index<T>& index, const Run& run, Value&& value) {
  return by_row<Out>(index.samples(), run, [&](std::int32_t i) { return index.row_at(i); }, value);
}
template <class Out, class Value>
Buffer<Out> by_row(const Column<std::int32_t>& row, const Run& run, Value&& value) {
  return by_row<Out>(row.shape(0), run, [&](std::int32_t i) { return row.data()[i]; }, value);
}
/// by_position[i] = by_row[row_at(i)], with room for whole blocks
template <class T>
Buffer<double> by_position(const Index<T>& index, const double* values, const Run& run) {
  Buffer<double> out(index.samples(), index.padded_samples());
  parallel_for(run, index.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t i = begin; i < end; ++i)
      out[i] = values[index.row_at(static_cast<std::int32_t>(i))];
  });
  return out;
}

}  // namespace quickshiftpp::bindings
