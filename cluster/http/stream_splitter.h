// Splits a stream of the API server into its messages: in JSON each is a line,
// in Protobuf each has its length before it, in 4 bytes, the highest first.
// (k8s.io/apimachinery, pkg/util/framer.)
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

// Whether a stream of this content type has lengths instead of lines.
bool IsFramed(std::string_view content_type);

class StreamSplitter {
 public:
  using Receiver = std::function<void(std::string_view message)>;

  // Take what has arrived and pass on the messages that are complete with it.
  // Return false if one is longer than 16 MiB. One stream calls one of them.
  bool TakeLines(std::string_view data, const Receiver& receiver);
  bool TakeFrames(std::string_view data, const Receiver& receiver);

 private:
  std::string partial_;  // a message's beginning
};

}  // namespace fluxnetes::cluster
