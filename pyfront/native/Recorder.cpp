//===- Recorder.cpp - when the kernels of a call run ----------------------===//

#include "pyfront/native/Recorder.h"

#include <ctime>

using namespace cellgrad::python;

int64_t cellgrad::python::nowNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void Recorder::probe(int32_t kernel, int32_t begins, void *user) {
  auto &self = *static_cast<Recorder *>(user);
  if (begins) {
    if (static_cast<size_t>(kernel) >= self.totals.size())
      self.totals.resize(kernel + 1);
    self.begun = nowNanoseconds();
    return;
  }
  int64_t end = nowNanoseconds();
  Total &total = self.totals[kernel];
  ++total.runs;
  total.nanoseconds += end - self.begun;
  if (self.runs.size() < self.mostRuns)
    self.runs.push_back({kernel, self.begun, end});
}
