#include "workers/simulation/lublin_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace fluxnetes::workers {
namespace {

constexpr int kHalfHours = 48;  // of a day
constexpr double kHalfHour = 1'800;
constexpr double kDay = kHalfHours * kHalfHour;

constexpr double kSerial = 0.244;
constexpr double kPowerOfTwo = 0.576;
constexpr double kLow = 0.8;           // log2 of the size
constexpr double kMediumBelow = 2.5;   // the medium below the highest
constexpr double kLowToMedium = 0.86;  // of the parallel jobs
constexpr double kShortShape = 4.2, kShortScale = 0.94;
constexpr double kLongShape = 312, kLongScale = 0.03;
constexpr double kShortBySize = -0.0054, kShort = 0.78;
constexpr double kLongestRun = 12;  // log of seconds
constexpr double kApartShape = 10.2303 * 1.0225, kApartScale = 0.4871;
constexpr double kFarthestApart = 13;  // log of seconds
constexpr double kDayShape = 8.1737, kDayScale = 3.9631;
constexpr int kDayBegins = 11;  // half hours after midnight

int LargestOf(const LublinOptions& options) {
  return options.largest > 0 ? std::min(options.largest, options.nodes)
                             : options.nodes;
}

class Lublin {
 public:
  explicit Lublin(const LublinOptions& options)
      : highest_(std::log2(LargestOf(options))), engine_(options.seed) {
    double sum = 0;
    for (int i = kDayBegins; i < kDayBegins + kHalfHours; ++i) {
      const double part = OfDay(i);
      weights_[static_cast<std::size_t>((i - 1) % kHalfHours)] = part;
      sum += part;
    }
    for (double& weight : weights_) weight *= kHalfHours / sum;
  }

  int Size() {
    const double kind = Uniform(0, 1);
    if (kind <= kSerial || highest_ <= kLow) return 1;
    const double medium = std::max(kLow, highest_ - kMediumBelow);
    double log2 = Uniform(0, 1) <= kLowToMedium ? Uniform(kLow, medium)
                                                : Uniform(medium, highest_);
    if (kind <= kSerial + kPowerOfTwo) log2 = std::round(log2);
    return std::max(1, static_cast<int>(std::round(std::exp2(log2))));
  }

  double RunTime(int size) {
    const double is_short = std::clamp(kShortBySize * size + kShort, 0.0, 1.0);
    double log = 0;
    do {
      log = Uniform(0, 1) <= is_short ? Gamma(kShortShape, kShortScale)
                                      : Gamma(kLongShape, kLongScale);
    } while (log > kLongestRun);
    return std::exp(log);
  }

  // The time between two arrivals, in seconds of a day with a uniform rate.
  double Apart() {
    double log = 0;
    do {
      log = Gamma(kApartShape, kApartScale);
    } while (log > kFarthestApart);
    return std::exp(log);
  }

  // Converts seconds since the first midnight to seconds of uniform days: a
  // half hour with fewer arrivals counts as shorter.
  double EvenSeconds(double since) const {
    double even = std::floor(since / kDay) * kDay;
    double left = since - even;
    for (const double weight : weights_) {
      even += std::min(left, kHalfHour) * weight;
      left = std::max(left - kHalfHour, 0.0);
    }
    return even;
  }

  // Advances by `even` seconds of uniform days since the last call. Returns the
  // seconds since the first midnight.
  double Advance(double even) {
    now_ += std::floor(even / kDay) * kDay;
    even = std::fmod(even, kDay);
    while (true) {
      const auto half_hour = static_cast<std::int64_t>(now_ / kHalfHour);
      const double weight =
          weights_[static_cast<std::size_t>(half_hour % kHalfHours)];
      const double until = kHalfHour * static_cast<double>(half_hour + 1);
      if (even < (until - now_) * weight) return now_ += even / weight;
      even -= (until - now_) * weight;
      now_ = until;
    }
  }

  double Uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(engine_);
  }

 private:
  double Gamma(double shape, double scale) {
    return std::gamma_distribution<double>(shape, scale)(engine_);
  }

  // The relative number of a day's arrivals in a half hour: the integral of the
  // density of a gamma distribution, by Simpson's rule, up to a constant
  // factor.
  static double OfDay(int half_hour) {
    const auto density = [](double x) {
      return std::exp((kDayShape - 1) * std::log(x) - x / kDayScale);
    };
    return density(half_hour - 0.5) + 4 * density(half_hour) +
           density(half_hour + 0.5);
  }

  const double highest_;  // log2 of the nodes
  std::array<double, kHalfHours> weights_{};
  double now_ = 0;
  std::mt19937_64 engine_;
};

}  // namespace

std::vector<cluster::SwfJob> LublinJobs(const LublinOptions& options) {
  Lublin model(options);
  std::vector<cluster::SwfJob> jobs;
  jobs.reserve(static_cast<std::size_t>(options.jobs));
  std::vector<double> apart;
  double work = 0;  // node seconds
  for (int i = 1; i <= options.jobs; ++i) {
    apart.push_back(model.Apart());
    cluster::SwfJob job;
    job.number = i;
    job.processors = std::min(model.Size(), LargestOf(options));
    job.runs =
        std::max<std::int64_t>(std::llround(model.RunTime(job.processors)), 1);
    job.requested = std::llround(static_cast<double>(job.runs) *
                                 model.Uniform(1, options.longest_estimate));
    if (options.users > 1)
      job.user = static_cast<std::int32_t>(model.Uniform(0, options.users));
    work += static_cast<double>(job.processors * job.runs);
    jobs.push_back(job);
  }
  const double all = std::accumulate(apart.begin(), apart.end(), 0.0);
  const double last = work / (options.load * options.nodes);
  const double stretch = model.EvenSeconds(last) / all;
  for (std::size_t i = 0; i < apart.size(); ++i)
    jobs[i].submit = std::llround(model.Advance(apart[i] * stretch));
  return jobs;
}

}  // namespace fluxnetes::workers
