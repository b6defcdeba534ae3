#include "tests/queue/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fluxnetes::queue {
namespace {

struct LeaseSeen {
  int attempt;
  const Call* call;
};

struct ResultSeen {
  int attempt;
  std::string outcome;
  const Call* call;
  bool accepted;  // if there was an answer
};

struct JobSeen {
  std::vector<LeaseSeen> leases;
  std::vector<ResultSeen> results;
  std::vector<LastState> last;
};

bool Given(const Call& call) { return call.answer == Call::Answer::kGiven; }

class Judge {
 public:
  explicit Judge(const History& history) : history_(history) {
    for (const Call& call : history.calls) Note(call);
    for (const LastState& job : history.jobs) {
      jobs_[job.id].last.push_back(job);
      names_[job.name].push_back(job.id);
    }
  }

  std::vector<std::string> Run() {
    for (const Call& call : history_.calls)
      if (call.what == "insert") JudgeInsert(call);
    for (const auto& [name, ids] : names_)
      if (!asked_.contains(name)) Say("{} was never inserted", name);
    for (const auto& [id, job] : jobs_) {
      JudgeLeases(id, job);
      JudgeResults(id, job);
      JudgeEnd(id, job);
    }
    return std::move(violations_);
  }

 private:
  template <typename... Words>
  void Say(fmt::format_string<Words...> format, Words&&... words) {
    violations_.push_back(fmt::format(format, std::forward<Words>(words)...));
  }

  void Note(const Call& call);
  void JudgeInsert(const Call& call);
  void JudgeLeases(std::int64_t id, const JobSeen& job);
  void JudgeResults(std::int64_t id, const JobSeen& job);
  void JudgeAccepted(std::int64_t id, const JobSeen& job,
                     const ResultSeen& result);
  void JudgeRefused(std::int64_t id, const JobSeen& job,
                    const ResultSeen& result);
  void JudgeEnd(std::int64_t id, const JobSeen& job);

  const History& history_;
  std::map<std::int64_t, JobSeen> jobs_;
  std::map<std::string, std::vector<std::int64_t>> names_;
  std::set<std::string> asked_;
  std::vector<std::string> violations_;
};

std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  return parts;
}

void Judge::Note(const Call& call) {
  if (call.what == "insert")
    asked_.insert(call.arguments.begin(), call.arguments.end());
  if (call.what == "lease" && Given(call)) {
    for (const std::string& leased : call.answers) {
      const auto parts = Parts(leased);
      jobs_[std::stoll(parts.at(0))].leases.push_back(
          {std::stoi(parts.at(1)), &call});
    }
  }
  if (call.what != "finish") return;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto parts = Parts(call.arguments[i]);
    jobs_[std::stoll(parts.at(0))].results.push_back(
        {std::stoi(parts.at(1)), parts.at(2), &call,
         Given(call) && call.answers.at(i) == "1"});
  }
}

void Judge::JudgeInsert(const Call& call) {
  std::size_t there = 0;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const std::string& name = call.arguments[i];
    const auto found = names_.find(name);
    const std::size_t count = found == names_.end() ? 0 : found->second.size();
    there += count > 0 ? 1 : 0;
    if (count > 1) Say("{} is there {} times", name, count);
    if (!Given(call)) continue;
    if (count == 0)
      Say("{} was acknowledged and is lost", name);
    else if (std::to_string(found->second[0]) != call.answers.at(i))
      Say("{} has another id than was said", name);
  }
  if (call.answer == Call::Answer::kFailed && there > 0)
    Say("{} is there, though its insert failed", call.arguments[0]);
  if (there != 0 && there != call.arguments.size())
    Say("of the batch of {} only {} are there", call.arguments[0], there);
}

void Judge::JudgeLeases(std::int64_t id, const JobSeen& job) {
  for (const LeaseSeen& one : job.leases) {
    for (const LeaseSeen& other : job.leases) {
      if (&one < &other && one.attempt == other.attempt)
        Say("attempt {} of job {} was leased twice", one.attempt, id);
      if (one.call->ended < other.call->began && one.attempt > other.attempt)
        Say("job {} was leased in attempt {} after attempt {}", id,
            other.attempt, one.attempt);
    }
    for (const LastState& last : job.last)
      if (last.attempt < one.attempt)
        Say("job {} had attempt {} and ends with {}", id, one.attempt,
            last.attempt);
  }
}

