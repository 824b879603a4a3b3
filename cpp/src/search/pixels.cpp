#include "quickshiftpp/search/pixels.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "kernels/kernels.hpp"
#include "support/error_bounds.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The pixels found within a limit, which falls as more are found.
///
/// They are sorted into buckets by squared distance. These spread evenly in an image, so that a
/// bucket holds one or two, and the processor predicts the branches of the sort.
class CandidateBuckets {
 public:
  explicit CandidateBuckets(int k)
      : k_(static_cast<std::size_t>(k)),
        buckets_(std::bit_ceil(2 * k_)),
        begin_(buckets_ + 1),
        sorted_(2 * k_) {}

  void reset(double limit) {
    limit_ = limit;
    found_ = 0;
  }
  double limit() const { return limit_; }
  std::size_t found() const { return found_; }
  double* squared() { return squared_.data() + found_; }
  std::int32_t* pixel() { return pixel_.data() + found_; }

  /// Makes room for so many more.
  void reserve(std::size_t more) {
    if (found_ >= tuning::kBucketCapacity * k_) shrink();
    if (found_ + more <= squared_.size()) return;
    squared_.resize(2 * (found_ + more));
    pixel_.resize(2 * (found_ + more));
  }
  void add(int count) { found_ += static_cast<std::size_t>(count); }

  /// The k-th smallest squared distance. At least k were found.
  double kth() {
    const auto kth = squared_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(squared_.begin(), kth, squared_.begin() + static_cast<std::ptrdiff_t>(found_));
    return *kth;
  }

  /// The k nearest, sorted, equal distances by pixel, and whether others are as near as the last.
  const Candidate* sort(bool& tied_beyond) {
    const std::size_t last = fill_buckets();
    const std::size_t count = begin_[last + 1];
    if (sorted_.size() < count) sorted_.resize(2 * count);
    for (std::size_t i = 0; i < found_; ++i) {
      const std::size_t b = bucket(squared_[i]);
      if (b <= last) sorted_[begin_[b]++] = {squared_[i], pixel_[i]};
    }
    const auto comes_first = [](const Candidate& a, const Candidate& b) {
      return a.squared != b.squared ? a.squared < b.squared : a.position < b.position;
    };
    std::size_t begin = 0;
    for (std::size_t b = 0; b <= last; ++b) {  // begin_[b] is the end of bucket b now
      if (begin_[b] - begin > 1)
        std::sort(sorted_.data() + begin, sorted_.data() + begin_[b], comes_first);
      begin = begin_[b];
    }
    tied_beyond = count > k_ && sorted_[k_].squared == sorted_[k_ - 1].squared;
    return sorted_.data();
  }

 private:
  std::size_t bucket(double squared) const {
    // Compared before it is converted: NaN and numbers beyond integers go to the last bucket.
    // Converted through a signed number: every processor has an instruction for that.
    const double number = squared * scale_;
    return number < static_cast<double>(buckets_ - 1)
               ? static_cast<std::size_t>(static_cast<std::int32_t>(number))
               : buckets_ - 1;
  }

  /// Counts the pixels of each bucket: begin_[b] is the number in buckets below b. Returns the
  /// bucket of the k-th nearest.
  std::size_t fill_buckets() {
    scale_ = limit_ > 0 ? static_cast<double>(buckets_) / limit_ : 0;
    std::fill(begin_.begin(), begin_.end(), 0);
    for (std::size_t i = 0; i < found_; ++i) ++begin_[bucket(squared_[i]) + 1];
    std::size_t last = 0;
    while (begin_[last + 1] += begin_[last], begin_[last + 1] < k_) ++last;
    return last;
  }

  /// Drops what is beyond the bucket of the k-th nearest.
  void shrink() {
    const std::size_t last = fill_buckets();
    std::size_t kept = 0;
    double widest = 0;
    for (std::size_t i = 0; i < found_; ++i) {
      const double squared = squared_[i];
      squared_[kept] = squared;
      pixel_[kept] = pixel_[i];
      const bool stays = bucket(squared) <= last;
      kept += stays;
      widest = stays ? std::max(widest, squared) : widest;
    }
    found_ = kept;
    limit_ = widest;
  }

  std::size_t k_;
  std::size_t buckets_;
  double limit_ = kInfinity;
  double scale_ = 0;
  std::size_t found_ = 0;
  std::vector<double> squared_;
  std::vector<std::int32_t> pixel_;
  std::vector<std::uint32_t> begin_;
  std::vector<Candidate> sorted_;
};

}  // namespace

