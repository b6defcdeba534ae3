#include <filesystem>
#include <fstream>
#include <ostream>

#include "matcher/resource_query/session.h"
#include "matcher/writers/graph_writer.h"
#include "matcher/writers/picture.h"

namespace fluxnetes::matcher {
namespace {

bool Save(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.good();
}

}  // namespace

bool Session::SaveGraph() {
  if (options_.graph_output.empty()) return true;
  const std::string path = options_.graph_output + "." + options_.graph_format;
  std::error_code missing;
  if (std::filesystem::equivalent(path, options_.load_file, missing)) {
    streams_.errors << "ERROR: can't write " << path
                    << ": the graph was loaded from it\n";
    return false;
  }
  const ResourceGraph& graph = matcher_.graph();
  if (Save(path, options_.graph_format == "dot" ? WriteDot(graph)
                                                : WriteGraphMl(graph))) {
    return true;
  }
  streams_.errors << "ERROR: can't write " << path << '\n';
  return false;
}

void Session::RunPicture(const Words& words) {
  if (words.size() != 2) return SayMalformed();
  std::vector<PictureJob> jobs;
  for (const auto& [id, info] : jobs_) {
    if (!matcher_.Known(id)) continue;
    PictureJob job;
    job.id = id;
    job.name = std::filesystem::path(info.source).filename().string();
    job.start = info.at;
    // A duration that is as long as possible is shown as unknown.
    if (info.duration < MatcherOptions{}.end &&
        info.duration < kForever - info.at) {
      job.end = info.at + info.duration;
    }
    job.reserved = matcher_.Reserved(id);
    job.held = HeldAlone(matcher_, id);
    jobs.push_back(std::move(job));
  }
  if (!Save(words[1], DrawPicture(matcher_.graph(), jobs, /*now=*/0))) {
    streams_.errors << "ERROR: can't write " << words[1] << '\n';
  }
}

}  // namespace fluxnetes::matcher
