#include "tests/support/postgres.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "migrations/migrations.h"
#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "tests/support/database_template.h"
#include "tests/support/places.h"
#include "tests/support/process.h"
#include "tests/support/script.h"

namespace fluxnetes::testing {
namespace {

const std::string kScript = SourcePath("hack/postgres");

// Runs hack/postgres and returns its output.
std::string Run(const std::string& verb, const std::string& folder,
                const std::vector<std::string>& settings = {}) {
  std::string command =
      fmt::format("{} {} {}", Quoted(kScript), verb, Quoted(folder));
  for (const auto& setting : settings) command += " -c " + Quoted(setting);
  return RunScript(command);
}

// Stops the server and removes its folder.
std::string CommandToEnd(const std::string& folder) {
  return fmt::format("{} stop {}; rm -rf {}", Quoted(kScript), Quoted(folder),
                     Quoted(folder));
}

// Tests do not need durability.
const std::vector<std::string> kFast = {"fsync=off", "synchronous_commit=off",
                                        "full_page_writes=off",
                                        "max_connections=200"};

std::string TakenFromEnvironment() {
  const char* connection = std::getenv("FLUXNETES_TEST_POSTGRES");
  return connection == nullptr ? "" : connection;
}

std::string FreshName() {
  static std::atomic<int> count = 0;
  return fmt::format("test_{}_{}", getpid(), ++count);
}

}  // namespace

PrivateServer::PrivateServer(std::vector<std::string> settings)
    : settings_(std::move(settings)) {
  std::string folder =
      std::filesystem::temp_directory_path() / "fluxnetes-test.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("cannot make a folder like " + folder);
  folder_ = folder;
  lifeline_.emplace(CommandToEnd(folder_));
  Start();
  connection_ = Run("url", folder_);
}

PrivateServer::~PrivateServer() {
  try {
    Stop();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
}

void PrivateServer::Stop() {
  if (paused_) Resume();
  Run("stop", folder_);
}

void PrivateServer::Pause() {
  paused_ = true;
  SignalAll(SIGSTOP);
}

void PrivateServer::Resume() {
  SignalAll(SIGCONT);
  paused_ = false;
}

void PrivateServer::Start() { Run("start", folder_, settings_); }

// Returns the server's processes, the postmaster first.
std::vector<pid_t> PrivateServer::Processes() const {
  std::ifstream in(folder_ + "/data/postmaster.pid");
  pid_t postmaster = 0;
  in >> postmaster;
  if (postmaster <= 0) throw std::runtime_error("no server in " + folder_);
  std::vector<pid_t> processes{postmaster};
  std::ifstream children(
      fmt::format("/proc/{0}/task/{0}/children", postmaster));
  for (pid_t child = 0; children >> child;) processes.push_back(child);
  return processes;
}

// Signals the postmaster first, so that it forks no more children.
void PrivateServer::SignalAll(int signal) const {
  kill(Processes().front(), signal);
  const std::vector<pid_t> processes = Processes();
  for (std::size_t i = 1; i < processes.size(); ++i) kill(processes[i], signal);
}

void PrivateServer::StopAtOnce() {
  const std::vector<pid_t> processes = Processes();
  kill(processes.front(), SIGQUIT);
  WaitForEnd(processes);
}

// Stops all processes first, so that none is missed.
void PrivateServer::Kill() {
  SignalAll(SIGSTOP);
  const std::vector<pid_t> processes = Processes();
  for (const pid_t process : processes) kill(process, SIGKILL);
  WaitForEnd(processes);
}

void PrivateServer::WaitForEnd(const std::vector<pid_t>& processes) const {
  for (const pid_t process : processes)
    if (!WaitUntil(std::chrono::seconds(60),
                   [process] { return kill(process, 0) != 0; }))
      throw std::runtime_error("the server does not end");
}

const std::string& TestServer() {
  static const std::string given = TakenFromEnvironment();
  if (!given.empty()) return given;
  static const PrivateServer server(kFast);
  return server.connection();
}

TestDatabase::TestDatabase(bool migrated, const std::string& connection) {
  options_.connection = connection;
  options_.acquire_timeout = std::chrono::seconds(30);
  const std::string name = FreshName();
  const bool is_copy = migrated && connection == TestServer();
  options_.schema = is_copy ? kCopySchema : name;
  if (is_copy) {
    options_.connection = CopyTemplate(connection, name);
    copy_ = name;
  } else if (migrated) {
    sql::Pool bare(options_);
    sql::Migrator(bare, migrations::All()).Up();
  }
  if (migrated) options_.catalogues = {queue::Catalogue()};
  pool_ = std::make_unique<sql::Pool>(options_);
}

TestDatabase::~TestDatabase() {
  try {
    if (!copy_.empty()) {
      pool_.reset();
      DropCopy(TestServer(), copy_);
    } else {
      Execute(
          fmt::format("SET LOCAL client_min_messages = error; "
                      "SET LOCAL lock_timeout = '5s'; "
                      "DROP SCHEMA IF EXISTS {} CASCADE",
                      schema()));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "cannot drop what the test made: {}\n", error.what());
  }
}

void TestDatabase::UseCatalogues(
    std::vector<std::span<const sql::Query>> catalogues) {
  options_.catalogues = std::move(catalogues);
  pool_ = std::make_unique<sql::Pool>(options_);
}

std::string TestDatabase::Ask(const std::string& sql) {
  sql::Transaction transaction(*pool_);
  const sql::Result result = transaction.RunScript(sql);
  transaction.Commit();
  if (result.empty()) return "";
  return result[0].Find<std::string>(0).value_or("NULL");
}

std::string TestDatabase::AskAll(const std::string& sql) {
  sql::Transaction transaction(*pool_);
  const sql::Result result = transaction.RunScript(sql);
  transaction.Commit();
  const int columns = static_cast<int>(result.columns().size());
  std::string text;
  for (const sql::Row row : result) {
    if (!text.empty()) text += "\n";
    for (int column = 0; column < columns; ++column) {
      if (column > 0) text += "|";
      text += row.Find<std::string>(column).value_or("NULL");
    }
  }
  return text;
}

void TestDatabase::Execute(const std::string& sql) { Ask(sql); }

}  // namespace fluxnetes::testing
