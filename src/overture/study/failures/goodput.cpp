#include "overture/study/failures/goodput.h"

#include <algorithm>
#include <cmath>

#include "overture/base/random.h"

namespace overture::study::failures {
namespace {

constexpr double kSecondsPerDay = 86'400;

std::array<double, 3> rates(const Parts& parts, const Reliability& reliability) {
  const auto rate = [](double count, double mtbf) { return mtbf > 0 ? count / mtbf : 0; };
  return {rate(parts.nodes, reliability.node_mtbf), rate(parts.links, reliability.link_mtbf),
          rate(parts.switches, reliability.switch_mtbf)};
}

// Times between failures, and which kind of part it was.
class Failures {
 public:
  Failures(const Parts& parts, const Reliability& reliability, const TrainingRuns& runs)
      : rates_(rates(parts, reliability)),
        mean_(system_mtbf(parts, reliability)),
        shape_(reliability.shape),
        scale_(mean_ / std::tgamma(1 + 1 / shape_)),
        random_(RandomStreams(runs.seed).make("failures")),
        stopped_(runs.stopped) {}

  double next() {
    if (++drawn_ % 4096 == 0 && stopped_) over_ = over_ || stopped_();
    const double exponential = -std::log1p(-random_.unit());
    return shape_ == 1 ? mean_ * exponential : scale_ * std::pow(exponential, 1 / shape_);
  }
  std::size_t part() {
    double at = random_.unit() * (rates_[0] + rates_[1] + rates_[2]);
    for (std::size_t i = 0; i < 2; ++i) {
      if (at < rates_[i]) return i;
      at -= rates_[i];
    }
    return 2;
  }
  bool over() const { return over_; }

 private:
  std::array<double, 3> rates_;
  double mean_;
  double shape_;
  double scale_;
  RandomStream random_;
  const std::function<bool()>& stopped_;
  std::uint64_t drawn_ = 0;
  bool over_ = false;
};

// One run, added to `sum` in seconds. Returns how long it was: what is under way as it ends is left out,
// since it is neither useful yet nor lost.
double add_run(Failures& failures, const Checkpointing& checkpoints, double interval, double length,
               Goodput& sum) {
  const double segment = interval + checkpoints.write;
  const double down = checkpoints.restart + checkpoints.read;
  std::size_t cause = 0;
  bool restarting = false;
  for (double now = 0; now < length && !failures.over();) {
    const double up = std::min(failures.next(), length - now);
    const double began = restarting ? std::min(down, up) : 0;
    sum.restarting += began;
    if (restarting) sum.lost_by[cause] += began;
    const double whole = std::floor((up - began) / segment);
    const double rest = up - began - whole * segment;
    sum.useful += whole * interval;
    sum.writing += whole * checkpoints.write;
    now += up;
    if (now >= length) return length - rest;
    cause = failures.part();
    restarting = true;
    sum.lost_work += rest;
    sum.lost_by[cause] += rest;
    sum.failures += 1;
  }
  return length;
}

}  // namespace

Parts fat_tree_parts(double nodes) {
  const double k = std::cbrt(4 * nodes);
  return {.nodes = nodes, .links = 3 * nodes, .switches = 1.25 * k * k};
}

double system_mtbf(const Parts& parts, const Reliability& reliability) {
  const std::array<double, 3> all = rates(parts, reliability);
  return 1 / (all[0] + all[1] + all[2]);
}

Goodput simulate_goodput(const Parts& parts, const Reliability& reliability, const Checkpointing& checkpoints,
                         double interval, const TrainingRuns& runs) {
  // The same failures for every interval: what differs is the interval alone.
  Failures failures(parts, reliability, runs);
  const double length = runs.days * kSecondsPerDay;
  Goodput sum;
  double all = 0;
  for (int run = 0; run < runs.runs && !failures.over(); ++run)
    all += add_run(failures, checkpoints, interval, length, sum);
  for (double* share : {&sum.useful, &sum.writing, &sum.lost_work, &sum.restarting, &sum.lost_by[0],
                        &sum.lost_by[1], &sum.lost_by[2]})
    *share /= all;
  sum.failures /= runs.runs;
  return sum;
}

double young(double write, double mtbf) { return std::sqrt(2 * write * mtbf); }

double daly(double write, double mtbf) {
  if (write >= 2 * mtbf) return mtbf;
  const double x = write / (2 * mtbf);
  return std::sqrt(2 * write * mtbf) * (1 + std::sqrt(x) / 3 + x / 9) - write;
}

// Newton on the equation that the best interval t meets: exp(-(t + C) / M) = 1 - t / M.
double exact_best(double write, double mtbf) {
  const double c = write / mtbf;
  double t = std::min(std::sqrt(2 * c), 0.999);
  for (int i = 0; i < 100; ++i) {
    const double e = std::exp(-(t + c));
    const double step = (e - 1 + t) / (1 - e);
    t -= step;
    t = std::clamp(t, 1e-12, 1 - 1e-12);
    if (std::abs(step) < 1e-14) break;
  }
  return t * mtbf;
}

Best best_interval(const Parts& parts, const Reliability& reliability, const Checkpointing& checkpoints,
                   const TrainingRuns& runs) {
  // First by factors of 1.5, then 41 runs within a third of the best of these, and a parabola in the
  // logarithm of the interval by least squares.
  const double first = young(checkpoints.write, system_mtbf(parts, reliability));
  const auto useful = [&](double interval) {
    return simulate_goodput(parts, reliability, checkpoints, interval, runs).useful;
  };
  double top = first;
  double most = 0;
  for (int i = -6; i <= 6; ++i) {
    const double interval = first * std::pow(1.5, i);
    if (const double found = useful(interval); found > most) {
      most = found;
      top = interval;
    }
  }
  constexpr int kHalf = 20;
  const double step = std::log(1.5) / kHalf;
  // Sums of x^2 y and the like; odd powers of x cancel.
  double n = 0;
  double x2 = 0;
  double x4 = 0;
  double y0 = 0;
  double y1 = 0;
  double y2 = 0;
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double x = i * step;
    const double y = useful(top * std::exp(x));
    n += 1;
    x2 += x * x;
    x4 += x * x * x * x;
    y0 += y;
    y1 += x * y;
    y2 += x * x * y;
  }
  const double bend = (n * y2 - x2 * y0) / (n * x4 - x2 * x2);
  const double slope = y1 / x2;
  const double shift = bend < 0 ? std::clamp(-slope / (2 * bend), -kHalf * step, kHalf * step) : 0;
  const double best = top * std::exp(shift);
  return {.interval = best, .useful = useful(best)};
}

}  // namespace overture::study::failures
