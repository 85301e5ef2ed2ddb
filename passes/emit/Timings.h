//===- Timings.h - what the stages of a compilation cost ------------------===//

#ifndef CELLGRAD_PASSES_EMIT_TIMINGS_H
#define CELLGRAD_PASSES_EMIT_TIMINGS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class raw_ostream;
}

namespace cellgrad {

/// Processor time and memory by stage. Stages nest: what an inner one takes is
/// not counted for the one around it, so that the times add up.
class Timings {
public:
  struct Stage {
    std::string name;
    unsigned runs = 0;
    double milliseconds = 0; ///< of all threads of the process
    /// By how much the peak of the process's resident memory has grown.
    double mebibytes = 0;
  };

  void enter(llvm::StringRef name);
  void leave();

  /// In the order in which they first ran; each once, however often it ran.
  llvm::ArrayRef<Stage> stages() const { return all; }
  /// A table, the longest stage first, with the total below.
  void print(llvm::raw_ostream &os) const;

private:
  /// Counts what has passed since the last time for the innermost stage.
  void charge();

  llvm::SmallVector<Stage> all;
  llvm::StringMap<unsigned> places; ///< in `all`
  llvm::SmallVector<unsigned> open; ///< the stages that run, innermost last
  double lastMilliseconds = 0, lastMebibytes = 0;
};

/// Steps that follow one another as stages; nothing without timings.
class Steps {
public:
  explicit Steps(Timings *timings) : timings(timings) {}
  Steps(const Steps &) = delete;
  Steps &operator=(const Steps &) = delete;
  ~Steps() { end(); }

  /// Ends the step before.
  void enter(llvm::StringRef name) {
    end();
    if (timings)
      timings->enter(name);
    entered = true;
  }
  void end() {
    if (timings && entered)
      timings->leave();
    entered = false;
  }

private:
  Timings *timings;
  bool entered = false;
};

} // namespace cellgrad

#endif
