//===- OutlineLoops.cpp - one function for equal loops --------------------===//
//
// A model of many equal layers has the same loops many times:
//
//   scf.for %i = %c0 to %c128 step %c16 { ... %a ... %b ... }
//   scf.for %i = %c0 to %c128 step %c16 { ... %c ... %d ... }
//
// They become calls of one function, so that code is generated once for them,
// and the entry, which code generation takes more than linear time for, stays
// short. What only combines the results of a loop and stores them goes along,
// and so do loads of what the loop starts from.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/Passes.h"

#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/SharedCode.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINELOOPS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Code of fewer ops is as short as the call.
constexpr unsigned kFewestOps = 6;

/// True for ops that read and write buffers, and do nothing else that is seen.
bool accessesMemory(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, memref::PrefetchOp,
             vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
             vector::MaskedStoreOp, vector::GatherOp, vector::ScatterOp,
             vector::TransferReadOp, vector::TransferWriteOp>(op);
}

/// True when the op and all inside only compute.
bool onlyComputes(Operation *root) {
  return !root->walk([](Operation *op) {
                bool isKnown =
                    isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
                    accessesMemory(op) ||
                    (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                     llvm::none_of(op->getResultTypes(),
                                   llvm::IsaPred<StashType>));
                return isKnown ? WalkResult::advance()
                               : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Loads of what the loop starts from, which nothing but it uses. Nothing may
/// be written between them and the loop.
SmallVector<Operation *> findInits(scf::ForOp loop) {
  SmallVector<Operation *> inits;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    bool isLoad = isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp>(op);
    if (!isLoad && !isMemoryEffectFree(op))
      break;
    if (isLoad && op->hasOneUse() && *op->user_begin() == loop.getOperation())
      inits.push_back(op);
  }
  std::reverse(inits.begin(), inits.end());
  return inits;
}

/// The loop with its loads, and the ops after it up to the stores of what they
/// make of its results. Fails where something else comes between, or uses them
/// as well.
FailureOr<SharedCode> findCode(scf::ForOp loop) {
  SmallVector<Operation *> ops = findInits(loop);
  ops.push_back(loop);
  // What uses the results and is no part yet.
  llvm::SmallPtrSet<Operation *, 8> missing;
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (!loop->isProperAncestor(user))
        missing.insert(user);
  };
  addUsers(loop);
  for (Operation *op = loop; !missing.empty();) {
    op = op->getNextNode();
    if (op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions() != 0)
      return failure();
    bool isPart = missing.erase(op);
    if (isPart ? !onlyComputes(op) : !isMemoryEffectFree(op))
      return failure();
    if (!isPart)
      continue;
    ops.push_back(op);
    addUsers(op);
  }
  unsigned size = 0;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      size += !inner->hasTrait<OpTrait::ConstantLike>();
    });
  SharedCode code(ops);
  if (size < kFewestOps || failed(code.collect()))
    return failure();
  return code;
}

struct OutlineLoops : cellgrad::impl::OutlineLoopsBase<OutlineLoops> {
  void runOnOperation() override;
};

void OutlineLoops::runOnOperation() {
  SharedGroups groups;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function->hasAttr(kKernel))
      function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
        if (!onlyComputes(loop))
          return WalkResult::advance();
        if (FailureOr<SharedCode> code = findCode(loop); succeeded(code))
          groups.add(std::move(*code));
        return WalkResult::skip();
      });
  SymbolTable symbols(getOperation());
  for (const std::vector<SharedCode> &group : groups.get()) {
    if (group.size() < 2)
      continue;
    SharedFunction shared("cell_loop", group);
    symbols.insert(shared.function);
    OpBuilder b(shared.function.front().getTerminator());
    for (Operation *op : group.front().getOps())
      b.clone(*op, shared.map);
    for (const SharedCode &code : group) {
      b.setInsertionPoint(code.getOps().back());
      func::CallOp::create(b, code.getOps().front()->getLoc(), shared.function,
                           shared.operandsFor(code, b));
      for (Operation *op : llvm::reverse(code.getOps()))
        op->erase();
    }
  }
}

} // namespace
