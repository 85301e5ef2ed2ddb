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

LogicalResult checkRanks(Operation *op, unsigned rank, unsigned size) {
  ArrayRef<int64_t> group = groupOf(op);
  for (int64_t other : group)
    if (other >= static_cast<int64_t>(size))
      return op->emitOpError("has rank ")
             << other << " in its group; there are " << size;
  if (!group.empty() && !llvm::is_contained(group, rank))
    return op->emitOpError("is done by rank ")
           << rank << ", which is not in its group";
  if (!isMessage(op))
    return success();
  auto peer = op->getAttrOfType<IntegerAttr>("peer").getInt();
  if (peer >= static_cast<int64_t>(size))
    return op->emitOpError("names rank ") << peer << "; there are " << size;
  if (peer == rank)
    return op->emitOpError("is a message of rank ") << peer << " to itself";
  return success();
}

FailureOr<SmallVector<std::optional<Tensor>>>
evaluateCollective(Operation *op, ArrayRef<const Tensor *> ofRanks) {
  int64_t count = ofRanks.size();
  SmallVector<std::optional<Tensor>> results(count);
  if (auto ranks = op->getAttrOfType<IntegerAttr>("ranks");
      ranks && !isa<AllReduceOp>(op) && ranks.getInt() != count)
    return op->emitOpError("is for ")
           << ranks.getInt() << " ranks; there are " << count;
  ArrayRef<int64_t> group = groupOf(op);
  auto broadcast = dyn_cast<BroadcastFromOp>(op);
  int64_t root = 0;
  if (broadcast) {
    root = static_cast<int64_t>(broadcast.getRoot());
    if (!group.empty())
      root = llvm::find(group, root) - group.begin();
    else if (root >= count)
      return op->emitOpError("is from rank ")
             << root << "; there are " << count;
  }
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
      result = *ofRanks[root];
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

SmallVector<unsigned> Ranks::participants(Operation *op) const {
  ArrayRef<int64_t> group = groupOf(op);
  if (!group.empty())
    return SmallVector<unsigned>(group.begin(), group.end());
  return llvm::to_vector(llvm::seq<unsigned>(0, size()));
}

bool Ranks::finishReceive(Member &member) {
  auto receive = cast<ReceiveOp>(member.op);
  unsigned peer = static_cast<unsigned>(receive.getPeer());
  auto found = sent.find({peer, numberOf(member), receive.getTag()});
  if (found == sent.end() || found->second.empty())
    return false;
  Tensor message = std::move(found->second.front());
  found->second.pop_front();
  if (message.getType() != receive.getType()) {
    receive.emitOpError("gets ") << message.getType() << " from rank " << peer
                                 << "; expected " << receive.getType();
    failed = true;
  }
  member.gets = std::move(message);
  member.state = Member::Ready;
  return true;
}

bool Ranks::finishCollective(Member &member) {
  SmallVector<unsigned> with = participants(member.op);
  for (unsigned other : with)
    if (members[other].state != Member::Waiting ||
        members[other].op != member.op)
      return false;
  SmallVector<const Tensor *> brought;
  for (unsigned other : with)
    brought.push_back(members[other].brings);
  auto results = evaluateCollective(member.op, brought);
  failed |= llvm::failed(results);
  for (auto [i, other] : llvm::enumerate(with)) {
    members[other].state = Member::Ready;
    if (!failed)
      members[other].gets = std::move((*results)[i]);
  }
  return true;
}

bool Ranks::finish(Member &member) {
  return isa<ReceiveOp>(member.op) ? finishReceive(member)
                                   : finishCollective(member);
}

void Ranks::explain(const Member &member) {
  if (auto receive = dyn_cast<ReceiveOp>(member.op)) {
    receive.emitOpError("is waited at by rank ")
        << numberOf(member) << ", and rank " << receive.getPeer()
        << " sends nothing with tag " << receive.getTag();
    return;
  }
  for (unsigned other : participants(member.op)) {
    const Member &missing = members[other];
    if (missing.state == Member::Waiting && missing.op == member.op)
      continue;
    InFlightDiagnostic error = member.op->emitOpError("is waited at by rank ")
                               << numberOf(member) << ", but rank " << other;
    if (missing.state == Member::Waiting)
      error << " waits at '" << missing.op->getName() << "'";
    else
      error << " has ended";
    return;
  }
}

void Ranks::finishSome() {
  bool any = false;
  if (!failed)
    for (Member &member : members)
      if (member.state == Member::Waiting)
        any |= finish(member);
  if (any && !failed)
    return;
  auto *first = llvm::find_if(members, [](const Member &m) {
                  return m.state == Member::Waiting;
                }).base();
  if (!failed)
    explain(*first);
  failed = true;
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
    finishSome();
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
  if (llvm::failed(checkRanks(op, rank, size())))
    return failure();
  if (isa<RankIdOp, GroupSizeOp>(op)) {
    Tensor number(cast<RankedTensorType>(op->getResult(0).getType()));
    number.setInt(0, isa<RankIdOp>(op) ? rank : size());
    return std::optional<Tensor>(std::move(number));
  }
  if (auto send = dyn_cast<SendOp>(op)) {
    auto to = static_cast<unsigned>(send.getPeer());
    sent[{rank, to, send.getTag()}].push_back(*x);
    return std::optional<Tensor>(Tensor(send.getType()));
  }
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
