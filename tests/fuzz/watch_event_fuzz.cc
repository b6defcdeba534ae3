// Any line of a watch and any page of a list is either read or reported as
// unreadable; an object that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/json/object_writer.h"
#include "cluster/json/watch_line.h"

using fluxnetes::cluster::ListPage;
using fluxnetes::cluster::Node;
using fluxnetes::cluster::Pod;
using fluxnetes::cluster::ReadListPage;
using fluxnetes::cluster::ReadWatchLine;
using fluxnetes::cluster::WatchedKind;
using fluxnetes::cluster::WatchEvent;
using fluxnetes::cluster::WatchLine;

namespace {

void WriteAndReadAgain(WatchedKind kind, const WatchEvent& event) {
  std::string object;
  if (const auto* pod =
          std::get_if<std::shared_ptr<const Pod>>(&event.object)) {
    object = WritePod(**pod);
  } else if (const auto* node =
                 std::get_if<std::shared_ptr<const Node>>(&event.object)) {
    object = WriteNode(**node);
  } else {
    return;  // kinds that we do not write
  }
  const WatchLine again =
      ReadWatchLine(kind, R"({"type":"ADDED","object":)" + object + "}");
  if (again.type != WatchLine::Type::kEvent) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const WatchedKind kind : fluxnetes::cluster::WatchedKindsInOrder()) {
    const WatchLine line = ReadWatchLine(kind, text);
    if (line.type == WatchLine::Type::kEvent) {
      WriteAndReadAgain(kind, line.event);
    }
    const ListPage page = ReadListPage(kind, text);
    for (const WatchEvent& event : page.changes) {
      WriteAndReadAgain(kind, event);
    }
  }
  return 0;
}
