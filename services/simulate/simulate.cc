#include "services/simulate/simulate.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <ostream>

#include "services/console/display_text.h"
#include "services/console/exit_code.h"
#include "services/simulate/simulation_chart.h"
#include "services/simulate/simulation_input.h"
#include "services/simulate/simulation_pictures.h"
#include "services/simulate/simulation_report.h"

namespace fluxnetes::services {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenProgress{200};
constexpr std::size_t kNotesShown = 20;
constexpr const char* kOnTerminal = "-";  // of --gantt
constexpr int kDefaultColumns = 80;       // if the output is no terminal

double SecondsSince(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// A progress line on the terminal that overwrites itself.
class ProgressLine {
 public:
  ProgressLine(Console& console, std::size_t groups)
      : console_(console), groups_(groups) {}
  ~ProgressLine() {
    if (shown_) console_.err << "\r\033[K" << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const workers::SimulationProgress& progress) {
    const auto now = Clock::now();
    if (now - last_ < kBetweenProgress) return;
    last_ = now;
    shown_ = true;
    console_.err << fmt::format("\r\033[K{} of {} groups are over, {} wait",
                                progress.over, groups_, progress.waiting)
                 << std::flush;
  }

 private:
  Console& console_;
  const std::size_t groups_;
  Clock::time_point last_ = Clock::now();
  bool shown_ = false;
};

workers::Course RunScenario(const SimulationInput& input,
                            const SimulateOptions& options, Console& console) {
  workers::SimulationOptions how;
  how.keep_nodes = !options.gantt.empty() || !options.csv.empty();
  if (options.overrun)
    how.overrun =
        std::chrono::ceil<std::chrono::seconds>(*options.overrun).count();
  ProgressLine line(console, input.scenario.groups.size());
  how.progress = [&](const workers::SimulationProgress& progress) {
    if (console.terminal) line.Show(progress);
    return !console.wait(std::chrono::milliseconds(0));
  };
  return workers::Simulate(input.scenario, how);
}

void WriteFile(const std::string& path,
               const std::function<void(std::ostream&)>& write) {
  if (path.empty()) return;
  std::ofstream out(path, std::ios::binary);
  if (out) write(out);
  if (!out.flush())
    throw Failure(
        ExitCode::kFailed,
        fmt::format("{} cannot be written: {}", path, std::strerror(errno)),
        "Name a file in a folder that you may write into.");
}

void WriteFiles(const SimulateOptions& options, const SimulationInput& input,
                const workers::Course& course) {
  const workers::Scenario& scenario = input.scenario;
  WriteFile(options.csv,
            [&](std::ostream& out) { WriteCsv(scenario, course, out); });
  if (options.gantt != kOnTerminal)
    WriteFile(options.gantt, [&](std::ostream& out) {
      out << GanttPicture(scenario, course);
    });
  WriteFile(options.utilisation, [&](std::ostream& out) {
    out << UtilisationPicture(scenario, course);
  });
  WriteFile(options.waits,
            [&](std::ostream& out) { out << WaitsPicture(scenario, course); });
}

void TellNotes(const SimulationInput& input, Console& console) {
  console.out << std::flush;
  for (const TraceNote& note : input.trace_notes)
    console.err << "Warning: " << TextOf(note) << '\n';
  for (std::size_t i = 0; i < input.notes.size(); ++i) {
    if (i == kNotesShown) {
      console.err << fmt::format("... and {} more\n", input.notes.size() - i);
      return;
    }
    console.err << "Warning: " << Printable(input.notes[i]) << '\n';
  }
}

}  // namespace

ExitCode RunSimulate(const SimulateOptions& options, const Config& config,
                     sql::Pool* pool, Console& console) {
  if (options.gantt == kOnTerminal && options.output != OutputFormat::kTable)
    throw Failure(ExitCode::kUsage, "--gantt - goes with a table only",
                  "Right would be --gantt FILE, or no -o.");
  const SimulationInput input = ReadSimulation(options, config, pool, console);
  const auto from = Clock::now();
  const workers::Course course = RunScenario(input, options, console);
  const double took = SecondsSince(from);
  WriteFiles(options, input, course);
  console.out << Write({.input = input,
                        .course = course,
                        .summary = workers::Summarize(input.scenario, course),
                        .took = took},
                       options.output);
  if (options.gantt == kOnTerminal) {
    const int columns = console.size().first;
    console.out << '\n'
                << GanttChart(input.scenario, course,
                              columns > 0 ? columns : kDefaultColumns);
  }
  TellNotes(input, console);
  return course.stopped ? ExitCode::kInterrupted : ExitCode::kOk;
}

}  // namespace fluxnetes::services
