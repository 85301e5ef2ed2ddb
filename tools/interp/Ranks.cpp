//===- Ranks.cpp - several ranks in one process ---------------------------===//

#include "tools/interp/Ranks.h"

#include "dialect/CollectiveOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <thread>

using namespace mlir;

namespace cellgrad::interp {

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

static double combineFloats(StringRef how, double a, double b) {
  if (how == "sum")
    return a + b;
  if (how == "prod")
    return a * b;
  if (std::isnan(a) || std::isnan(b))
    return NAN;
  return how == "min" ? std::fmin(a, b) : std::fmax(a, b);
}

static int64_t combineInts(StringRef how, int64_t a, int64_t b) {
  if (how == "sum")
    return static_cast<int64_t>(static_cast<uint64_t>(a) +
                                static_cast<uint64_t>(b));
  if (how == "prod")
    return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                static_cast<uint64_t>(b));
  return how == "min" ? std::min(a, b) : std::max(a, b);
}

/// Floating point elements are combined in double and rounded once.
static Tensor combined(StringRef how, ArrayRef<const Tensor *> all) {
  Tensor result = *all[0];
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    if (result.isFloat()) {
      double value = all[0]->getFloat(i);
      for (const Tensor *x : all.drop_front())
        value = combineFloats(how, value, x->getFloat(i));
      result.setFloat(i, value);
    } else {
      int64_t value = all[0]->getInt(i);
      for (const Tensor *x : all.drop_front())
        value = combineInts(how, value, x->getInt(i));
      result.setInt(i, value);
    }
  }
  return result;
}

FailureOr<SmallVector<std::optional<Tensor>>>
evaluateCollective(Operation *op, ArrayRef<const Tensor *> ofRanks) {
  int64_t count = ofRanks.size();
  SmallVector<std::optional<Tensor>> results(count);
  if (auto ranks = op->getAttrOfType<IntegerAttr>("ranks");
      ranks && ranks.getInt() != count)
    return op->emitOpError("is for ")
           << ranks.getInt() << " ranks; there are " << count;
  if (auto broadcast = dyn_cast<BroadcastFromOp>(op);
      broadcast && static_cast<int64_t>(broadcast.getRoot()) >= count)
    return op->emitOpError("is from rank ")
           << broadcast.getRoot() << "; there are " << count;
  if (isa<MeetOp>(op))
    return results;

  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (int64_t rank = 0; rank < count; ++rank) {
    Tensor result(type);
    int64_t size = result.size();
    if (isa<RankIdOp, GroupSizeOp>(op)) {
      for (int64_t i = 0; i < size; ++i)
        result.setInt(i, isa<RankIdOp>(op) ? rank : count);
    } else if (auto reduce = dyn_cast<AllReduceOp>(op)) {
      result = combined(reduce.getCombine(), ofRanks);
    } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
      Tensor whole = combined(scatter.getCombine(), ofRanks);
      for (int64_t i = 0; i < size; ++i)
        result.setElement(i, whole, rank * size + i);
    } else if (isa<AllGatherOp>(op)) {
      int64_t part = size / count;
      for (int64_t i = 0; i < size; ++i)
        result.setElement(i, *ofRanks[i / part], i % part);
    } else if (isa<AllToAllOp>(op)) {
      int64_t part = size / count;
      for (int64_t i = 0; i < size; ++i)
        result.setElement(i, *ofRanks[i / part], rank * part + i % part);
    } else {
      result = *ofRanks[cast<BroadcastFromOp>(op).getRoot()];
    }
    results[rank] = std::move(result);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

LogicalResult Ranks::run(function_ref<LogicalResult(unsigned)> body) {
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < size(); ++rank)
    threads.emplace_back([this, rank, body] {
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return turn == rank; });
      }
      LogicalResult result = body(rank);
      std::lock_guard<std::mutex> lock(mutex);
      failed |= llvm::failed(result);
      members[rank].state = Member::Ended;
      passOn(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
  return failure(failed);
}

void Ranks::finishCollective() {
  auto *first = llvm::find_if(members, [](const Member &m) {
                  return m.state == Member::Waiting;
                }).base();
  if (!failed)
    for (auto [rank, member] : llvm::enumerate(members))
      if (member.op != first->op || member.state != Member::Waiting) {
        failed = true;
        InFlightDiagnostic error =
            first->op->emitOpError("is waited at by rank ")
            << (first - members.data()) << ", but rank " << rank;
        if (member.state == Member::Waiting)
          error << " waits at '" << member.op->getName() << "'";
        else
          error << " has ended";
        break;
      }
  if (!failed) {
    SmallVector<const Tensor *> brought;
    for (const Member &member : members)
      brought.push_back(member.brings);
    auto results = evaluateCollective(first->op, brought);
    failed = llvm::failed(results);
    if (!failed)
      for (auto [member, result] : llvm::zip(members, *results))
        member.gets = std::move(result);
  }
  for (Member &member : members)
    if (member.state == Member::Waiting)
      member.state = Member::Ready;
}

void Ranks::passOn(unsigned rank) {
  auto is = [](auto state) {
    return [state](const Member &member) { return member.state == state; };
  };
  if (llvm::none_of(members, is(Member::Ready)) &&
      llvm::any_of(members, is(Member::Waiting)))
    finishCollective();
  for (unsigned i = 1; i <= size(); ++i)
    if (unsigned next = (rank + i) % size();
        members[next].state == Member::Ready) {
      turn = next;
      break;
    }
  changed.notify_all();
}

FailureOr<std::optional<Tensor>> Ranks::meet(unsigned rank, Operation *op,
                                             const Tensor *x) {
  std::unique_lock<std::mutex> lock(mutex);
  Member &own = members[rank];
  own.state = Member::Waiting;
  own.op = op;
  own.brings = x;
  passOn(rank);
  changed.wait(lock,
               [&] { return turn == rank && own.state == Member::Ready; });
  if (failed)
    return failure();
  return std::move(own.gets);
}

} // namespace cellgrad::interp
