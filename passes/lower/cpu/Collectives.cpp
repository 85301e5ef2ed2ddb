//===- Collectives.cpp - collectives as calls of the runtime --------------===//

#include "passes/lower/cpu/Collectives.h"

#include "dialect/CollectiveOps.h"
#include "passes/lower/cpu/CallFrame.h"
#include "passes/lower/cpu/Print.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// As in cg_collective: of a block, where every rank has one.
int64_t countOf(CollectiveStartOp op) {
  auto elements = [](Value buffer) {
    return buffer ? cast<MemRefType>(buffer.getType()).getNumElements() : 0;
  };
  switch (static_cast<int32_t>(op.getKind())) {
  case CG_RECEIVE:
  case CG_REDUCE_SCATTER:
    return elements(op.getReceive());
  case CG_ALL_TO_ALL:
    return elements(op.getSend()) / static_cast<int64_t>(op.getRanks());
  default:
    return elements(op.getSend());
  }
}

int32_t elementCode(CollectiveStartOp op) {
  Value buffer = op.getSend() ? op.getSend() : op.getReceive();
  return buffer ? dtypeCode(cast<MemRefType>(buffer.getType()).getElementType(),
                            /*isUnsigned=*/false)
                : 0;
}

/// Request 0 is of collectives whose wait follows at once.
int32_t flagsOf(CollectiveStartOp op) {
  return static_cast<int32_t>(op.getFlags()) |
         (op.getSlot() == 0 ? CG_AT_ONCE : 0);
}

bool isOfTwo(CollectiveStartOp start) {
  auto kind = static_cast<int32_t>(start.getKind());
  return kind == CG_SEND || kind == CG_RECEIVE;
}

/// What the ranks of `group` have to agree on, null for all: the collectives
/// with all that cg_collective says but addresses, in program order, and the
/// loops and branches around them. Messages may differ.
uint64_t scheduleOf(func::FuncOp func, DenseI64ArrayAttr group) {
  std::string text;
  llvm::raw_string_ostream os(text);
  func.walk<WalkOrder::PreOrder>([&](CollectiveStartOp start) {
    if (isOfTwo(start) || start.getGroupAttr() != group)
      return;
    for (Operation *around = start->getParentOp(); around != func;
         around = around->getParentOp())
      os << around->getName() << ' ';
    os << start.getKind() << ' ' << start.getCombine() << ' '
       << elementCode(start) << ' ' << start.getRoot() << ' '
       << start.getFlags() << ' ' << start.getRanks() << ' ' << countOf(start)
       << ';';
  });
  return llvm::xxh3_64bits(text);
}

/// A constant of the module with the ranks of a group.
Value groupMemory(OpBuilder &b, Location loc, DenseI64ArrayAttr group) {
  std::string name = "cell_group";
  for (int64_t rank : group.asArrayRef())
    name += "_" + std::to_string(rank);
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder at = OpBuilder::atBlockBegin(module.getBody());
    SmallVector<int32_t> ranks(group.asArrayRef());
    auto type = LLVM::LLVMArrayType::get(b.getI32Type(), group.size());
    global = LLVM::GlobalOp::create(at, loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name,
                                    at.getI32TensorAttr(ranks));
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// Ends the call where `status` says so.
void endUnlessOk(OpBuilder &b, Location loc, Value status) {
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
  Value ok =
      LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, status, zero);
  EndOp::create(b, loc, ok, status);
}

/// Writes collectives of one function as calls.
class CallWriter {
public:
  /// `schedules` has what the ranks of a group have to agree on.
  CallWriter(LLVM::AllocaOp requests,
             const llvm::DenseMap<Attribute, uint64_t> &schedules)
      : requests(requests), schedules(schedules), b(requests.getContext()),
        pointer(requests.getType()) {}

