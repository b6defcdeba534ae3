// Any text either is a selector of devices or is refused with a place in it; a
// selector says the same of a device each time, and ends.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "matcher/devices/device_selector.h"

namespace {

using fluxnetes::matcher::Device;
using fluxnetes::matcher::DeviceSelector;
using fluxnetes::matcher::DeviceVersion;
using fluxnetes::matcher::ReadAmount;
using fluxnetes::matcher::SelectorError;

const Device& OneDevice() {
  static const Device device{
      .name = "gpu",
      .attributes = {{"a.b/s", std::string("text")},
                     {"a.b/i", std::int64_t{3}},
                     {"a.b/t", true},
                     {"c.d/v", DeviceVersion{"1.2.3-rc.1"}}},
      .capacity = {{"a.b/q", *ReadAmount("80Gi")}}};
  return device;
}

// "line:column: ..."
bool HasPlace(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != 0 && colon != text.npos &&
         text.find_first_not_of("0123456789") == colon &&
         text.find(": ", colon + 2) != text.npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.ends_with('\n')) text.remove_suffix(1);  // as corpus files end
  try {
    const DeviceSelector selector(text);
    const auto first = selector.Evaluate("a.b", OneDevice());
    const auto second = selector.Evaluate("a.b", OneDevice());
    if (first.matches != second.matches || first.error != second.error ||
        first.cost != second.cost || (first.matches && !first.error.empty())) {
      std::abort();
    }
  } catch (const SelectorError& error) {
    if (!HasPlace(error.what())) std::abort();
  }
  return 0;
}
