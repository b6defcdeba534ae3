// Any text either is a kubeconfig or is refused, and either is the answer of a
// credential plugin or is refused. Texts with a slash are skipped, because they
// could name any file of the machine.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cluster/http/credential_plugin.h"
#include "cluster/kubernetes/kubeconfig.h"
#include "cluster/text/yaml_document.h"

namespace {

using fluxnetes::cluster::CredentialError;
using fluxnetes::cluster::Identity;
using fluxnetes::cluster::InputError;

void CheckKubeconfig(const std::string& text) {
  const fluxnetes::cluster::KubeconfigFile file{"fuzz", text};
  try {
    const auto access = fluxnetes::cluster::ReadKubeconfig({&file, 1}, "");
    if (!access.address.starts_with("http")) std::abort();
  } catch (const InputError&) {
    return;
  }
}

void CheckPluginAnswer(const std::string& text) {
  try {
    const auto answer = fluxnetes::cluster::ReadPluginAnswer(text, {});
    if (answer.identity == Identity{}) std::abort();
  } catch (const CredentialError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  CheckPluginAnswer(text);
  // "http:" stands for "http://x", which needs slashes.
  if (text.find('/') != std::string::npos) return 0;
  for (std::size_t at = text.find("http:"); at != std::string::npos;
       at = text.find("http:", at + 5))
    text.insert(at + 5, "//");
  CheckKubeconfig(text);
  return 0;
}
