#include "tests/experiments/experiment_run.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

#include "sql/mutex.h"
#include "tests/experiments/gang_history.h"
#include "tests/experiments/gang_objects.h"
#include "tests/experiments/gang_watch.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

struct ProcessorTime {
  double busy = 0, all = 0;
};

// Processor time of the whole machine since its start (proc_stat(5)).
ProcessorTime ReadProcessorTime() {
  std::ifstream stat("/proc/stat");
  std::string word;
  stat >> word;
  ProcessorTime time;
  constexpr int kStates = 8, kIdle = 3, kWaitsForDisk = 4;
  for (int state = 0; state < kStates; ++state) {
    double spent = 0;
    stat >> spent;
    time.all += spent;
    if (state != kIdle && state != kWaitsForDisk) time.busy += spent;
  }
  return time;
}

class RunningExperiment {
 public:
  RunningExperiment(const cluster::HttpOptions& access,
                    const GangExperiment& experiment,
                    const ExperimentOptions& options)
      : experiment_(experiment),
        options_(options),
        watch_(access, options.name_space, Sizes()),
        api_(access) {}

  ExperimentResult Run() {
    const ProcessorTime before = ReadProcessorTime();
    begin_ = moved_at_ = steady_clock::now();
    next_due_ = begin_;
    result_.gangs = static_cast<int>(experiment_.gangs.size());
    result_.whole_at.assign(result_.gangs, -1);
    while (result_.ended < result_.gangs && !Frozen()) {
      DoWhatIsDue();
      for (const GangNews& news : watch_.WaitForNews(NextMoment())) Note(news);
      ThrowRefusals();
    }
    const ProcessorTime after = ReadProcessorTime();
    result_.busy = (after.busy - before.busy) / (after.all - before.all);
    if (result_.ended > 0) {
      result_.turnaround /= result_.ended;
      result_.leaving /= result_.ended;
    }
    GangHistory history = HistoryOf(watch_.Changes(), experiment_.gangs, begin_,
                                    steady_clock::now(), options_.scale);
    result_.in_part = history.in_part;
    result_.longest_burst = history.longest_burst;
    result_.held = std::move(history.held);
    return std::move(result_);
  }

 private:
  std::vector<int> Sizes() const {
    std::vector<int> sizes;
    for (const ExperimentGang& gang : experiment_.gangs)
      sizes.push_back(gang.pods);
    return sizes;
  }

  SteadyTime::duration Scaled(double seconds) const {
    return std::chrono::duration_cast<SteadyTime::duration>(
        duration<double>(seconds / options_.scale));
  }
  double InExperiment(SteadyTime::duration time) const {
    return duration<double>(time).count() * options_.scale;
  }

  bool Frozen() const {
    return !next_due_ && ends_.empty() &&
           steady_clock::now() - moved_at_ > options_.patience;
  }

  SteadyTime NextMoment() const {
    SteadyTime next = moved_at_ + options_.patience + milliseconds(1);
    if (next_due_ || !ends_.empty()) next = SteadyTime::max();
    if (next_due_) next = std::min(next, *next_due_);
    if (!ends_.empty()) next = std::min(next, ends_.begin()->first);
    // Refusals do not wake the watch.
    return std::min(next, steady_clock::now() + milliseconds(500));
  }

  void DoWhatIsDue() {
    const auto now = steady_clock::now();
    while (!ends_.empty() && ends_.begin()->first <= now) {
      const auto [due, gang] = *ends_.begin();
      leaves_at_[gang] = due;
      End(gang);
      ends_.erase(ends_.begin());
    }
    if (!next_due_ || *next_due_ > now) return;
    Create(static_cast<int>(created_.size()));
    next_due_.reset();
    if (!experiment_.one_by_one && MoreAreToCome()) {
      next_due_ = begin_ + Scaled(experiment_.gap *
                                  static_cast<double>(created_.size()));
    }
  }

  bool MoreAreToCome() const {
    return created_.size() < experiment_.gangs.size();
  }

  void Note(const GangNews& news) {
    moved_at_ = news.at;
    if (news.what == GangNews::What::kWhole) {
      result_.whole_at[news.gang] = InExperiment(news.at - begin_);
      ends_.emplace(news.at + Scaled(experiment_.gangs[news.gang].runs),
                    news.gang);
      return;
    }
    const auto due = leaves_at_.find(news.gang);
    if (due == leaves_at_.end()) {
      throw std::runtime_error(GroupOfGang(news.gang) +
                               " was deleted by somebody else");
    }
    ++result_.ended;
    result_.leaving += news.at - due->second;
    result_.makespan = InExperiment(news.at - begin_);
    result_.turnaround += InExperiment(news.at - created_[news.gang]);
    if (options_.native_gangs)
      Send({.method = "DELETE",
            .path = PodGroups() + "/" + GroupOfGang(news.gang)});
    if (experiment_.one_by_one && MoreAreToCome()) next_due_ = news.at;
  }

  void Create(int gang) {
    created_.push_back(steady_clock::now());
    const ExperimentGang& shape = experiment_.gangs[gang];
    if (options_.native_gangs) {
      Send({.method = "POST",
            .path = PodGroups(),
            .body = PodGroupObject(gang, shape)});
    }
    for (int member = 0; member < shape.pods; ++member) {
      Send({.method = "POST",
            .path = Pods(),
            .body = PodObject(gang, member, shape, options_)});
    }
  }

  void End(int gang) {
    for (int member = 0; member < experiment_.gangs[gang].pods; ++member) {
      Send({.method = "DELETE",
            .path = Pods() + "/" + PodOfGang(gang, member) +
                    "?gracePeriodSeconds=0"});
    }
  }

  // Sends in the background; a refusal ends the experiment.
  void Send(cluster::HttpRequest request) {
    const std::string what = request.method + " " + request.path;
    const bool is_delete = request.method == "DELETE";
    api_.Start(std::move(request), [this, what, is_delete](const auto& answer) {
      // KWOK also deletes pods that are being deleted, and a repeated request
      // may have been executed before.
      const int done_already = is_delete ? 404 : 409;
      if (answer.Succeeded() || answer.status == done_already) return;
      const sql::MutexLock lock(mutex_);
      refusal_ = fmt::format("{}: {} {}{}", what, answer.status, answer.error,
                             answer.body);
    });
  }
  void ThrowRefusals() {
    const sql::MutexLock lock(mutex_);
    if (!refusal_.empty()) throw std::runtime_error(refusal_);
  }

  std::string Pods() const {
    return "/api/v1/namespaces/" + options_.name_space + "/pods";
  }
  std::string PodGroups() const {
    return "/apis/scheduling.k8s.io/v1alpha2/namespaces/" +
           options_.name_space + "/podgroups";
  }

  const GangExperiment& experiment_;
  const ExperimentOptions& options_;
  GangWatch watch_;

  ExperimentResult result_;  // sums where the result has means
  SteadyTime begin_, moved_at_;
  std::vector<SteadyTime> created_;
  std::optional<SteadyTime> next_due_;   // when the next gang arrives
  std::multimap<SteadyTime, int> ends_;  // of complete gangs
  std::map<int, SteadyTime> leaves_at_;  // of ended gangs: the deletion

  sql::Mutex mutex_;
  std::string refusal_ GUARDED_BY(mutex_);
  cluster::HttpClient api_;  // destroyed first: it calls back
};

}  // namespace

ExperimentResult RunExperiment(const cluster::HttpOptions& access,
                               const GangExperiment& experiment,
                               const ExperimentOptions& options) {
  return RunningExperiment(access, experiment, options).Run();
}

}  // namespace fluxnetes::testing
