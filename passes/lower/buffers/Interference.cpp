//===- Interference.cpp - whether two buffers can be one ------------------===//
//
// A backward liveness analysis of two buffers at once, as register allocators
// do it before they coalesce a copy. It looks at the uses of the two only, and
// at the loops and branches around them.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Interference.h"

#include "dialect/CellDialect.h"
#include "passes/lower/tensors/CanFail.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <array>

using namespace mlir;
using namespace cellgrad;

namespace {

/// What an op does with one of the buffers.
struct Access {
  bool reads = false, writes = false;
  /// All elements are written, whatever they were.
  bool covers = false;
  /// The operands that are the whole buffer, in its order.
  SmallVector<OpOperand *> whole;
  /// Other operands are parts of it, or uses in the op's body.
  bool inParts = false;
};

/// Which of the two buffers hold what may be read later.
struct Live {
  bool buffer[2] = {false, false};
  bool operator==(const Live &other) const {
    return buffer[0] == other.buffer[0] && buffer[1] == other.buffer[1];
  }
  Live operator|(const Live &other) const {
    return {{buffer[0] || other.buffer[0], buffer[1] || other.buffer[1]}};
  }
};

class Analysis {
public:
  Analysis(Value first, Value second) : buffers{first, second} {}

  bool interfere();

private:
  bool collect(unsigned which);
  void addUse(unsigned which, OpOperand &use, bool whole);
  void note(Operation *op);
  Live before(Block &block, Live after);
  Live before(Operation *op, Live after);
  Live beforeAccess(Operation *op, Live after);
  bool areSameElements(Operation *op, unsigned written);

  Value buffers[2];
  DenseMap<Operation *, std::array<Access, 2>> accesses;
  /// The ops with uses in them, in order.
  DenseMap<Block *, SmallVector<Operation *>> noted;
  DenseSet<Operation *> seen;
  bool conflict = false;
};

/// The argument of a function that the caller lends for reading, or whose
/// contents must stay where a call fails.
enum class Lent { No, ReadOnly, Updated, Result };

Lent lentAs(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto func = argument
                  ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                  : func::FuncOp();
  if (!func)
    return Lent::No;
  auto signature = func->getAttrOfType<DictionaryAttr>("cell.signature");
  if (!signature)
    return Lent::ReadOnly;
  auto args = signature.getAs<ArrayAttr>("args");
  if (argument.getArgNumber() >= args.size())
    return Lent::Result;
  auto fields = cast<DictionaryAttr>(args[argument.getArgNumber()]);
  return fields.contains("donate") ? Lent::Updated : Lent::ReadOnly;
}

} // namespace

//===-- Uses --------------------------------------------------------------===//

/// Lists `op`, and the ops around it, in their blocks.
void Analysis::note(Operation *op) {
  for (; !isa<func::FuncOp>(op); op = op->getParentOp()) {
    if (!seen.insert(op).second)
      return;
    noted[op->getBlock()].push_back(op);
  }
}

void Analysis::addUse(unsigned which, OpOperand &use, bool whole) {
  Operation *op = use.getOwner();
  Operation *inner = op;
  // What a body reads is read by its op.
  while (auto around = dyn_cast<linalg::LinalgOp>(op->getParentOp()))
    op = around;
  note(op);
  Access &access = accesses[op][which];
  if (inner != op || !whole)
    access.inParts = true;
  else
    access.whole.push_back(&use);
  bool reads = true, writes = true, covers = false;
  if (inner != op || isa<memref::LoadOp, StashStoreOp, PrintOp>(inner)) {
    writes = isa<memref::StoreOp>(inner);
    reads = !writes;
  } else if (isa<memref::StoreOp>(inner)) {
    reads = false;
  } else if (isa<StashLoadOp>(inner)) {
    reads = false;
    covers = whole;
  } else if (auto copy = dyn_cast<memref::CopyOp>(inner)) {
    reads = &use == &copy.getSourceMutable();
    writes = !reads;
    covers = writes && whole;
  } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner)) {
    writes = linalgOp.isDpsInit(&use);
    reads = !writes || linalgOp.payloadUsesValueFromOperand(&use);
    covers = writes && whole &&
             linalgOp.getMatchingIndexingMap(&use).isPermutation();
  }
  access.reads |= reads;
  access.writes |= writes;
  access.covers = (access.covers || covers) && !access.reads;
}

