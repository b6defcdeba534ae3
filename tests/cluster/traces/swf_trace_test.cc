// Traces in the Standard Workload Format: the fields that are read, the jobs
// that are skipped and counted, and the errors for invalid text.
#include "cluster/traces/swf_trace.h"

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
                                   .queue = 2,
                                   .line = 5}));
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

std::string CountText(const SwfCount& count) {
  return std::to_string(count.jobs) + " from " +
         std::to_string(count.first_line);
}

TEST(SwfTrace, JobsThatCannotBeRunAreCountedWithTheirFirstLine) {
  const SwfTrace trace = ReadTrace(
      "1 0 -1 -1 4 -1 -1 4 9 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
      "2 0 -1 10 0 -1 -1 -1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "3 0 -1 -1 4 -1 -1 4 9 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
      "4 0 -1 10 4 -1 -1 4 9 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
      "5 -1 -1 10 4 -1 -1 4 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "6 0 -1 -3 4 -1 -1 4 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  EXPECT_EQ(CountText(trace.no_run_time), "2 from 1");
  EXPECT_EQ(CountText(trace.no_processors), "1 from 2");
  EXPECT_EQ(CountText(trace.cancelled), "1 from 3");
  EXPECT_EQ(CountText(trace.no_submit_time), "1 from 5");
  ASSERT_EQ(trace.jobs.size(), 1U);
  EXPECT_EQ(trace.jobs[0].number, 4);  // cancelled while it ran
}

TEST(SwfTrace, PartsOfAWholeJobAreLeftOut) {
  const SwfTrace trace = ReadTrace(
      "1 5 -1 30 4 -1 -1 4 99 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "1 5 0 10 4 -1 -1 4 99 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
      "1 -1 7 20 4 -1 -1 4 99 -1 3 -1 -1 -1 -1 -1 -1 -1\n"
      "2 9 -1 10 4 -1 -1 4 99 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
      "2 9 -1 10 4 -1 -1 4 99 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  ASSERT_EQ(trace.jobs.size(), 2U);
  EXPECT_EQ(trace.jobs[0].runs, 30);
  EXPECT_EQ(trace.jobs[1].runs, 10);
  EXPECT_EQ(CountText(trace.parts), "3 from 2");
  EXPECT_EQ(trace.joined.jobs, 0);
}

TEST(SwfTrace, PartsWithoutAWholeJobArePutTogether) {
  const SwfTrace trace = ReadTrace(
      "1 5 0 10 4 -1 -1 4 99 -1 2 7 -1 -1 3 -1 -1 -1\n"
      "2 6 0 50 1 -1 -1 1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
      "1 -1 7 20 8 -1 -1 4 -1 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
      "1 -1 7 5.5 4 -1 -1 4 -1 -1 3 -1 -1 -1 -1 -1 -1 -1\n"
      "1 70 7 9 4 -1 -1 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1\n"
      "3 -1 7 9 4 -1 -1 4 -1 -1 4 -1 -1 -1 -1 -1 -1 -1\n");
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0], (SwfJob{.number = 1,
                                   .submit = 5,
                                   .runs = 36,
                                   .requested = 99,
                                   .processors = 8,
                                   .user = 7,
                                   .queue = 3,
                                   .line = 1}));
  EXPECT_EQ(trace.jobs[1].number, 2);
  EXPECT_EQ(trace.jobs[2].submit, 70);  // its number was given again
  EXPECT_EQ(CountText(trace.joined), "2 from 1");
  EXPECT_EQ(CountText(trace.rounded), "1 from 1");
  EXPECT_EQ(CountText(trace.no_submit_time), "1 from 6");
  EXPECT_EQ(CountText(trace.same_number), "1 from 5");
  EXPECT_EQ(trace.parts.jobs, 0);
}

TEST(SwfTrace, TimesMayHaveFractions) {
  const SwfTrace trace = ReadTrace(
      "1 0    -1  12.5 2 -1 -1 2 20   -1 1 1 1 -1 1 -1 -1 -1\n"
      "2 3.25 -0.0 0.4  4.0 -1 -1 4 10.0 -1 1 1 1 -1 1 -1 -1 2.5\n"
      "3.0 1e2 -60 1.5e+03 4 -1 1e9 4 -1.0 -1 1 1 1 -1 1 -1 -1 -1\n");
  ASSERT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.jobs[0].runs, 13);
  EXPECT_EQ(trace.jobs[1].submit, 3);
  EXPECT_EQ(trace.jobs[1].runs, 1);
  EXPECT_EQ(trace.jobs[1].processors, 4);
  EXPECT_EQ(trace.jobs[1].requested, 10);
  EXPECT_EQ(trace.jobs[2].number, 3);
  EXPECT_EQ(trace.jobs[2].submit, 100);
  EXPECT_EQ(trace.jobs[2].runs, 1'500);
  EXPECT_EQ(trace.jobs[2].requested, std::nullopt);
  EXPECT_EQ(CountText(trace.rounded), "2 from 1");
  EXPECT_EQ(CountText(trace.short_runs), "1 from 2");
}

