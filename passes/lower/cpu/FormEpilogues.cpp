//===- FormEpilogues.cpp - elementwise ops that run on tiles of products --===//
//
//   linalg.generic P ins(%a, %b) outs(%c)             a product
//   linalg.generic E ins(%c, %bias) outs(%y)          elementwise
//
// P moves down to E, and E gets the attribute `cell.epilogue` (Epilogue.h):
// `cell-emit-gemm` runs E on each tile of C right after its last block of the
// reduction, while the tile is in the first-level cache. What follows from
// that, and is checked here:
//
// - Nothing between the two touches C or writes what P reads. So P can move.
// - E reads and writes C at the place where P has come to, and nothing else of
//   C's memory: other places may be computed later.
// - E does not write what P reads, which P still needs for other tiles, nor,
//   at another place, what E itself reads.
// - C is complete after the last block: P does not sum in other memory.
// - Fewer bytes move, and no more memory is needed at a time.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/MemoryRoots.h"
#include "passes/lower/cpu/GemmEmitter.h"
#include "passes/lower/cpu/NestPlan.h"
#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_FORMEPILOGUES
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Ops between a product and its epilogue that are looked at.
constexpr unsigned kWindow = 32;

/// An op that moves more than so many times the bytes of the result pushes out
/// of the caches what the product needs, for a small part of what it moves.
constexpr int64_t kMostOthers = 3;

int64_t bytesOf(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return type.getNumElements() * std::max(8u, type.getElementTypeBitWidth()) /
         8;
}

/// True when the epilogue may run on one tile of the product's result before
/// the product has begun the next.
bool mayInterleave(const Contraction &product, const LoopNest &epilogue) {
  SmallVector<const Access *> operands;
  for (const Access &access : epilogue.inputs)
    if (!access.isScalar())
      operands.push_back(&access);
  for (const Access &access : epilogue.outputs)
    operands.push_back(&access);
  for (const Access *access : operands)
    if (!isKnownRoot(rootOf(access->memref)))
      return false;
  for (const Access &output : epilogue.outputs) {
    Value root = rootOf(output.memref);
    for (const Access &input : product.nest.inputs)
      if (rootOf(input.memref) == root)
        return false;
    for (const Access *other : operands)
      if (rootOf(other->memref) == root &&
          (unreshaped(other->memref) != unreshaped(output.memref) ||
           other->offset != output.offset || other->strides != output.strides))
        return false;
  }
  return true;
}

/// Calls `visit` with each op that uses the buffer or a view of it.
void forEachUser(Value buffer, function_ref<void(Operation *)> visit) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<ViewLikeOpInterface>(user))
      forEachUser(user->getResult(0), visit);
    else
      visit(user);
  }
}

/// True for a temporary that may vanish when its users run row by row.
bool mayBeLocal(Value root, Operation *writer) {
  if (!root.getDefiningOp<memref::AllocOp>())
    return false;
  bool may = true;
  forEachUser(root, [&](Operation *user) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    may &= user == writer || isa<linalg::FillOp>(user) ||
           (generic && user->getBlock() == writer->getBlock() &&
            !isContraction(generic) && !isSumOfProducts(generic));
  });
  return may;
}

/// True when fewer bytes go through memory, or as many: the result is not read
/// again, and where nobody else needs it, not written. A temporary that rows of
/// the ops after it could have kept in a tile is written and read instead.
bool saves(linalg::GenericOp product, linalg::GenericOp epilogue) {
  Value c = product.getDpsInits()[0];
  bool isWrittenOnce = isUsedOnlyBy(c, {product, epilogue}) ||
                       llvm::any_of(epilogue.getDpsInits(), [&](Value out) {
                         return rootOf(out) == rootOf(c);
                       });
  int64_t saved = bytesOf(c) * (isWrittenOnce ? 2 : 1);
  int64_t others = 0;
  for (OpOperand &operand : epilogue->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) &&
        rootOf(operand.get()) != rootOf(c))
      others += bytesOf(operand.get());
  if (others > kMostOthers * bytesOf(c))
    return false;
  for (Value out : epilogue.getDpsInits())
    if (rootOf(out) != rootOf(c) && mayBeLocal(rootOf(out), epilogue))
      saved -= 2 * bytesOf(out);
  return saved >= 0;
}

/// Bytes of temporaries that only the product still needs when it moves down
/// to `place`.
int64_t bytesKeptFor(linalg::GenericOp product, Operation *place) {
  int64_t bytes = 0;
  for (Value input : product.getDpsInputs()) {
    Value root = rootOf(input);
    if (!root.getDefiningOp<memref::AllocOp>())
      continue;
    bool isNeeded = false;
    forEachUser(root, [&](Operation *user) {
      Operation *at = place->getBlock()->findAncestorOpInBlock(*user);
      isNeeded |= !at || (at != product && !at->isBeforeInBlock(place));
    });
    if (!isNeeded)
      bytes += bytesOf(root);
  }
  return bytes;
}

struct FormEpilogues : cellgrad::impl::FormEpiloguesBase<FormEpilogues> {
  using FormEpiloguesBase::FormEpiloguesBase;

  void runOnOperation() override {
    for (linalg::GenericOp product : kernelContractionsIn(getOperation()))
      form(product);
  }

  void form(linalg::GenericOp op) {
    std::optional<Contraction> product = matchContraction(op);
    if (!product || bytesOf(op.getDpsInits()[0]) < fewestBytes ||
        !isKnownRoot(rootOf(op.getDpsInits()[0])))
      return;
    GemmShape shape = shapeOf(*product);
    if (!completesTiles(shape, planGemm(shape, *target)))
      return;
    bool hasPassed = false;
    auto epilogue =
        dyn_cast_or_null<linalg::GenericOp>(firstAfter(op, hasPassed));
    if (!epilogue || epilogue->hasAttr(kEpilogue) || !bodyVectorises(epilogue))
      return;
    std::optional<LoopNest> nest = epilogueNest(*product, epilogue);
    if (!nest || !mayInterleave(*product, *nest))
      return;
    if (fewestBytes > 1 && !saves(op, epilogue))
      return;
    if (hasPassed && bytesKeptFor(op, epilogue) > bytesOf(op.getDpsInits()[0]))
      return;
    op->moveBefore(epilogue);
    epilogue->setAttr(kEpilogue, UnitAttr::get(&getContext()));
  }

  /// The first op that cannot change places with `product`; null where that is
  /// far. Says whether ops between the two do anything.
  Operation *firstAfter(linalg::GenericOp product, bool &hasPassed) {
    MemoryUse use;
    use.add(product);
    unsigned passed = 0;
    for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
      if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op))
        continue;
      if (use.conflictsWith(op))
        return op;
      if (++passed > kWindow)
        return nullptr;
      hasPassed = true;
    }
    return nullptr;
  }
};

} // namespace
