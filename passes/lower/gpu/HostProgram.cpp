//===- HostProgram.cpp - launches and reads through the runtime -----------===//
//
// The host program of an entry, on buffers that are memory of the device, talks
// to it through the runtime (runtime/cuda):
//
//   call @f_0(%x, %y)    cell_rt_cuda_launch, with the kernel's number
//   memref.load %t[]     cell_rt_cuda_read
//   cell.print %y        cell_rt_cuda_read to memory of the host, then printed
//   cell.rank_load %t    cell_rt_cuda_fill
//
// Each may fail, and then ends the entry with its status. Buffers of the device
// are addresses here: nothing is left that loads or stores through them.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/Passes.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"
#include "passes/lower/buffers/Checks.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_HOSTPROGRAM
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Where buffers that are on the host at the same time begin.
constexpr int64_t kHostAlignment = 64;

int64_t bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t bytesOf(MemRefType type) {
  return type.getNumElements() * bytesOf(type.getElementType());
}

/// A kernel, and its number.
struct DeviceKernel {
  gpu::GPUFuncOp function;
  unsigned number;
};

/// Rewrites one entry.
class HostWriter {
public:
  HostWriter(func::FuncOp func, const llvm::StringMap<DeviceKernel> &kernels)
      : func(func), kernels(kernels), b(func.getContext()),
        converter(func.getContext()),
        ptr(LLVM::LLVMPointerType::get(func.getContext())), i32(b.getI32Type()),
        i64(b.getI64Type()) {}

  LogicalResult write();

private:
  void launch(func::CallOp call, const DeviceKernel &kernel);
  void read(memref::LoadOp load);
  void print(PrintOp op);
  void stash(Operation *op, Value buffer, bool loads);
  void loadRank(RankLoadOp op);

  Value constant(Location loc, Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type, value);
  }
  /// The device's address of the element of `buffer` at `indices`, an i64.
  Value address(Location loc, Value buffer, ValueRange indices = {});
  Value member(Location loc, Value base, int64_t offset) {
    return LLVM::GEPOp::create(
        b, loc, ptr, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  }
  /// Calls the runtime; an error ends the entry.
  void callRuntime(Location loc, StringRef name, ArrayRef<Value> operands);
  LLVM::CallOp callFunction(Location loc, StringRef name,
                            ArrayRef<Value> operands, Type result);
  /// Memory of the host, until it is asked for again.
  Value hostMemory(Location loc, int64_t bytes);
  /// What is at an address of the host, as a buffer of that type.
  Value hostBuffer(Location loc, Value pointer, MemRefType type);
  void readBuffer(Location loc, Value to, Value buffer);

  func::FuncOp func;
  const llvm::StringMap<DeviceKernel> &kernels;
  OpBuilder b;
  LLVMTypeConverter converter;
  Type ptr, i32, i64;
  Value call;      ///< the runtime's, an argument
  Value arguments; ///< where launches find pointers to what they pass
  Value values;    ///< what they point at; and where reads go
};

} // namespace

LLVM::CallOp HostWriter::callFunction(Location loc, StringRef name,
                                      ArrayRef<Value> operands, Type result) {
  auto module = func->getParentOfType<ModuleOp>();
  SmallVector<Type> types =
      llvm::map_to_vector(operands, [](Value v) { return v.getType(); });
  LLVM::LLVMFuncOp function;
  {
    OpBuilder::InsertionGuard guard(b);
    function = *LLVM::lookupOrCreateFn(b, module, name, types, result);
  }
  return LLVM::CallOp::create(b, loc, function, operands);
}

void HostWriter::callRuntime(Location loc, StringRef name,
                             ArrayRef<Value> operands) {
  Value status = callFunction(loc, name, operands, i32).getResult();
  Value ok = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status,
                                  constant(loc, i32, CG_OK));
  EndOp::create(b, loc, ok, status);
}

Value HostWriter::address(Location loc, Value buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value at;
  auto add = [&](Value term) {
    at = at ? Value(arith::AddIOp::create(b, loc, at, term)) : term;
  };
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic)) {
    auto known = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
    add(known.getOffset());
    for (auto [i, position] : llvm::enumerate(indices))
      add(arith::MulIOp::create(b, loc, position, known.getStrides()[i]));
  } else {
    if (offset != 0)
      add(index(offset));
    for (auto [position, stride] : llvm::zip(indices, strides))
      add(arith::MulIOp::create(b, loc, position, index(stride)));
  }
  if (at)
    base = arith::AddIOp::create(
        b, loc, base,
        arith::MulIOp::create(b, loc, at,
                              index(bytesOf(type.getElementType()))));
  return arith::IndexCastOp::create(b, loc, i64, base);
}

