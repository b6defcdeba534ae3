// The comparison of the graph in memory: see match_worker.h.
#include <algorithm>
#include <stdexcept>

#include "workers/match/match_worker.h"

namespace fluxnetes::workers {
namespace {

// Lets a second worker load the content of the first one's store; it writes
// nothing. A group that the first one read before its recorded start, as the
// clock of another process was ahead, is in memory as if it had started then
// (MatchWorker::Restore): it is read like that again.
class ReadingStore final : public MatchStore {
 public:
  ReadingStore(MatchStore& store, const Schedule& memory,
               std::set<std::string> claimed)
      : store_(store), memory_(memory), claimed_(std::move(claimed)) {}

  bool Acquire() override { return true; }
  std::optional<News> Read(const RequestMaker& requests) override {
    return store_.Read(requests);
  }
  News Load(const RequestMaker& requests) override {
    std::optional<News> news = store_.Read(requests);
    news_waits_ = !news;
    if (!news) return {};
    StartAsInMemory(news->held);
    return *std::move(news);
  }
  Names ReadNodes() override { return {claimed_.begin(), claimed_.end()}; }
  Claimed Claim(const RequestMaker&, const Names&) override { return {}; }
  std::vector<Held> ReadHoldersOfOthers(const RequestMaker& requests,
                                        const Names& nodes) override {
    std::vector<Held> held = store_.ReadHoldersOfOthers(requests, nodes);
    StartAsInMemory(held);
    return held;
  }
  void LetGo(const Names&) override {}
  News Take(const RequestMaker&, const std::set<GroupId>&) override {
    return {};
  }
  std::set<GroupId> Commit(const Decision&, cluster::Time) override {
    throw std::logic_error("a comparison decides nothing");
  }
  void GiveUp() override {}
  void Resign() override {}

  bool news_waits() const { return news_waits_; }

 private:
  void StartAsInMemory(std::vector<Held>& held) const {
    for (Held& each : held) {
      const auto start = memory_.StartOf(each.group);
      if (start) each.start = std::min(each.start, *start);
    }
  }

  MatchStore& store_;
  const Schedule& memory_;
  const std::set<std::string> claimed_;
  bool news_waits_ = false;
};

// The lines of a description by their first word, the node.
std::map<std::string, std::string> LinesOf(const std::string& picture) {
  std::map<std::string, std::string> lines;
  std::size_t begin = 0;
  while (begin < picture.size()) {
    const std::size_t end = std::min(picture.find('\n', begin), picture.size());
    const std::string line = picture.substr(begin, end - begin);
    lines[line.substr(0, line.find(' '))] = line;
    begin = end + 1;
  }
  return lines;
}

// The part of a line with the node and its use by others.
std::string NodePart(const std::string& line) {
  return line.substr(0, line.find(" | "));
}

std::string PlacesPart(const std::string& line) {
  const auto bar = line.find(" | ");
  return bar == line.npos ? "" : line.substr(bar);
}

}  // namespace

MatchWorker::Comparison MatchWorker::Compare() {
  Comparison result;
  if (schedule_ == nullptr) return result;
  ReadingStore store(store_, *schedule_, claimed_);
  MatchWorker twin(store, cache_, {});
  twin.now_ = now_;
  twin.Load();
  if (store.news_waits()) {
    result.again = true;
    return result;
  }
  const auto memory = LinesOf(Describe());
  const auto records = LinesOf(twin.Describe());
  auto before = std::move(suspects_);
  suspects_.clear();
  std::set<std::string> nodes;
  for (const auto& [node, line] : memory) nodes.insert(node);
  for (const auto& [node, line] : records) nodes.insert(node);
  const auto line_in = [](const auto& lines, const std::string& node) {
    const auto found = lines.find(node);
    return found == lines.end() ? std::string() : found->second;
  };
  for (const std::string& node : nodes) {
    std::pair both(line_in(memory, node), line_in(records, node));
    if (both.first == both.second) continue;
    const auto known = before.find(node);
    if (known == before.end() || known->second != both) {
      result.again = true;
      suspects_.emplace(node, std::move(both));
      continue;
    }
    if (NodePart(both.first) != NodePart(both.second))
      result.nodes.push_back(node);
    if (PlacesPart(both.first) != PlacesPart(both.second))
      result.places.push_back(node);
  }
  return result;
}

}  // namespace fluxnetes::workers
