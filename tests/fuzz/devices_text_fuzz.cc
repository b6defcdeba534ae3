// For any bytes ReadDevices() returns devices or throws DevicesError; they are
// read again as they are written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "matcher/devices/devices_text.h"

using namespace fluxnetes::matcher;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto devices = ReadDevices(text);
    if (ReadDevices(WriteDevices(devices)) != devices) std::abort();
  } catch (const DevicesError&) {
  }
  return 0;
}