void HostWriter::launch(func::CallOp op, const DeviceKernel &kernel) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    Value value = operand;
    if (isa<MemRefType>(value.getType()))
      value = address(loc, value);
    else if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, i64, value);
    else if (value.getType().isInteger(1))
      value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
    LLVM::StoreOp::create(b, loc, value, member(loc, values, 8 * i));
  }
  auto words = [&](ArrayRef<int32_t> known, int64_t at) {
    Value place = member(loc, arguments, at);
    for (auto [i, extent] : llvm::enumerate(known))
      LLVM::StoreOp::create(b, loc, constant(loc, i32, extent),
                            member(loc, place, 4 * i));
    return place;
  };
  gpu::GPUFuncOp function = kernel.function;
  Value grid = words(*function.getKnownGridSize(), 0);
  Value block = words(*function.getKnownBlockSize(), 16);
  callRuntime(loc, "cell_rt_cuda_launch",
              {call, constant(loc, i32, kernel.number), grid, block,
               constant(loc, i32, 0), member(loc, arguments, 32)});
  op.erase();
}

void HostWriter::read(memref::LoadOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Type type = op.getType(), stored = type.isInteger(1) ? b.getI8Type() : type;
  Value from = address(loc, op.getMemRef(), op.getIndices());
  callRuntime(loc, "cell_rt_cuda_read",
              {call, values, from, constant(loc, i64, bytesOf(type))});
  Value value = LLVM::LoadOp::create(b, loc, stored, values);
  if (type != stored)
    value = arith::TruncIOp::create(b, loc, type, value);
  op.replaceAllUsesWith(value);
  op.erase();
}

Value HostWriter::hostMemory(Location loc, int64_t bytes) {
  Value memory = callFunction(loc, "cell_rt_cuda_host_memory",
                              {call, constant(loc, i64, bytes)}, ptr)
                     .getResult();
  Value ok = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, memory,
                                  LLVM::ZeroOp::create(b, loc, ptr));
  EndOp::create(b, loc, ok, constant(loc, i32, CG_ERROR_ALLOCATION));
  return memory;
}

Value HostWriter::hostBuffer(Location loc, Value pointer, MemRefType type) {
  Value descriptor =
      MemRefDescriptor::fromStaticShape(b, loc, converter, type, pointer);
  return UnrealizedConversionCastOp::create(b, loc, type, descriptor)
      .getResult(0);
}

void HostWriter::readBuffer(Location loc, Value to, Value buffer) {
  int64_t bytes = bytesOf(cast<MemRefType>(buffer.getType()));
  callRuntime(loc, "cell_rt_cuda_read",
              {call, to, address(loc, buffer), constant(loc, i64, bytes)});
}

void HostWriter::print(PrintOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (Value buffer : op.getXs()) {
    offsets.push_back(bytes);
    bytes += llvm::alignTo(bytesOf(cast<MemRefType>(buffer.getType())),
                           kHostAlignment);
  }
  if (bytes == 0)
    return;
  Value memory = hostMemory(loc, bytes);
  SmallVector<Value> copies;
  for (auto [buffer, offset] : llvm::zip(op.getXs(), offsets)) {
    if (bytesOf(cast<MemRefType>(buffer.getType())) == 0) {
      copies.push_back(buffer);
      continue;
    }
    Value place = member(loc, memory, offset);
    readBuffer(loc, place, buffer);
    copies.push_back(
        hostBuffer(loc, place, cast<MemRefType>(buffer.getType())));
  }
  op.getXsMutable().assign(copies);
}

void HostWriter::stash(Operation *op, Value buffer, bool loads) {
  Location loc = op->getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = bytesOf(type);
  b.setInsertionPoint(op);
  Value memory = hostMemory(loc, std::max<int64_t>(bytes, 1));
  if (!loads)
    readBuffer(loc, memory, buffer);
  op->replaceUsesOfWith(buffer, hostBuffer(loc, memory, type));
  if (!loads)
    return;
  b.setInsertionPointAfter(op);
  callRuntime(loc, "cell_rt_cuda_write",
              {call, address(loc, buffer), memory, constant(loc, i64, bytes)});
}

/// The halves of the number are fills: nothing waits.
void HostWriter::loadRank(RankLoadOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  Value rank =
      callFunction(loc, "cell_comm_rank", constant(loc, i32, op.getSize()), i32)
          .getResult();
  Value to = address(loc, op.getBuffer());
  Value upper = LLVM::AddOp::create(b, loc, to, constant(loc, i64, 4));
  for (auto [half, value] :
       {std::pair(to, rank), std::pair(upper, constant(loc, i32, 0))})
    callRuntime(
        loc, "cell_rt_cuda_fill",
        {call, half, value, constant(loc, i64, 1), constant(loc, i32, 4)});
  op.erase();
}

