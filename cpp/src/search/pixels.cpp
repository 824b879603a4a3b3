#include "quickshiftpp/search/pixels.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace quickshiftpp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Computed distances are within a few units in the last place of the true ones, for which the
/// triangle inequality holds.
constexpr double kSlack = 1 + 1e-12;
/// A sum of c squares in float32 is within (c + 6) * 2^-24 of the true one, up to what is lost
/// below the smallest normal number. With more channels than that allows for, nothing is screened.
constexpr double kScreenSlack = 1 + 0x1p-17;
constexpr float kScreenFloor = 0x1p-120f;
constexpr int kScreenChannels = 100;
/// Whole numbers below it, their sums and their products are exact in float32 while they stay so;
/// what exceeds it is rounded to no less.
constexpr double kWholeLimit = 0x1p24;

/// The samples met that are no farther than a limit, which falls as more come in.
///
/// They are sorted into buckets by distance: squared distances in an image spread evenly, so that
/// a bucket holds one or two, and a sort needs no comparisons that a processor could guess wrong.
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
    std::size_t begin = 0;
    for (std::size_t b = 0; b <= last; ++b) {  // begin_[b] is the end of bucket b now
      sort_bucket(begin, begin_[b]);
      begin = begin_[b];
    }
    tied_beyond = count > k_ && sorted_[k_].squared == sorted_[k_ - 1].squared;
    return sorted_.data();
  }

 private:
  std::size_t bucket(double squared) const {
    // By way of a signed number, which has an instruction of its own on every processor.
    return static_cast<std::size_t>(std::min(static_cast<std::int32_t>(squared * scale_),
                                             static_cast<std::int32_t>(buckets_) - 1));
  }

  /// Counts what lies where: begin_[b] is the number found in buckets below b. Returns the bucket
  /// of the k-th nearest.
  std::size_t fill_buckets() {
    scale_ = limit_ > 0 ? static_cast<double>(buckets_) / limit_ : 0;
    std::fill(begin_.begin(), begin_.end(), 0);
    for (std::size_t i = 0; i < found_; ++i) ++begin_[bucket(squared_[i]) + 1];
    std::size_t last = 0;
    while (begin_[last + 1] += begin_[last], begin_[last + 1] < k_) ++last;
    return last;
  }

  /// Forgets what is beyond the bucket of the k-th nearest.
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

  void sort_bucket(std::size_t begin, std::size_t end) {
    auto comes_first = [](const Candidate& a, const Candidate& b) {
      return a.squared != b.squared ? a.squared < b.squared : a.position < b.position;
    };
    if (end - begin > 16) {
      std::sort(sorted_.data() + begin, sorted_.data() + end, comes_first);
      return;
    }
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Candidate moved = sorted_[i];
      std::size_t j = i;
      for (; j > begin && comes_first(moved, sorted_[j - 1]); --j) sorted_[j] = sorted_[j - 1];
      sorted_[j] = moved;
    }
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
        colour_(static_cast<std::size_t>(pixels.channels_)),
        along_(pixels.stride_),
        colour_single_(colour_.size()),
        along_single_(pixels.stride_) {
    line_.stride = pixels.stride_;
    line_.channels = pixels.channels_;
    line_.colour = colour_.data();
    line_.along = along_.data();
    line_.colour_single = colour_single_.data();
    line_.along_single = along_single_.data();
  }

  /// Afterwards result() holds the nearest of `pixel`, of which the squared radius is known to be
  /// at most `limit`.
  void run(std::size_t pixel, double limit) {
    go_to(pixel);
    if (limit == kInfinity) limit = first_limit();
    buckets_.reset(limit);
    seen_ = 0;
    const auto [begin, end] = reach(limit);
    measure_along(begin, end);
    visit_lines(0, 0, 0, 0);
    result_ = buckets_.sort(tied_beyond_);
  }

  const Candidate* result() const { return result_; }
  bool tied_beyond() const { return tied_beyond_; }
  double squared_radius() const { return result_[k_ - 1].squared; }
  /// Pixels looked at by the last run, each line counting as a few more.
  std::size_t seen() const { return seen_; }

 private:
  void go_to(std::size_t pixel) {
    pixels_.colour(pixel, colour_.data());
    std::copy(colour_.begin(), colour_.end(), colour_single_.begin());
    for (std::size_t axis = place_.size(); axis-- > 0;) {
      const auto length = static_cast<std::size_t>(pixels_.shape_[axis]);
      place_[axis] = pixel % length;
      pixel /= length;
    }
  }

  /// The part of a line that can lie within `squared`, and a little more.
  std::pair<std::size_t, std::size_t> reach(double squared) const {
    const std::size_t centre = place_.back();
    const double steps = std::sqrt(squared) / pixels_.step_.back() + 2;
    const auto half =
        static_cast<std::size_t>(std::min(steps, static_cast<double>(pixels_.length_)));
    return {centre > half ? centre - half : 0, std::min(centre + half + 1, pixels_.length_)};
  }

  /// Squared distances along a line, the same for every line, in a part of it and what a run over
  /// it may read beyond.
  void measure_along(std::size_t begin, std::size_t end) {
    const std::vector<double>& coordinate = pixels_.coordinates_.back();
    const double centre = coordinate[place_.back()];
    end = std::min(end + kRunOverhang, pixels_.length_);
    for (std::size_t i = begin; i < end; ++i) {
      const double gap = coordinate[i] - centre;
      along_[i] = gap * gap;
      along_single_[i] = static_cast<float>(along_[i]);
    }
  }

  /// A bound for a pixel about whose neighbours nothing is known: by windows that grow until they
  /// hold k samples.
  double first_limit() {
    measure_along(0, pixels_.length_);
    for (std::size_t half = 1;; half *= 2) {
      buckets_.reset(kInfinity);
      visit_lines(0, 0, 0, half);
      if (buckets_.found() >= static_cast<std::size_t>(k_)) return buckets_.kth();
    }
  }

  /// Visits lines from the pixel's own outward, along one axis after another. `across` is the
  /// squared distance so far; it grows with every step outward, and no line beyond the limit can
  /// hold a neighbour. In a window of fixed size, where `half` is not 0, nothing else counts.
  void visit_lines(std::size_t axis, std::size_t line, double across, std::size_t half) {
    if (axis + 1 == place_.size()) {
      look_along(line, across, half);
      return;
    }
    const std::vector<double>& coordinate = pixels_.coordinates_[axis];
    const std::size_t centre = place_[axis];
    bool goes_down = true, goes_up = true;
    auto visit = [&](std::size_t i) {
      const double gap = coordinate[i] - coordinate[centre];
      const double sum = across + gap * gap;
      if (sum > buckets_.limit()) return false;
      visit_lines(axis + 1, line * coordinate.size() + i, sum, half);
      return true;
    };
    visit(centre);
    for (std::size_t step = 1; (goes_down || goes_up) && (half == 0 || step <= half); ++step) {
      goes_down = goes_down && centre >= step && visit(centre - step);
      goes_up = goes_up && centre + step < coordinate.size() && visit(centre + step);
    }
  }

  void look_along(std::size_t line, double across, std::size_t half) {
    const std::size_t centre = place_.back();
    auto [begin, end] = half == 0 ? reach(std::max(buckets_.limit() - across, 0.0))
                                  : std::pair(centre > half ? centre - half : 0,
                                              std::min(centre + half + 1, pixels_.length_));
    seen_ += end - begin + tuning::kLineCost;
    buckets_.reserve(end - begin + kRunOverhang);
    line_.colours = pixels_.line(line);
    line_.first = static_cast<std::int32_t>(line * pixels_.length_);
    line_.across = across;
    line_.across_single = static_cast<float>(across);
    line_.limit = buckets_.limit();
    line_.is_whole = pixels_.is_whole_ && line_.limit < kWholeLimit;
    line_.limit_single = pixels_.channels_ <= kScreenChannels
                             ? static_cast<float>(line_.limit * kScreenSlack) + kScreenFloor
                             : std::numeric_limits<float>::infinity();
    buckets_.add(kernel_.run_within(line_, static_cast<int>(begin), static_cast<int>(end),
                                    buckets_.squared(), buckets_.pixel()));
  }

  const Pixels<T>& pixels_;
  const Kernels<T>& kernel_;
  int k_;
  CandidateBuckets buckets_;
  std::vector<std::size_t> place_;
  std::vector<double> colour_;
  std::vector<double> along_;
  std::vector<float> colour_single_;
  std::vector<float> along_single_;
  Line<T> line_;
  const Candidate* result_ = nullptr;
  bool tied_beyond_ = false;
  std::size_t seen_ = 0;
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
      colours_(lines_ * stride_ * static_cast<std::size_t>(channels_)),
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
  std::fill_n(colours_.data(), colours_.size(), std::numeric_limits<T>::quiet_NaN());
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
      T* out = colours_.data() + pixel / length_ * static_cast<std::size_t>(channels_) * stride_ +
               pixel % length_;
      for (int c = 0; c < channels_; ++c)
        out[static_cast<std::size_t>(c) * stride_] =
            index.coordinate(i, static_cast<int>(shape_.size()) + c);
      for (int c = 0; c < index.columns(); ++c) {
        const T value = index.coordinate(i, c);
        whole = whole && value == std::floor(value) && std::abs(value) < kWholeLimit / 2;
      }
    }
    if (!whole) is_whole = false;
  });
  is_whole_ = is_whole;
}

