//===- ProgramMemory.cpp - the buffers of a program -----------------------===//

#include "passes/lower/gpu/ProgramMemory.h"

#include "passes/lower/buffers/BufferLifetimes.h"
#include "passes/lower/gpu/DeviceMemory.h"
#include "passes/lower/gpu/ThreadBlock.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cellgrad;

/// Slices of blocks, and buffers in them, start where a transaction of memory
/// does.
constexpr int64_t kScratchAlignment = 256;

/// Room for any element.
constexpr int64_t kSharedAlignment = 16;

static int64_t sizeInBytes(MemRefType type, int64_t alignment) {
  int64_t bits = type.getElementType().isIndex()
                     ? 64
                     : std::max(8u, type.getElementTypeBitWidth());
  return llvm::alignTo(type.getNumElements() * (bits / 8), alignment);
}

/// The views of a buffer; none where it is also handed on as a value, so that
/// another may stand in its place.
static std::optional<SmallVector<Value>> viewsOf(Value buffer) {
  SmallVector<Value> views{buffer};
  for (unsigned i = 0; i < views.size(); ++i) {
    for (OpOperand &use : views[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp,
              UnrealizedConversionCastOp>(user)) {
        for (Value result : user->getResults())
          if (isa<MemRefType>(result.getType()))
            views.push_back(result);
      } else if (!isa<linalg::LinalgOp, memref::LoadOp, memref::StoreOp,
                      memref::CopyOp, memref::DeallocOp>(user)) {
        return std::nullopt;
      }
    }
  }
  return views;
}

FailureOr<ProgramMemory> cellgrad::planProgramMemory(func::FuncOp program) {
  ProgramMemory memory;
  BufferLifetimes lifetimes(program);
  SmallVector<memref::AllocOp> allocs;
  SmallVector<std::pair<int64_t, unsigned>> order; // by bytes
  WalkResult result = program.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      refuse(alloc, Blame::Form)
          << "of type " << type
          << " has no place on the device; temporaries must have a static "
             "shape and the identity layout";
      return WalkResult::interrupt();
    }
    if (failed(lifetimes.of(alloc)))
      return WalkResult::interrupt();
    order.push_back({sizeInBytes(type, kSharedAlignment), allocs.size()});
    allocs.push_back(alloc);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // The smallest ones first: most of them fit.
  llvm::sort(order);
  int64_t free = kSharedBytes - kSlotBytes;
  for (auto [bytes, position] : order) {
    memref::AllocOp alloc = allocs[position];
    if (bytes <= free && viewsOf(alloc)) {
      free -= bytes;
      memory.shared.push_back(alloc);
      continue;
    }
    memory.scratch.push_back({alloc, memory.scratchBytes});
    memory.scratchBytes += sizeInBytes(alloc.getType(), kScratchAlignment);
  }
  return memory;
}

Type cellgrad::inMemory(Type type, unsigned space) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type;
  auto number =
      IntegerAttr::get(IntegerType::get(type.getContext(), 64), space);
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout(), number);
}

void cellgrad::placeProgramMemory(gpu::GPUFuncOp kernel,
                                  const ProgramMemory &memory, Value block,
                                  Value scratch) {
  auto moveTo = [](Value value, unsigned space) {
    value.setType(inMemory(value.getType(), space));
  };
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      moveTo(result, kGlobalMemory);
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        for (BlockArgument argument : inner.getArguments())
          moveTo(argument, kGlobalMemory);
  });

  for (memref::AllocOp alloc : memory.shared) {
    std::optional<SmallVector<Value>> views = viewsOf(alloc);
    for (Value view : *views)
      moveTo(view, kSharedMemory);
    Value place =
        kernel.addWorkgroupAttribution(alloc.getType(), alloc.getLoc());
    alloc.replaceAllUsesWith(place);
    alloc.erase();
  }

  OpBuilder b(kernel.getContext());
  for (ProgramMemory::Scratch temporary : memory.scratch) {
    memref::AllocOp alloc = temporary.alloc;
    Location loc = alloc.getLoc();
    b.setInsertionPoint(alloc);
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value slice =
        arith::MulIOp::create(b, loc, block, index(memory.scratchBytes));
    Value offset =
        arith::AddIOp::create(b, loc, slice, index(temporary.offset));
    Value view = memref::ViewOp::create(b, loc, alloc.getType(), scratch,
                                        offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}
