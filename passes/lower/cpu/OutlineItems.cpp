//===- OutlineItems.cpp - kernels as functions of ranges of items ---------===//
//
// An `scf.forall` that takes long enough to be shared becomes a function of a
// range of its items and of the worker that computes them:
//
//   scf.forall (%i) in (128) { ... }
//
// becomes
//
//   func.func private @cell_items(args, %begin, %end, %worker)
//       attributes {cell.kernel} {
//     scf.for %i = %begin to %end step %c1 { ... }
//   }
//   call @cell_items(args, %c0, %c128, %c0)
//
// Kernels with the same code are one function.
// The call has its serial meaning until the very end, where it becomes a call
// of the pool that the caller has lent (LaunchKernels.cpp). All other loops
// over items become plain loops.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/Passes.h"

#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINEITEMS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// A pointer says all about the memory, or a register holds the value.
bool canBePassed(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIndex() || type.isInteger() || type.isF32() || type.isF64();
  return memref.hasStaticShape() && memref.getNumElements() > 0 &&
         memref.getLayout().isIdentity();
}

/// True for what can be computed again in the kernel: constants, views, index
/// arithmetic.
bool canBeRepeated(Operation *op) {
  return op->getNumRegions() == 0 &&
         (op->hasTrait<OpTrait::ConstantLike>() ||
          isa<ViewLikeOpInterface>(op) || isa<memref::GetGlobalOp>(op));
}

/// What the loop uses from outside: what is passed to a kernel, and what is
/// computed again in it, in order. Fails where something can be neither.
struct Captures {
  llvm::SetVector<Value> passed;
  llvm::SetVector<Operation *> repeated;

  LogicalResult add(Value value) {
    if (passed.contains(value))
      return success();
    Operation *op = value.getDefiningOp();
    if (op && canBeRepeated(op)) {
      if (repeated.contains(op))
        return success();
      for (Value operand : op->getOperands())
        if (failed(add(operand)))
          return failure();
      repeated.insert(op);
      return success();
    }
    if (!canBePassed(value.getType()))
      return failure();
    passed.insert(value);
    return success();
  }
};

/// True when the steps only compute: nothing is printed, checked, kept or
/// polled, and calls are of such functions.
bool onlyComputes(scf::ForallOp loop) {
  return !loop->walk([](Operation *op) {
                bool leaves = isa<PrintOp, CheckOp, PollOp, EndOp>(op) ||
                              op->hasTrait<Collective>() ||
                              llvm::any_of(op->getResultTypes(),
                                           llvm::IsaPred<StashType>);
                return leaves ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The hash of what equal kernels have in common.
llvm::hash_code hashOf(func::FuncOp kernel) {
  llvm::hash_code hash = llvm::hash_combine(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getRawDictionaryAttrs(),
                              op->hashProperties());
  });
  return hash;
}

/// True when one function can stand for both. Operands are compared in their
/// order: left to itself, the comparison sorts those of commutative ops by
/// address.
bool areEqual(func::FuncOp a, func::FuncOp b) {
  if (a.getFunctionType() != b.getFunctionType() ||
      a.getArgAttrsAttr() != b.getArgAttrsAttr())
    return false;
  IRMapping map;
  auto equivalent = [&](Value x, Value y) {
    return success(map.lookupOrNull(x) == y);
  };
  auto mark = [&](Value x, Value y) { map.map(x, y); };
  auto inOrder = [&](ValueRange xs, ValueRange ys) -> LogicalResult {
    for (auto [x, y] : llvm::zip_equal(xs, ys))
      if (failed(equivalent(x, y)))
        return failure();
    return success();
  };
  return OperationEquivalence::isRegionEquivalentTo(
      &a.getBody(), &b.getBody(), equivalent, mark,
      OperationEquivalence::IgnoreLocations, inOrder);
}

struct OutlineItems : cellgrad::impl::OutlineItemsBase<OutlineItems> {
  using OutlineItemsBase::OutlineItemsBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops; // those inside of others first
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    // Decided before any loop is gone: what one calls stays inside of items.
    DenseSet<Operation *> shared;
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (scf::ForallOp loop : loops)
      if (isShared(loop, users))
        shared.insert(loop);
    for (scf::ForallOp loop : loops) {
      if (shared.contains(loop) && succeeded(outline(loop, symbols)))
        continue;
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop)))
        return signalPassFailure();
    }
    mergeEqual();
  }

