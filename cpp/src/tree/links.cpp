#include "quickshiftpp/tree/links.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/follow_links.hpp"

namespace quickshiftpp {

Buffer<std::int32_t> link_roots(const std::int32_t* link, std::size_t count, const Run& run) {
  Buffer<std::int32_t> root(count);
  std::copy_n(link, count, root.data());
  const bool is_valid = std::all_of(link, link + count, [&](std::int32_t to) {
    return to >= 0 && static_cast<std::size_t>(to) < count;
  });
  if (!is_valid) throw std::invalid_argument("a link must be the number of an entry");
  follow_links(root, run);
  const bool ends_at_roots = std::all_of(root.data(), root.data() + count,
                                         [&](std::int32_t end) { return link[end] == end; });
  if (!ends_at_roots) throw std::invalid_argument("the links form a cycle");
  return root;
}

}  // namespace quickshiftpp