TEST(SwfTrace, WhatIsReadOtherwiseIsCounted) {
  const SwfTrace trace = ReadTrace(
      "1 10 -1 5 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 2 -1 -1\n"
      "3 9 -1 5 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 -1 1 60\n"
      "3 11 -1 5 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 1 -1 -1\n"
      "2 11 -1 0 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 2 -1 -1\n");
  EXPECT_EQ(trace.jobs.size(), 4U);
  EXPECT_EQ(CountText(trace.disordered), "1 from 2");
  EXPECT_EQ(CountText(trace.dependent), "1 from 2");
  EXPECT_EQ(CountText(trace.same_number), "1 from 3");
  EXPECT_EQ(CountText(trace.elsewhere), "1 from 3");
  EXPECT_EQ(CountText(trace.short_runs), "1 from 4");
  EXPECT_EQ(trace.rounded.jobs, 0);
}

TEST(SwfTrace, ByteOrderMarksAndHeadersInTheMiddleAreNoJobs) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string file = mark + "; Computer: M\xF6we\r\n\r\n" + kTraceJob;
  const SwfTrace trace = ReadTrace(file + file + mark + kTraceJob +
                                   "\t; MaxNodes: 1,152\r\n;\r\n");
  EXPECT_EQ(trace.jobs.size(), 3U);
  EXPECT_EQ(trace.max_nodes, 1'152);
  EXPECT_TRUE(trace.unclear_headers.empty());
}

TEST(SwfTrace, HeadersThatSayNoNumberDoNotEndTheReading) {
  const SwfTrace trace =
      ReadTrace("; MaxNodes:\n; MaxProcs: 64 + 64\n" + std::string(kTraceJob));
  EXPECT_EQ(trace.max_nodes, std::nullopt);
  EXPECT_EQ(trace.max_processors, std::nullopt);
  EXPECT_EQ(trace.faulty_headers,
            std::vector<std::string>{"trace.swf:1: MaxNodes is empty"});
  EXPECT_EQ(trace.unclear_headers,
            std::vector<std::string>{
                "trace.swf:2: MaxProcs is \"64 + 64\"; right would be a whole "
                "number up to 2147483647"});
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
                   "number or one like 1.5, or -1"},
        WrongTrace{"1 10 5 nan 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 4 (run time) is \"nan\"; right would be a whole "
                   "number or one like 1.5, or -1"},
        WrongTrace{"1 10 5 1,152 4 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 4 (run time) is \"1,152\"; right would be a "
                   "whole number or one like 1.5, or -1"},
        WrongTrace{"1 10 5 1 4.5 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 5 (number of allocated processors) is \"4.5\"; "
                   "right would be a whole number, or -1"},
        WrongTrace{"1 10 5 1 4 x -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 6 (average CPU time used) is \"x\"; right would "
                   "be a whole number or one like 1.5, or -1"},
        WrongTrace{"1 0 5 1 4 -1 -1 8 120 -1 6 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 11 (status) is 6; right would be -1 to 5"},
        WrongTrace{"1 0 5 1 9999999999 -1 -1 8 120 -1 1 3 1 -1 2 -1 -1 -1\n",
                   ":1: field 5 (number of allocated processors) is "
                   "9999999999; right would be -1 to 2147483647"},
        WrongTrace{
            "1 0 5 99999999999999999999 4 -1 -1 8 1 -1 1 3 1 1 2 1 1 1\n",
            ":1: field 4 (run time) is 99999999999999999999; right would be "
            "-1 to 1099511627776"},
        WrongTrace{"1e30 0 5 9 4 -1 -1 8 1 -1 1 3 1 1 2 1 1 1\n",
                   ":1: field 1 (job number) is 1e30; right would be -1 to "
                   "9223372036854775806"},
        WrongTrace{"\x1F\x8B\b\n",
                   ":1: is compressed; right would be the text "
                   "that zcat prints"},
        WrongTrace{"\xFF\xFE;\n",
                   ":1: is UTF-16; right would be UTF-8 or "
                   "ASCII"}));

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
  SwfTrace again = ReadSwf(text, "again.swf");
  for (SwfJob& job : again.jobs) job.line = 0;
  EXPECT_EQ(again.jobs, trace.jobs);
  EXPECT_EQ(again.max_nodes, 4);
  EXPECT_EQ(again.max_processors, 16);
}

}  // namespace
}  // namespace fluxnetes::cluster