LogicalResult HostWriter::write() {
  size_t most = 1;
  SmallVector<Operation *> ops;
  WalkResult result = func.walk([&](Operation *op) {
    if (auto callOp = dyn_cast<func::CallOp>(op)) {
      if (!kernels.contains(callOp.getCallee())) {
        refuse(op, Blame::Form) << "calls '" << callOp.getCallee()
                                << "', which is not a kernel of the device";
        return WalkResult::interrupt();
      }
      most = std::max<size_t>(most, callOp.getNumOperands());
      ops.push_back(op);
    } else if (isa<memref::LoadOp, PrintOp, StashLoadOp, StashStoreOp,
                   RankLoadOp>(op)) {
      ops.push_back(op);
    } else if (isa<memref::StoreOp, memref::CopyOp, memref::GetGlobalOp,
                   memref::AllocOp, memref::AllocaOp>(op) ||
               op->getName().getDialectNamespace() == "linalg") {
      refuse(op, Blame::Form)
          << "is left in the host program of a device: it belongs in a kernel";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();

  Block &body = func.getBody().front();
  Location loc = func.getLoc();
  call = body.addArgument(ptr, loc);
  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  attrs.push_back(b.getDictionaryAttr({}));
  func.setType(b.getFunctionType(body.getArgumentTypes(), {}));
  func.setAllArgAttrs(attrs);
  if (ops.empty())
    return success();

  // The extents of a launch, then pointers to its arguments.
  b.setInsertionPointToStart(&body);
  Value one = constant(loc, i32, 1);
  values = LLVM::AllocaOp::create(b, loc, ptr,
                                  LLVM::LLVMArrayType::get(i64, most), one);
  arguments = LLVM::AllocaOp::create(
      b, loc, ptr, LLVM::LLVMArrayType::get(i64, 4 + most), one);
  for (size_t i = 0; i < most; ++i)
    LLVM::StoreOp::create(b, loc, member(loc, values, 8 * i),
                          member(loc, arguments, 32 + 8 * i));
  bool reads = false;
  for (Operation *op : ops) {
    if (auto callOp = dyn_cast<func::CallOp>(op)) {
      launch(callOp, kernels.lookup(callOp.getCallee()));
      continue;
    }
    if (auto rankOp = dyn_cast<RankLoadOp>(op)) {
      loadRank(rankOp);
      continue;
    }
    reads = true;
    if (auto loadOp = dyn_cast<memref::LoadOp>(op))
      read(loadOp);
    else if (auto printOp = dyn_cast<PrintOp>(op))
      print(printOp);
    else if (auto loadStash = dyn_cast<StashLoadOp>(op))
      stash(op, loadStash.getBuffer(), /*loads=*/true);
    else
      stash(op, cast<StashStoreOp>(op).getBuffer(), /*loads=*/false);
  }
  if (reads)
    func->setAttr(kReadsDevice, b.getUnitAttr());
  return success();
}

namespace {

struct HostProgram : cellgrad::impl::HostProgramBase<HostProgram> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder b(&getContext());
    SymbolTableCollection tables;
    llvm::StringMap<DeviceKernel> kernels;
    SmallVector<Attribute> list;
    SmallVector<func::FuncOp> standIns;
    for (auto func : module.getOps<func::FuncOp>()) {
      auto name = func->getAttrOfType<SymbolRefAttr>(kDeviceKernel);
      auto kernel =
          name ? tables.lookupNearestSymbolFrom<gpu::GPUFuncOp>(module, name)
               : gpu::GPUFuncOp();
      if (!kernel)
        continue;
      kernels[func.getSymName()] = {kernel, unsigned(list.size())};
      list.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("name", b.getStringAttr(kernel.getName())),
           b.getNamedAttr("place", b.getStringAttr(lineOf(kernel.getLoc())))}));
      standIns.push_back(func);
    }
    for (auto func : module.getOps<func::FuncOp>())
      if (!func.isDeclaration() && failed(HostWriter(func, kernels).write()))
        return signalPassFailure();
    for (func::FuncOp func : standIns)
      func.erase();
    module->setAttr(kDeviceKernels, b.getArrayAttr(list));
    // Entries without kernels, too, are of a model that has a device.
    if (module.getOps<gpu::GPUModuleOp>().empty()) {
      b.setInsertionPointToStart(module.getBody());
      gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
    }
  }
};

} // namespace
