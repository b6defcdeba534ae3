// Traces in the Standard Workload Format: the fields that are read, the jobs
// that are skipped and counted, and the errors for invalid text.
#include "cluster/files/swf_trace.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fluxnetes::cluster {
namespace {

SwfTrace ReadTrace(const std::string& text, const SwfLimits& limits = {}) {
  std::istringstream in(text);
  return ReadSwf(in, "trace.swf", limits);
}

std::string WhyTraceRefused(const std::string& text,
                            const SwfLimits& limits = {}) {
  try {
    ReadTrace(text, limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

constexpr auto kTraceJob = "1 10 5 100 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n";

TEST(SwfTrace, JobHasWhatTheSchedulerWouldHaveKnown) {
  const SwfTrace trace =
      ReadTrace(std::string("; Version: 2.2\n;MaxNodes: 128 (of two kinds)\n"
                            ";  MaxProcs:\t512\n\n") +
                kTraceJob);
  EXPECT_EQ(trace.max_nodes, 128);
  EXPECT_EQ(trace.max_processors, 512);
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0], (SwfJob{.number = 1,
                                   .submit = 10,
                                   .runs = 100,
                                   .requested = 120,
                                   .processors = 4,
                                   .user = 3,
                                   .queue = 2}));
  EXPECT_EQ(trace.Unusable(), 0);
}

TEST(SwfTrace, WhatIsUnknownIsTakenFromWhatWasAskedForOrHasNoEnd) {
  const SwfTrace trace = ReadTrace(
      "  1\t0 -1 0 -1 12.5 -1 8 -1 -1 0 -1 -1 -1 -1 -1 -1 -1 \r\n"
      "2 5 -1 7 2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 1 1.5");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].processors, 8);
  EXPECT_EQ(trace.jobs[0].runs, 1);
  EXPECT_EQ(trace.jobs[0].requested, std::nullopt);
  EXPECT_EQ(trace.jobs[0].user, -1);
  EXPECT_EQ(trace.jobs[1].processors, 2);
  EXPECT_EQ(trace.jobs[1].runs, 7);
}

TEST(SwfTrace, JobsThatCannotBeRunAreCounted) {
  const SwfTrace trace = ReadTrace(
      "1 0 -1 -1 4 -1 -1 4 9 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
      "2 0 -1 10 0 -1 -1 -1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "3 0 -1 -1 4 -1 -1 4 9 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
      "4 0 -1 10 4 -1 -1 4 9 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
      "5 0 -1 10 4 -1 -1 4 9 -1 3 -1 -1 -1 -1 -1 -1 -1\n");
  EXPECT_EQ(trace.no_run_time, 1);
  EXPECT_EQ(trace.no_processors, 1);
  EXPECT_EQ(trace.cancelled, 1);
  EXPECT_EQ(trace.parts, 1);
  EXPECT_EQ(trace.Unusable(), 4);
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].number, 4);  // cancelled while it ran
}

struct WrongTrace {
  std::string text;
  std::string said;
};

class OfWrongTrace : public ::testing::TestWithParam<WrongTrace> {};

TEST_P(OfWrongTrace, IsRefusedWithLineAndField) {
  EXPECT_EQ(WhyTraceRefused(GetParam().text), "trace.swf" + GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    SwfTrace, OfWrongTrace,
    ::testing::Values(
        WrongTrace{"; nothing\n",
                   ": holds no job; a trace has a line of 18 numbers for each"},
        WrongTrace{std::string(kTraceJob) + "2 10 5 100\n",
                   ":2: has 4 of 18 fields; what is not known is -1"},
        WrongTrace{"1 10 5 100 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1 9\n",
                   ":1: has more than 18 fields"},
        WrongTrace{"1 10 5 ten 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 4 (run time) is \"ten\"; right would be a whole "
                   "number, or -1"},
        WrongTrace{"1 10 5 1.5 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 4 (run time) is \"1.5\"; right would be a whole "
                   "number, or -1"},
        WrongTrace{"1 10 5 1 4 x -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 6 (average CPU time used) is \"x\"; right would "
                   "be a whole number or one like 1.5, or -1"},
        WrongTrace{"1 -1 5 1 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 2 (submit time) is not known; right would be "
                   "seconds since the trace began"},
        WrongTrace{"1 0 5 1 4 -1 -1 8 120 -1 6 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 11 (status) is 6; right would be -1 to 5"},
        WrongTrace{"1 0 5 1 9999999999 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 5 (number of allocated processors) is "
                   "9999999999; right would be -1 to 2147483647"},
        WrongTrace{
            "1 0 5 99999999999999999999 4 -1 -1 8 1 -1 1 3 1 1 2 1 1 1\n",
            ":1: field 4 (run time) is \"99999999999999999999\"; right "
            "would be a whole number, or -1"},
        WrongTrace{"; MaxNodes: many\n",
                   ":1: MaxNodes: \"many\" is no whole number up to "
                   "2147483647"}));

TEST(SwfTrace, IsBounded) {
  EXPECT_EQ(WhyTraceRefused("; " + std::string(9'000, 'x') + "\n" + kTraceJob,
                            {.line = 8'000}),
            "trace.swf:1: is longer than 8000 bytes");
  EXPECT_EQ(WhyTraceRefused("; " + std::string(9'000, 'x') + "\n" + kTraceJob),
            "not refused");
  EXPECT_EQ(WhyTraceRefused(std::string(kTraceJob) + kTraceJob, {.jobs = 1}),
            "trace.swf:2: is one of more than 1 jobs");
}

TEST(SwfTrace, IsReadBackAsItWasWritten) {
  SwfTrace trace;
  trace.max_nodes = 4;
  trace.max_processors = 16;
  trace.jobs = {{.number = 1, .submit = 3, .runs = 9, .processors = 16},
                {.number = 2,
                 .submit = 4,
                 .runs = 1,
                 .requested = 60,
                 .processors = 1,
                 .user = 12,
                 .queue = 1}};
  std::stringstream text;
  WriteSwf(trace, text);
  const SwfTrace again = ReadSwf(text, "again.swf");
  EXPECT_EQ(again.jobs, trace.jobs);
  EXPECT_EQ(again.max_nodes, 4);
  EXPECT_EQ(again.max_processors, 16);
}

}  // namespace
}  // namespace fluxnetes::cluster
