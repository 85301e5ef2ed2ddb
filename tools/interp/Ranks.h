//===- Ranks.h - several ranks in one process -----------------------------===//
//
// Each rank is a thread, but only one runs at a time: it goes on until it comes
// to a collective, and then the next one does. So ranks never race, and what
// they print has one order.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_INTERP_RANKS_H
#define CELLGRAD_INTERP_RANKS_H

#include "tools/interp/Tensor.h"

#include "mlir/IR/Operation.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace cellgrad::interp {

/// What `op`, a collective, gives each rank for what they bring, in the order
/// of its group; emits an error where it is not for so many ranks. A result of
/// nullopt is that of an op without one.
llvm::FailureOr<llvm::SmallVector<std::optional<Tensor>>>
evaluateCollective(mlir::Operation *op, llvm::ArrayRef<const Tensor *> ofRanks);

/// That there are the ranks that `op` names among `size`, and `rank` may do it.
llvm::LogicalResult checkRanks(mlir::Operation *op, unsigned rank,
                               unsigned size);

class Ranks {
public:
  explicit Ranks(unsigned count) : members(count) {}

  unsigned size() const { return members.size(); }

  /// Calls `body` for every rank; fails where it fails for one.
  llvm::LogicalResult
  run(llvm::function_ref<llvm::LogicalResult(unsigned)> body);

  /// Brings `x`, null for nothing, to the collective or message `op`, and
  /// returns what `rank` gets. Fails where the ranks come to different ones, or
  /// one that is waited for has ended.
  llvm::FailureOr<std::optional<Tensor>>
  meet(unsigned rank, mlir::Operation *op, const Tensor *x);

private:
  struct Member {
    enum { Ready, Waiting, Ended } state = Ready;
    mlir::Operation *op = nullptr;
    const Tensor *brings = nullptr;
    std::optional<Tensor> gets;
  };

  /// Gives the turn to the next rank that can go on; where all wait, after what
  /// some wait for.
  void passOn(unsigned rank);
  void finishSome();
  /// Does what `member` waits for, where all are there that it needs.
  bool finish(Member &member);
  bool finishCollective(Member &member);
  bool finishReceive(Member &member);
  /// Why `member` waits for ever.
  void explain(const Member &member);
  llvm::SmallVector<unsigned> participants(mlir::Operation *op) const;
  unsigned numberOf(const Member &member) const {
    return static_cast<unsigned>(&member - members.data());
  }

  std::vector<Member> members;
  /// What has been sent and not received, by sender, receiver and tag.
  std::map<std::tuple<unsigned, unsigned, uint64_t>, std::deque<Tensor>> sent;
  std::mutex mutex;
  std::condition_variable changed;
  unsigned turn = 0;
  bool failed = false;
};

/// A rank among others, or the only one.
struct Member {
  Ranks *ranks = nullptr;
  unsigned rank = 0;
};

} // namespace cellgrad::interp

#endif