/// Finds the k nearest of one pixel after another. One per thread.
template <class T>
class WindowSearch {
 public:
  WindowSearch(const Pixels<T>& pixels, int k)
      : pixels_(pixels),
        kernel_(kernels<T>()),
        k_(k),
        buckets_(k),
        place_(pixels.shape_.size()),
        color_(static_cast<std::size_t>(pixels.channels_)),
        along_(pixels.stride_),
        color_single_(color_.size()),
        along_single_(pixels.stride_) {
    line_.stride = pixels.stride_;
    line_.channels = pixels.channels_;
    line_.axes = static_cast<int>(pixels.shape_.size());
    line_.query_color = color_.data();
    line_.along = along_.data();
    line_.query_color_single = color_single_.data();
    line_.along_single = along_single_.data();
  }

  /// Afterwards result() holds the nearest of `pixel`, of which the squared radius is known to be
  /// at most `limit`.
  void run(std::size_t pixel, double limit) {
    go_to(pixel);
    if (limit == kInfinity) limit = first_limit();
    buckets_.reset(limit);
    cost_ = 0;
    const auto [begin, end] = line_part(0.0);
    measure_along(begin, end);
    visit_lines(0, 0, 0);
    result_ = buckets_.sort(tied_beyond_);
  }

  const Candidate* result() const { return result_; }
  bool tied_beyond() const { return tied_beyond_; }
  double squared_radius() const { return result_[k_ - 1].squared; }
  /// Pixels compared by the last run, each line counting as tuning::kLineCost more.
  std::size_t cost() const { return cost_; }

 private:
  void go_to(std::size_t pixel) {
    pixels_.copy_color(pixel, color_.data());
    std::copy(color_.begin(), color_.end(), color_single_.begin());
    for (std::size_t axis = place_.size(); axis-- > 0;) {
      const auto length = static_cast<std::size_t>(pixels_.shape_[axis]);
      place_[axis] = pixel % length;
      pixel /= length;
    }
  }

  /// The part of a line at a squared distance `across` that can lie within the limit.
  std::pair<std::size_t, std::size_t> line_part(double across) const {
    const double squared = error_bounds::squared_remainder(buckets_.limit(), across);
    const double steps =
        std::sqrt(squared) / pixels_.step_.back() + error_bounds::line_margin(pixels_.length_);
    return line_part(
        static_cast<std::size_t>(std::min(steps, static_cast<double>(pixels_.length_))));
  }
  /// Up to so many pixels on both sides.
  std::pair<std::size_t, std::size_t> line_part(std::size_t half) const {
    const std::size_t center = place_.back();
    return {center > half ? center - half : 0, std::min(center + half + 1, pixels_.length_)};
  }

  /// Squared distances along a line, the same for every line, in a part of it and as far as a
  /// kernel may read beyond.
  void measure_along(std::size_t begin, std::size_t end) {
    const std::vector<double>& coordinate = pixels_.coordinates_.back();
    const double center = coordinate[place_.back()];
    end = std::min(end + kRunOverhang, pixels_.length_);
    for (std::size_t i = begin; i < end; ++i) {
      const double gap = coordinate[i] - center;
      along_[i] = gap * gap;
      along_single_[i] = static_cast<float>(along_[i]);
    }
  }

  /// A bound for a pixel about whose neighbors nothing is known: by windows that grow until they
  /// hold k samples.
  double first_limit() {
    measure_along(0, pixels_.length_);
    for (std::size_t half = 1;; half *= 2) {
      buckets_.reset(kInfinity);
      visit_lines(0, 0, half);
      if (buckets_.found() >= static_cast<std::size_t>(k_)) return buckets_.kth();
    }
  }

