//===- Timings.cpp - what the stages of a compilation cost ----------------===//

#include "passes/emit/Timings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <sys/resource.h>

using namespace cellgrad;

void Timings::charge() {
  // LLD runs in a thread of its own, so the time is that of the process.
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  double milliseconds = time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  double mebibytes = usage.ru_maxrss / 1024.0;
  if (!open.empty()) {
    Stage &stage = all[open.back()];
    stage.milliseconds += milliseconds - lastMilliseconds;
    stage.mebibytes += mebibytes - lastMebibytes;
  }
  lastMilliseconds = milliseconds;
  lastMebibytes = mebibytes;
}

void Timings::enter(llvm::StringRef name) {
  charge();
  auto [place, isNew] = places.try_emplace(name, all.size());
  if (isNew)
    all.push_back({name.str()});
  ++all[place->second].runs;
  open.push_back(place->second);
}

void Timings::leave() {
  charge();
  open.pop_back();
}

void Timings::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<const Stage *> order;
  Stage total;
  for (const Stage &stage : all) {
    order.push_back(&stage);
    total.milliseconds += stage.milliseconds;
    total.mebibytes += stage.mebibytes;
  }
  llvm::sort(order, [](const Stage *a, const Stage *b) {
    return a->milliseconds != b->milliseconds
               ? a->milliseconds > b->milliseconds
               : a < b;
  });
  auto row = [&](const Stage &stage) {
    os << llvm::format("%9.3f ms %5.1f %% %+9.1f MiB ", stage.milliseconds,
                       100 * stage.milliseconds /
                           std::max(total.milliseconds, 1e-9),
                       stage.mebibytes);
  };
  for (const Stage *stage : order) {
    row(*stage);
    os << llvm::format("%6u x  ", stage->runs) << stage->name << "\n";
  }
  row(total);
  os << "          total\n";
}