/// Lists all uses of a buffer; false where one of them is not understood.
bool Analysis::collect(unsigned which) {
  SmallVector<std::pair<Value, bool>> views{{buffers[which], true}};
  while (!views.empty()) {
    auto [view, whole] = views.pop_back_val();
    for (OpOperand &use : view.getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(
              user))
        views.push_back({user->getResult(0), whole});
      else if (isa<memref::SubViewOp>(user))
        views.push_back({user->getResult(0), false});
      else if (user->getNumResults() != 0 && !isa<memref::LoadOp>(user))
        return false;
      else if (user->hasTrait<OpTrait::IsTerminator>() ||
               isa<CallOpInterface>(user))
        return false;
      else
        addUse(which, use, whole);
    }
  }
  return true;
}

//===-- Liveness ----------------------------------------------------------===//

/// Whether `op`, which writes one buffer, reads the other only where it writes:
/// each element before that element is written.
bool Analysis::areSameElements(Operation *op, unsigned written) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  const Access &target = accesses[op][written];
  const Access &source = accesses[op][1 - written];
  if (!linalgOp || linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() ||
      target.inParts || source.inParts || target.whole.size() != 1)
    return false;
  OpOperand *init = target.whole.front();
  AffineMap map = linalgOp.getMatchingIndexingMap(init);
  return map.isPermutation() &&
         llvm::all_of(source.whole, [&](OpOperand *operand) {
           return operand->get().getType() == init->get().getType() &&
                  linalgOp.getMatchingIndexingMap(operand) == map;
         });
}

Live Analysis::beforeAccess(Operation *op, Live after) {
  auto &both = accesses[op];
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    for (unsigned from : {0, 1})
      if (both[from].reads && !both[from].inParts && both[1 - from].writes &&
          !both[1 - from].inParts) {
        Live live;
        live.buffer[from] = true;
        return live;
      }
  Live live = after;
  for (unsigned which : {0, 1}) {
    const Access &access = both[which], &other = both[1 - which];
    if (!access.writes)
      continue;
    bool readsOther = other.reads && !areSameElements(op, which);
    if (after.buffer[1 - which] || other.writes || readsOther)
      conflict = true;
    if (access.covers)
      live.buffer[which] = false;
  }
  for (unsigned which : {0, 1})
    live.buffer[which] |= both[which].reads;
  return live;
}

Live Analysis::before(Operation *op, Live after) {
  for (unsigned which : {0, 1})
    if (op == buffers[which].getDefiningOp()) {
      after.buffer[which] = false;
      return after;
    }
  if (accesses.contains(op) || canFail(op)) {
    Live live = accesses.contains(op) ? beforeAccess(op, after) : after;
    // The caller finds there what an argument was before the call.
    for (unsigned which : {0, 1})
      live.buffer[which] |=
          canFail(op) && lentAs(buffers[which]) == Lent::Updated;
    return live;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Live live = before(*branch.thenBlock(), after);
    return live |
           (branch.elseBlock() ? before(*branch.elseBlock(), after) : after);
  }
  // The end of a trip is followed by the next one, or by what is after the
  // loop. What is live grows until that adds nothing.
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (Live atEnd = after;;) {
      Live next = atEnd | before(*loop.getBody(), atEnd);
      if (next == atEnd || conflict)
        return next;
      atEnd = next;
    }
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (Live atEnd = after;;) {
      Live entry = before(*loop.getBeforeBody(), atEnd);
      Live next = atEnd | before(*loop.getAfterBody(), entry);
      if (next == atEnd || conflict)
        return entry;
      atEnd = next;
    }
  }
  conflict = true; // an op with regions of another kind
  return after;
}

Live Analysis::before(Block &block, Live after) {
  auto found = noted.find(&block);
  if (found == noted.end())
    return after;
  for (Operation *op : llvm::reverse(found->second)) {
    if (conflict)
      break;
    after = before(op, after);
  }
  return after;
}

bool Analysis::interfere() {
  auto func = buffers[0].getDefiningOp()->getParentOfType<func::FuncOp>();
  Live atEnd;
  for (unsigned which : {0, 1}) {
    if (!collect(which))
      return true;
    switch (lentAs(buffers[which])) {
    case Lent::No:
      if (!buffers[which].getDefiningOp<memref::AllocOp>())
        return true;
      note(buffers[which].getDefiningOp());
      break;
    case Lent::ReadOnly:
      return true;
    case Lent::Updated:
      func.walk([&](Operation *op) {
        if (canFail(op))
          note(op);
      });
      [[fallthrough]];
    case Lent::Result:
      atEnd.buffer[which] = true;
    }
  }
  for (auto &[block, ops] : noted)
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  before(func.getBody().front(), atEnd);
  return conflict;
}

bool cellgrad::interfere(Value temporary, Value other) {
  return Analysis(temporary, other).interfere();
}