  void write(CollectiveStartOp op) {
    begin(op);
    DenseI64ArrayAttr group = op.getGroupAttr();
    uint64_t schedule = isOfTwo(op) ? 0 : schedules.lookup(Attribute(group));
    Value operands[] = {number(op.getKind()),
                        number(op.getCombine()),
                        number(elementCode(op)),
                        number(op.getRoot()),
                        number(flagsOf(op)),
                        large(static_cast<int64_t>(op.getRanks())),
                        large(countOf(op)),
                        address(op.getSend()),
                        address(op.getReceive()),
                        group ? groupMemory(b, loc, group) : null(),
                        number(group ? group.size() : 0),
                        large(static_cast<int64_t>(op.getTag())),
                        large(static_cast<int64_t>(schedule)),
                        request(op.getSlot())};
    finish(op, "cell_comm_start", operands);
  }
  void write(CollectiveWaitOp op) {
    begin(op);
    finish(op, "cell_comm_wait", request(op.getSlot()));
  }

private:
  void begin(Operation *op) {
    b.setInsertionPoint(op);
    loc = op->getLoc();
  }
  /// The call, which ends that of the entry where it fails.
  void finish(Operation *op, StringRef name, ArrayRef<Value> operands) {
    probe(op, /*begins=*/true);
    Value status = callRuntime(b, loc, name, operands, b.getI32Type());
    probe(op, /*begins=*/false);
    endUnlessOk(b, loc, status);
    op->erase();
  }
  void probe(Operation *op, bool begins) {
    if (auto at = op->getAttrOfType<IntegerAttr>(kProbe))
      callRuntime(b, loc, "cell_probe", {number(at.getInt()), number(begins)},
                  Type());
  }
  Value number(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
  }
  Value large(int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), value);
  }
  Value null() { return LLVM::ZeroOp::create(b, loc, pointer); }
  Value address(Value buffer) {
    if (!buffer)
      return null();
    Value index =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
    Value word = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return LLVM::IntToPtrOp::create(b, loc, pointer, word);
  }
  Value request(int64_t slot) {
    return LLVM::GEPOp::create(
        b, loc, pointer, pointer, requests,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
  }

  LLVM::AllocaOp requests;
  const llvm::DenseMap<Attribute, uint64_t> &schedules;
  OpBuilder b;
  Type pointer;
  Location loc = b.getUnknownLoc();
};

void writeRank(RankLoadOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value which =
      LLVM::ConstantOp::create(b, loc, b.getI32Type(), int(op.getSize()));
  Value number = callRuntime(b, loc, "cell_comm_rank", which, b.getI32Type());
  memref::StoreOp::create(
      b, loc, arith::ExtSIOp::create(b, loc, b.getI64Type(), number),
      op.getBuffer());
  op.erase();
}

/// A collective without buffers, at which all wait.
void writeMeeting(MeetOp op) {
  OpBuilder b(op);
  CollectiveStartOp::create(b, op.getLoc(), Value(), Value(), CG_BARRIER, 0, 0,
                            0, 0, /*slot=*/0, /*tag=*/0, op.getGroupAttr());
  CollectiveWaitOp::create(b, op.getLoc(), Value(), Value(), /*slot=*/0);
  op.erase();
}

template <typename OpT> SmallVector<OpT> collect(func::FuncOp func) {
  SmallVector<OpT> ops;
  func.walk([&](OpT op) { ops.push_back(op); });
  return ops;
}

} // namespace

void cellgrad::lowerCollectives(func::FuncOp func) {
  llvm::for_each(collect<RankLoadOp>(func), writeRank);
  llvm::for_each(collect<MeetOp>(func), writeMeeting);
  auto starts = collect<CollectiveStartOp>(func);
  if (starts.empty())
    return;
  uint64_t slots = 0;
  for (CollectiveStartOp start : starts)
    slots = std::max(slots, start.getSlot() + 1);
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Location loc = func.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value count = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                         static_cast<int64_t>(slots));
  auto requests = LLVM::AllocaOp::create(b, loc, pointer, pointer, count);
  // Each group agrees where it first meets: who waited for it where a call
  // begins might be waited for by a rank that needs a message first.
  llvm::DenseMap<Attribute, uint64_t> schedules;
  if (!func.isPrivate())
    for (CollectiveStartOp start : starts)
      if (auto [at, isNew] = schedules.try_emplace(start.getGroupAttr(), 0);
          isNew)
        at->second = scheduleOf(func, start.getGroupAttr());
  CallWriter writer(requests, schedules);
  for (CollectiveStartOp start : starts)
    writer.write(start);
  for (CollectiveWaitOp wait : collect<CollectiveWaitOp>(func))
    writer.write(wait);
}
