#include "cluster/http/stream_splitter.h"

#include <algorithm>

namespace fluxnetes::cluster {
namespace {

constexpr std::size_t kLongest = std::size_t{16} << 20U;
constexpr std::size_t kLengthBytes = 4;

std::size_t LengthOf(std::string_view frame) {
  std::size_t length = 0;
  for (const char byte : frame.substr(0, kLengthBytes))
    length = (length << 8U) | static_cast<unsigned char>(byte);
  return length;
}

}  // namespace

bool IsFramed(std::string_view content_type) {
  return content_type.starts_with("application/vnd.kubernetes.protobuf");
}

bool StreamSplitter::TakeLines(std::string_view data,
                               const Receiver& receiver) {
  for (std::size_t end = data.find('\n'); end != std::string_view::npos;
       end = data.find('\n')) {
    if (partial_.empty()) {
      receiver(data.substr(0, end));
    } else {
      partial_ += data.substr(0, end);
      receiver(partial_);
      partial_.clear();
    }
    data.remove_prefix(end + 1);
  }
  partial_ += data;
  return partial_.size() <= kLongest;
}

bool StreamSplitter::TakeFrames(std::string_view data,
                                const Receiver& receiver) {
  // Moves bytes from `data` until the partial message has this many.
  const auto fill = [&](std::size_t size) {
    if (partial_.size() < size) {
      const std::size_t more = std::min(size - partial_.size(), data.size());
      partial_ += data.substr(0, more);
      data.remove_prefix(more);
    }
    return partial_.size() >= size;
  };
  while (fill(kLengthBytes)) {
    const std::size_t length = LengthOf(partial_);
    if (length > kLongest) return false;
    if (!fill(kLengthBytes + length)) return true;
    receiver(std::string_view(partial_).substr(kLengthBytes));
    partial_.clear();
  }
  return true;
}

}  // namespace fluxnetes::cluster