  /// Visits lines from the pixel's own outward, along one axis after another. The squared distance
  /// across grows with every step outward, and no line beyond the limit can hold a neighbor. In a
  /// window of fixed size, where `half` is not 0, nothing else counts.
  void visit_lines(std::size_t axis, std::size_t line, std::size_t half) {
    if (axis + 1 == place_.size()) {
      search_line(line, half);
      return;
    }
    const std::vector<double>& coordinate = pixels_.coordinates_[axis];
    const std::size_t center = place_[axis];
    bool goes_down = true, goes_up = true;
    auto visit = [&](std::size_t i) {
      const double gap = coordinate[i] - coordinate[center];
      double& sum = line_.column_sums[axis % kColumnSums];
      const double before = sum;
      sum += gap * gap;
      const bool is_near = squared_across() <= buckets_.limit();
      if (is_near) visit_lines(axis + 1, line * coordinate.size() + i, half);
      sum = before;
      return is_near;
    };
    visit(center);
    for (std::size_t step = 1; (goes_down || goes_up) && (half == 0 || step <= half); ++step) {
      goes_down = goes_down && center >= step && visit(center - step);
      goes_up = goes_up && center + step < coordinate.size() && visit(center + step);
    }
  }

  /// The squared distance of a line, along all axes that were visited.
  double squared_across() const {
    return std::accumulate(line_.column_sums, line_.column_sums + kColumnSums, 0.0);
  }

  void search_line(std::size_t line, std::size_t half) {
    const double across = squared_across();
    const auto [begin, end] = half == 0 ? line_part(across) : line_part(half);
    cost_ += end - begin + tuning::kLineCost;
    buckets_.reserve(end - begin + kRunOverhang);
    line_.colors = pixels_.line(line);
    line_.first = static_cast<std::int32_t>(line * pixels_.length_);
    line_.across = across;
    line_.across_single = static_cast<float>(across);
    line_.limit = buckets_.limit();
    line_.is_whole = pixels_.is_whole_ && line_.limit < error_bounds::kWholeLimit;
    line_.limit_single = error_bounds::float32_limit(line_.limit, pixels_.channels_);
    buckets_.add(kernel_.run_within(line_, static_cast<int>(begin), static_cast<int>(end),
                                    buckets_.squared(), buckets_.pixel()));
  }

  const Pixels<T>& pixels_;
  const Kernels<T>& kernel_;
  int k_;
  CandidateBuckets buckets_;
  std::vector<std::size_t> place_;
  std::vector<double> color_;
  std::vector<double> along_;
  std::vector<float> color_single_;
  std::vector<float> along_single_;
  Line<T> line_;
  const Candidate* result_ = nullptr;
  bool tied_beyond_ = false;
  std::size_t cost_ = 0;
};

template <class T>
Pixels<T>::Pixels(const Index<T>& index, const Grid& grid, const Run& run)
    : index_(index),
      shape_(grid.shape),
      step_(grid.step),
      channels_(index.columns() - static_cast<int>(grid.axes())),
      length_(static_cast<std::size_t>(grid.shape.back())),
      lines_(grid.pixels() / length_),
      stride_(length_ + kRunOverhang),
      colors_(lines_ * stride_ * static_cast<std::size_t>(channels_)),
      position_(grid.pixels()) {
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    std::vector<double> along(static_cast<std::size_t>(shape_[axis]));
    for (std::size_t i = 0; i < along.size(); ++i)
      along[i] = static_cast<T>(static_cast<double>(i) * step_[axis]);
    coordinates_.push_back(std::move(along));
  }
  // Rows to pixels, and then pixels to positions.
  const std::size_t pixels = grid.pixels();
  Buffer<std::int32_t> pixel_of_row(index.samples());
  std::size_t rows = 0;
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    position_[pixel] = -1;
    if (grid.mask != nullptr && grid.mask[pixel] == 0) continue;
    if (rows < index.samples()) pixel_of_row[rows] = static_cast<std::int32_t>(pixel);
    ++rows;
  }
  if (rows != index.samples())
    throw std::invalid_argument("the grid has another number of pixels than the index of samples");
  std::fill_n(colors_.data(), colors_.size(), std::numeric_limits<T>::quiet_NaN());
  std::atomic<bool> is_whole{true};
  parallel_for(run, index.samples(), tuning::kGrain, [&](std::size_t begin, std::size_t end, int) {
    bool whole = true;
    for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
      const auto pixel =
          static_cast<std::size_t>(pixel_of_row[static_cast<std::size_t>(index.row_at(i))]);
      position_[pixel] = i;
      std::size_t rest = pixel;
      for (std::size_t axis = shape_.size(); axis-- > 0;) {
        const std::size_t place = rest % static_cast<std::size_t>(shape_[axis]);
        rest /= static_cast<std::size_t>(shape_[axis]);
        if (index.coordinate(i, static_cast<int>(axis)) != coordinates_[axis][place])
          throw std::invalid_argument("the first columns are not the coordinates of the grid");
      }
      T* out = colors_.data() + pixel / length_ * static_cast<std::size_t>(channels_) * stride_ +
               pixel % length_;
      for (int c = 0; c < channels_; ++c)
        out[static_cast<std::size_t>(c) * stride_] =
            index.coordinate(i, static_cast<int>(shape_.size()) + c);
      for (int c = 0; c < index.columns(); ++c) {
        const T value = index.coordinate(i, c);
        whole = whole && value == std::floor(value);
      }
    }
    if (!whole) is_whole = false;
  });
  is_whole_ = is_whole;
}

