#include "services/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/secret.h"
#include "services/console/table.h"
#include "services/doctor/cluster_checkup.h"
#include "services/doctor/database_checkup.h"
#include "services/doctor/finding.h"

namespace fluxnetes::services {
namespace {

using Status = Finding::Status;

struct StatusForm {
  const char* word;
  Colour colour;
};

StatusForm FormOf(Status status) {
  switch (status) {
    case Status::kWell:
      return {"ok", Colour::kGreen};
    case Status::kWarning:
      return {"warning", Colour::kYellow};
    case Status::kFailed:
      return {"FAILED", Colour::kRed};
    case Status::kSkipped:
      return {"skipped", Colour::kDim};
  }
  return {"", Colour::kNone};
}

// Returns nullopt if the configuration cannot be read; the reason is among the
// findings.
std::optional<Config> CheckConfig(const ConfigSources& sources,
                                  Findings& findings) {
  try {
    const EffectiveConfig effective = LoadConfig(sources);
    const auto set = std::ranges::count_if(
        effective.origin,
        [](const auto& origin) { return origin.second != "default"; });
    findings.push_back(
        {"configuration", Status::kWell,
         fmt::format("{} settings differ from their defaults", set)});
    return effective.config;
  } catch (const ConfigError& error) {
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);)
      findings.push_back(
          {"configuration", Status::kFailed, line,
           "Mend it there; `fluxnetes --help` lists the settings."});
    return std::nullopt;
  }
}

std::string Tell(const Findings& findings, const Console& console) {
  std::string text;
  for (const Finding& finding : findings) {
    const StatusForm form = FormOf(finding.status);
    text +=
        Painted(fmt::format("{:<8}", form.word), form.colour, console.colour) +
        fmt::format(" {}: {}\n", finding.check, Printable(finding.what));
    if (!finding.mend.empty())
      text += fmt::format("{:<9}-> {}\n", "", Printable(finding.mend));
  }
  return text;
}

nlohmann::ordered_json FindingsToJson(const Findings& findings, bool well) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    std::string word = FormOf(finding.status).word;
    std::ranges::transform(word, word.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    items.push_back({{"check", finding.check},
                     {"status", word},
                     {"what", finding.what},
                     {"mend", finding.mend.empty()
                                  ? nlohmann::ordered_json()
                                  : nlohmann::ordered_json(finding.mend)}});
  }
  return {{"kind", "Checkup"}, {"well", well}, {"items", std::move(items)}};
}

}  // namespace

ExitCode RunDoctor(const DoctorOptions& options, const ConfigSources& sources,
                   Console& console) {
  Findings findings;
  if (const auto config = CheckConfig(sources, findings)) {
    DatabaseCheckup database = CheckDatabase(*config, console.now);
    std::ranges::move(database.findings, std::back_inserter(findings));
    std::ranges::move(CheckCluster(*config, console.environment, console.now,
                                   database.owner_queues),
                      std::back_inserter(findings));
  }
  for (Finding& finding : findings) {
    finding.what = MaskPasswords(finding.what);
    finding.mend = MaskPasswords(finding.mend);
  }
  const auto count = [&](Status status) {
    return std::ranges::count(findings, status, &Finding::status);
  };
  const bool well = count(Status::kFailed) == 0;
  if (options.output == OutputFormat::kTable) {
    console.out << Tell(findings, console);
    console.err << fmt::format("{} checks: {} failed, {} warned, {} skipped.\n",
                               findings.size(), count(Status::kFailed),
                               count(Status::kWarning),
                               count(Status::kSkipped));
  } else {
    console.out << Write(FindingsToJson(findings, well), options.output);
  }
  return well ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace fluxnetes::services