void Judge::JudgeResults(std::int64_t id, const JobSeen& job) {
  std::set<int> ended;
  for (const ResultSeen& result : job.results) {
    if (!Given(*result.call)) continue;
    if (!result.accepted) {
      JudgeRefused(id, job, result);
      continue;
    }
    JudgeAccepted(id, job, result);
    if (!ended.insert(result.attempt).second)
      Say("attempt {} of job {} has two accepted results", result.attempt, id);
  }
}

void Judge::JudgeAccepted(std::int64_t id, const JobSeen& job,
                          const ResultSeen& result) {
  const bool over = result.outcome != "failed" && result.outcome != "snoozed";
  for (const LeaseSeen& lease : job.leases) {
    if (lease.attempt > result.attempt &&
        lease.call->ended < result.call->began)
      Say("a result of attempt {} of job {} was accepted after attempt {} had "
          "begun",
          result.attempt, id, lease.attempt);
    if (over && lease.call->began > result.call->ended)
      Say("job {} was leased after it had ended", id);
  }
  for (const LastState& last : job.last) {
    if (over &&
        (last.state != result.outcome || last.attempt != result.attempt))
      Say("job {} was accepted as {} in attempt {}, and is {} in {}", id,
          result.outcome, result.attempt, last.state, last.attempt);
    if (std::ranges::count(last.rescued, result.attempt) > 0)
      Say("attempt {} of job {} was rescued, and had a result", result.attempt,
          id);
    if (result.outcome == "failed" &&
        std::ranges::count(last.failed, result.attempt) == 0)
      Say("the error of attempt {} of job {} is lost", result.attempt, id);
  }
}

// Another result of this attempt was accepted, or the attempt was rescued.
void Judge::JudgeRefused(std::int64_t id, const JobSeen& job,
                         const ResultSeen& result) {
  for (const ResultSeen& other : job.results)
    if (&other != &result && other.attempt == result.attempt &&
        (other.accepted || other.call->answer == Call::Answer::kInDoubt) &&
        other.call->began < result.call->ended)
      return;
  for (const LastState& last : job.last)
    if (std::ranges::count(last.rescued, result.attempt) > 0) return;
  Say("a result of attempt {} of job {} was refused without a reason",
      result.attempt, id);
}

void Judge::JudgeEnd(std::int64_t id, const JobSeen& job) {
  if (job.last.empty()) Say("job {} was seen, and is nowhere", id);
  if (job.last.size() > 1) Say("job {} is in {} rows", id, job.last.size());
  for (const LastState& last : job.last) {
    if (last.state != "completed" && last.state != "cancelled" &&
        last.state != "discarded")
      Say("job {} never ended: it is {}", id, last.state);
    std::vector<int> all = last.failed;
    all.insert(all.end(), last.rescued.begin(), last.rescued.end());
    std::ranges::sort(all);
    if (std::ranges::adjacent_find(all) != all.end())
      Say("an attempt of job {} failed twice", id);
  }
}

Call::Answer AnswerOf(const std::string& word) {
  if (word == "given") return Call::Answer::kGiven;
  if (word == "failed") return Call::Answer::kFailed;
  if (word == "doubt") return Call::Answer::kInDoubt;
  throw std::runtime_error("no answer: " + word);
}

std::vector<std::string> Rest(std::istringstream& in) {
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

// Lines are `>` NUMBER TIME WHAT ARGUMENT... and `<` NUMBER TIME ANSWER...; the
// calls of a process are numbered from 0.
void ReadCalls(const std::string& path, std::vector<Call>& calls) {
  const std::size_t first = calls.size();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) break;
    std::istringstream in(line);
    std::string side;
    std::string word;
    std::size_t number = 0;
    std::int64_t time = 0;
    if (!(in >> side >> number >> time >> word))
      throw std::runtime_error(path + ": cannot read " + line);
    if (side == ">") {
      calls.emplace_back();
      calls.back().what = word;
      calls.back().arguments = Rest(in);
      calls.back().began = time;
    } else {
      Call& call = calls.at(first + number);
      call.ended = time;
      call.answer = AnswerOf(word);
      call.answers = Rest(in);
    }
  }
}

std::vector<std::string> Violations(const History& history) {
  return Judge(history).Run();
}

}  // namespace fluxnetes::queue