template <class T>
void Pixels<T>::copy_color(std::size_t pixel, double* out) const {
  const T* values = line(pixel / length_) + pixel % length_;
  for (int c = 0; c < channels_; ++c) out[c] = values[static_cast<std::size_t>(c) * stride_];
}

template <class T>
NeighborLists Pixels<T>::neighbor_lists(int k, const Run& run) const {
  NeighborLists lists(index_, k);
  const std::size_t pixels = position_.size();
  const std::size_t band = std::clamp<std::size_t>(
      pixels / (8 * static_cast<std::size_t>(run.threads)), 1, tuning::kBandPixels);
  struct Thread {
    WindowSearch<T> search;
    std::vector<Candidate> list;
    std::vector<double> squared_radius;  // of the band so far; infinity where masked out
  };
  std::vector<Thread> threads;
  threads.reserve(static_cast<std::size_t>(run.threads));
  for (int t = 0; t < run.threads; ++t)
    threads.push_back({WindowSearch<T>(*this, k),
                       std::vector<Candidate>(static_cast<std::size_t>(k)),
                       std::vector<double>(band)});
  const double triangle_factor =
      error_bounds::triangle_factor(static_cast<std::size_t>(index_.columns()));
  parallel_for(run, pixels, band, [&](std::size_t begin, std::size_t end, int t) {
    WorkMeter meter(run, t);
    Thread& thread = threads[static_cast<std::size_t>(t)];
    WindowSearch<T>& search = thread.search;
    std::vector<double>& squared_radius = thread.squared_radius;
    for (std::size_t pixel = begin; pixel < end; ++pixel) {
      const std::int32_t position = position_[pixel];
      squared_radius[pixel - begin] = kInfinity;
      if (position < 0) continue;
      // Samples within r of a pixel at distance d are within r + d from here.
      auto bound = [&](std::size_t back) {
        if (pixel - begin < back || squared_radius[pixel - begin - back] == kInfinity)
          return kInfinity;
        const double sum = std::sqrt(squared_radius[pixel - begin - back]) +
                           std::sqrt(index_.squared_distance(position, position_[pixel - back]));
        return sum * sum * triangle_factor;
      };
      search.run(pixel, std::min(pixel % length_ > 0 ? bound(1) : kInfinity, bound(length_)));
      meter.spend(search.cost() * static_cast<std::size_t>(index_.columns()));
      std::transform(
          search.result(), search.result() + k, thread.list.begin(), [&](Candidate found) {
            return Candidate{found.squared, position_[static_cast<std::size_t>(found.position)]};
          });
      lists.store(static_cast<std::size_t>(position), thread.list, search.tied_beyond());
      squared_radius[pixel - begin] = search.squared_radius();
    }
  });
  return lists;
}

template <class T>
double Pixels<T>::window_size(int k, double most, const Run& run) const {
  WorkMeter meter(run, 0);
  WindowSearch<T> search(*this, k);
  const std::size_t pixels = position_.size();
  const std::size_t wanted = std::min(tuning::kPilotPixels, pixels);
  const std::size_t spacing = pixels / wanted;
  std::size_t cost = 0, searched = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    // Not quite evenly, so that they do not all fall into the same few columns.
    const std::size_t pixel = i * spacing + i * 7919 % spacing;
    if (position_[pixel] < 0) continue;
    search.run(pixel, kInfinity);
    cost += search.cost();
    meter.spend(search.cost() * static_cast<std::size_t>(index_.columns()));
    ++searched;
    if (static_cast<double>(cost) > most * static_cast<double>(wanted)) return kInfinity;
  }
  return searched == 0 ? kInfinity : static_cast<double>(cost) / static_cast<double>(searched);
}

template class Pixels<float>;
template class Pixels<double>;

}  // namespace quickshiftpp
