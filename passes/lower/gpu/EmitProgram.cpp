//===- EmitProgram.cpp - kernels that run a program -----------------------===//
//
// The plainest form of a kernel, which everything has: independent blocks, and
// in each block one op after another, each by all threads.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/Passes.h"

#include "passes/lower/buffers/AsGeneric.h"
#include "passes/lower/gpu/DeviceKernel.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/ProgramMemory.h"
#include "passes/lower/gpu/SpreadNest.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"
#include "dialect/SpecialMath.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITPROGRAMS
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Whether threads can run `op`, apart from what is in its regions.
bool runsOnDevice(Operation *op) {
  if (isa<affine::AffineDialect, arith::ArithDialect, math::MathDialect,
          special::SpecialDialect, ub::UBDialect>(op->getDialect()))
    return isMemoryEffectFree(op);
  return isa<linalg::LinalgOp, linalg::YieldOp, linalg::IndexOp, memref::LoadOp,
             memref::StoreOp, memref::CopyOp, memref::AllocOp,
             memref::DeallocOp, memref::SubViewOp, memref::CastOp,
             memref::ReinterpretCastOp, memref::CollapseShapeOp,
             memref::ExpandShapeOp, memref::ViewOp, memref::TransposeOp,
             memref::ExtractStridedMetadataOp, memref::GetGlobalOp, scf::ForOp,
             scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
             scf::ForallOp, scf::InParallelOp, func::ReturnOp, PollOp>(op);
}