private:
  /// Has calls of equal kernels call the first of them.
  void mergeEqual() {
    DenseMap<size_t, SmallVector<func::FuncOp>> byHash;
    for (auto [call, kernel] : kernels) {
      SmallVector<func::FuncOp> &known = byHash[hashOf(kernel)];
      auto equal =
          llvm::find_if(known, [&, kernel = kernel](func::FuncOp other) {
            return areEqual(other, kernel);
          });
      if (equal == known.end()) {
        known.push_back(kernel);
        continue;
      }
      func::CallOp(call).setCallee(equal->getSymName());
      func::FuncOp(kernel).erase();
    }
    kernels.clear();
  }

  /// Only outermost loops: workers do not share their work.
  bool isShared(scf::ForallOp loop, const SymbolUserMap &users) {
    auto time = loop->getAttrOfType<IntegerAttr>(kNanoseconds);
    return time && time.getInt() >= fewestNanoseconds && loop.getRank() == 1 &&
           loop.getStaticUpperBound()[0] != 1 && onlyComputes(loop) &&
           isOutermost(loop, users);
  }

  /// True for an op that no item runs: in an entry, or in a function that
  /// entries alone call.
  static bool isOutermost(Operation *op, const SymbolUserMap &users) {
    if (op->getParentOfType<scf::ForallOp>())
      return false;
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function.isPrivate())
      return true;
    return llvm::all_of(users.getUsers(function), [](Operation *user) {
      auto caller = user->getParentOfType<func::FuncOp>();
      return caller && !caller.isPrivate() &&
             !user->getParentOfType<scf::ForallOp>();
    });
  }

  LogicalResult outline(scf::ForallOp loop, SymbolTable &symbols) {
    Captures captures;
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop.getRegion(), used);
    for (Value value : used)
      if (failed(captures.add(value)))
        return failure();

    Location loc = loop.getLoc();
    OpBuilder b(&getContext());
    SmallVector<Type> types = llvm::map_to_vector(
        captures.passed, [](Value value) { return value.getType(); });
    types.append(3, b.getIndexType());
    auto kernel = func::FuncOp::create(loc, "cell_items",
                                       b.getFunctionType(types, TypeRange()));
    kernel.setPrivate();
    kernel->setAttr(kKernel, b.getI64IntegerAttr(captures.passed.size()));
    symbols.insert(kernel);
    Block *body = kernel.addEntryBlock();
    bool apart = llvm::all_of(captures.passed, [](Value value) {
      return !isa<MemRefType>(value.getType()) || isDistinctRoot(value);
    });
    for (auto [i, value] : llvm::enumerate(captures.passed))
      if (apart && isa<MemRefType>(value.getType()))
        kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());
    b.setInsertionPointToStart(body);
    IRMapping map;
    map.map(captures.passed.getArrayRef(), body->getArguments().drop_back(3));
    for (Operation *op : captures.repeated)
      b.clone(*op, map);
    ValueRange range = body->getArguments().take_back(3);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto steps = scf::ForOp::create(b, loc, range[0], range[1], one);
    func::ReturnOp::create(b, loc);
    b.setInsertionPointToStart(steps.getBody());
    map.map(loop.getInductionVar(0), steps.getInductionVar());
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, map);

    b.setInsertionPoint(loop);
    SmallVector<Value> operands(captures.passed.getArrayRef());
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value items =
        getValueOrCreateConstantIndexOp(b, loc, loop.getMixedUpperBound()[0]);
    operands.append({zero, items, zero});
    kernels.push_back({func::CallOp::create(b, loc, kernel, operands), kernel});
    loop.erase();
    return success();
  }

  /// Each with its one call.
  SmallVector<std::pair<func::CallOp, func::FuncOp>> kernels;
};

} // namespace