template <class T>
void Pixels<T>::colour(std::size_t pixel, double* out) const {
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
    std::vector<double> radius;  // squared, of the band so far; infinity where masked out
  };
  std::vector<Thread> threads;
  threads.reserve(static_cast<std::size_t>(run.threads));
  for (int t = 0; t < run.threads; ++t)
    threads.push_back({WindowSearch<T>(*this, k),
                       std::vector<Candidate>(static_cast<std::size_t>(k)),
                       std::vector<double>(band)});
  parallel_for(run, pixels, band, [&](std::size_t begin, std::size_t end, int t) {
    auto& [search, list, radius] = threads[static_cast<std::size_t>(t)];
    for (std::size_t pixel = begin; pixel < end; ++pixel) {
      const std::int32_t position = position_[pixel];
      radius[pixel - begin] = kInfinity;
      if (position < 0) continue;
      // Whoever is within r of a pixel at distance d is within r + d from here.
      auto bound = [&](std::size_t back) {
        if (pixel - begin < back || radius[pixel - begin - back] == kInfinity) return kInfinity;
        const double apart = index_.squared_distance(position, position_[pixel - back]);
        const double sum = std::sqrt(radius[pixel - begin - back]) + std::sqrt(apart);
        return sum * sum * kSlack;
      };
      search.run(pixel, std::min(pixel % length_ > 0 ? bound(1) : kInfinity, bound(length_)));
      std::transform(search.result(), search.result() + k, list.begin(), [&](Candidate found) {
        return Candidate{found.squared, position_[static_cast<std::size_t>(found.position)]};
      });
      lists.store(static_cast<std::size_t>(position), list, search.tied_beyond());
      radius[pixel - begin] = search.squared_radius();
    }
  });
  return lists;
}

template <class T>
double Pixels<T>::window_size(int k, double most) const {
  WindowSearch<T> search(*this, k);
  const std::size_t pixels = position_.size();
  const std::size_t wanted = std::min(tuning::kPilotPixels, pixels);
  const std::size_t apart = pixels / wanted;
  std::size_t seen = 0, searched = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    // Not quite evenly, so that they do not all fall into the same few columns.
    const std::size_t pixel = i * apart + i * 7919 % apart;
    if (position_[pixel] < 0) continue;
    search.run(pixel, kInfinity);
    seen += search.seen();
    ++searched;
    if (static_cast<double>(seen) > most * static_cast<double>(wanted)) return kInfinity;
  }
  return searched == 0 ? kInfinity : static_cast<double>(seen) / static_cast<double>(searched);
}

template class Pixels<float>;
template class Pixels<double>;

}  // namespace quickshiftpp