LogicalResult refuseOthers(func::FuncOp program) {
  if (program.getNumResults() != 0 || !program.getBody().hasOneBlock())
    return refuse(program, Blame::Form)
           << "cannot be a kernel: expected one block and no results";
  WalkResult result = program.getBody().walk([&](Operation *op) {
    if (runsOnDevice(op))
      return WalkResult::advance();
    refuse(op, Blame::Form) << "cannot run in a kernel on the device yet";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

int64_t countItems(scf::ForallOp loop) {
  int64_t count = 1;
  for (int64_t size : loop.getStaticUpperBound())
    count = llvm::SaturatingMultiply<uint64_t>(count, size);
  return count;
}

/// The loop whose steps are blocks, if there is one: it is all that the program
/// does. Other loops over items are steps of each block.
FailureOr<scf::ForallOp> findBlocks(func::FuncOp program) {
  scf::ForallOp blocks;
  bool alone = true;
  for (Operation &op : program.getBody().front()) {
    auto loop = dyn_cast<scf::ForallOp>(op);
    if (loop && !blocks && loop.isNormalized() &&
        llvm::none_of(loop.getStaticUpperBound(), ShapedType::isDynamic))
      blocks = loop;
    else
      alone &= isMemoryEffectFree(&op) || isa<func::ReturnOp>(op);
  }
  if (!alone || (blocks && !llvm::isInt<32>(countItems(blocks))))
    blocks = {};
  SmallVector<scf::ForallOp> loops; // those inside of others first
  program.walk([&](scf::ForallOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(program.getContext());
  for (scf::ForallOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    if (loop != blocks && failed(scf::forallToForLoop(rewriter, loop)))
      return failure();
  }
  return blocks;
}

/// Emits ops of a program where they stand, with the barriers between them.
/// Which barriers depends on what was read and written since the last one. All
/// control flow is that of all threads, and so is every barrier.
class ProgramEmitter {
public:
  explicit ProgramEmitter(ThreadBlock &block)
      : b(block.thread().getContext()), block(block) {}

  void run(Block &ops) {
    for (Operation &op : llvm::make_early_inc_range(ops)) {
      b.setInsertionPoint(&op);
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        wait(read || written || stored);
        spreadNest(b, *nestForThreads(generic), block);
        written = true;
        op.erase();
      } else if (isa<memref::LoadOp>(op)) {
        wait(written || stored);
        read = true;
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        // The thread that stores does so in order.
        wait(read || written);
        storeByOne(store);
        stored = true;
      } else if (isa<memref::DeallocOp, PollOp>(op)) {
        // A kernel that runs is not cancelled: its launches are.
        op.erase();
      } else if (op.getNumRegions() != 0 ||
                 (op.hasTrait<OpTrait::IsTerminator>() &&
                  !isa<gpu::ReturnOp>(op))) {
        // Where control comes from and goes to, nothing is left to wait for.
        wait(read || written || stored);
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            run(inner);
      }
    }
  }

private:
  void wait(bool needed) {
    if (!needed)
      return;
    gpu::BarrierOp::create(b, b.getInsertionPoint()->getLoc());
    read = written = stored = false;
  }

  void storeByOne(memref::StoreOp store) {
    auto branch = scf::IfOp::create(b, store.getLoc(), block.isFirst());
    store->moveBefore(branch.thenBlock()->getTerminator());
  }

  OpBuilder b;
  ThreadBlock &block;
  /// Since the last barrier: a value that all threads read; what threads wrote,
  /// each for itself; what one wrote for all.
  bool read = false, written = false, stored = false;
};

struct EmitPrograms : cellgrad::impl::EmitProgramsBase<EmitPrograms> {
  using EmitProgramsBase::EmitProgramsBase;

  void runOnOperation() override {
    auto programs = llvm::to_vector(llvm::make_filter_range(
        getOperation().getOps<func::FuncOp>(), [](func::FuncOp func) {
          return func->hasAttr(kDeviceKernel) && !func->hasAttr(kGridNest) &&
                 !func.isDeclaration();
        }));
    if (programs.empty())
      return;
    DeviceModule module(getOperation());
    for (func::FuncOp program : programs)
      if (failed(emit(program, module)))
        return signalPassFailure();
  }

private:
  LogicalResult emit(func::FuncOp program, DeviceModule &module);
  FailureOr<int64_t> prepareNests(func::FuncOp program);
};

} // namespace

/// Every op that threads share becomes a nest that has steps. Returns how many
/// threads are of use.
FailureOr<int64_t> EmitPrograms::prepareNests(func::FuncOp program) {
  int64_t useful = 1;
  SmallVector<Operation *> ops;
  program.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, memref::CopyOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (Operation *op : ops) {
    FailureOr<linalg::GenericOp> generic = replaceByGeneric(rewriter, op);
    if (failed(generic))
      return failure();
    if (!*generic)
      continue;
    FailureOr<LoopNest> nest = nestForThreads(*generic);
    if (failed(nest))
      return failure();
    if (nest->isEmpty())
      rewriter.eraseOp(*generic);
    else
      useful = std::max(useful, usefulThreads(*nest));
  }
  return useful;
}

LogicalResult EmitPrograms::emit(func::FuncOp program, DeviceModule &module) {
  if (failed(refuseOthers(program)))
    return failure();
  FailureOr<int64_t> useful = prepareNests(program);
  if (failed(useful))
    return failure();
  FailureOr<scf::ForallOp> blocks = findBlocks(program);
  if (failed(blocks))
    return failure();
  FailureOr<ProgramMemory> memory = planProgramMemory(program);
  if (failed(memory))
    return failure();
  int64_t count = *blocks ? countItems(*blocks) : 1;
  int64_t threads = std::min(
      kMostThreads, static_cast<int64_t>(llvm::alignTo<kWarp>(*useful)));
  Location loc = program.getLoc();
  gpu::GPUFuncOp kernel =
      module.makeKernel(program, {threads, count, memory->scratchBytes});
  Block &body = kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&body);
  Value number = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);

  // Each block takes the step of its number.
  if (scf::ForallOp loop = *blocks) {
    b.setInsertionPoint(loop);
    Value rest = number;
    for (unsigned d = loop.getRank(); d-- > 0;) {
      Value step = rest;
      if (d > 0) {
        Value size = arith::ConstantIndexOp::create(
            b, loc, loop.getStaticUpperBound()[d]);
        step = arith::RemUIOp::create(b, loc, rest, size);
        rest = arith::DivUIOp::create(b, loc, rest, size);
      }
      loop.getInductionVar(d).replaceAllUsesWith(step);
    }
    loop.getBody()->getTerminator()->erase();
    body.getOperations().splice(loop->getIterator(),
                                loop.getBody()->getOperations());
    loop.erase();
  }
  placeProgramMemory(kernel, *memory, number,
                     memory->scratchBytes ? kernel.getArguments().back()
                                          : Value());
  ThreadBlock block(kernel, threads);
  ProgramEmitter(block).run(body);
  return success();
}
