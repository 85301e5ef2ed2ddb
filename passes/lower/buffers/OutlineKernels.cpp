//===- OutlineKernels.cpp - one function for equal linalg ops -------------===//

#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/EqualCode.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/Passes.h"
#include "passes/lower/buffers/ZeroBorder.h"

#include "dialect/BatchParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Bodies of fewer ops are shorter than the call.
constexpr unsigned kSmallestBody = 6;
/// Fewer elements are computed faster than the call is made.
constexpr int64_t kFewestElements = 32;

/// An op that may become a call, with what its emitter makes one of with it:
/// the fill before it, and its epilogue.
struct Candidate {
  linalg::LinalgOp op;
  linalg::FillOp fill;
  linalg::GenericOp epilogue;
  /// The result of the product, where that is a temporary of its own, and
  /// reshapes: emitters look through them.
  llvm::SetVector<Operation *> definitions;
  /// What the op uses from outside, each once, without constants.
  SmallVector<Value> arguments;

  /// Whether it is of a part of a batch, which is planned as such.
  bool isOfPart() const {
    auto function = linalg::LinalgOp(op)->getParentOfType<func::FuncOp>();
    return function && function->hasAttr(kBatchTiles);
  }
};

/// True for memory that does not begin where its pointer points.
bool hasOffset(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getStridesAndOffset().second != 0;
}

/// The type, with an offset other than 0 left open.
Type normalized(Type type) {
  if (!hasOffset(type))
    return type;
  auto memref = cast<MemRefType>(type);
  return MemRefType::get(
      memref.getShape(), memref.getElementType(),
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic,
                             memref.getStridesAndOffset().first));
}

/// The type of a kernel's argument: the offset is an argument of its own.
Type argumentType(Type type) {
  return hasOffset(type)
             ? MemRefType::get({1}, cast<MemRefType>(type).getElementType())
             : type;
}

/// A pointer says all about the memory but the offset, or a register holds the
/// value.
bool canBePassed(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type.isIndex() || type.isInteger() || type.isF32() || type.isF64();
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref.hasStaticShape() && memref.getNumElements() > 0 &&
         succeeded(memref.getStridesAndOffset(strides, offset)) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

/// True when the call costs nothing beside what the op does, and the op's code
/// is long.
bool isWorthACall(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  int64_t elements = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size))
      return false;
    elements *= size;
  }
  if (elements < kFewestElements)
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    return false;
  if (isContraction(generic) || isSumOfProducts(generic))
    return true;
  unsigned size = 0;
  for (Operation &inner : generic.getBody()->without_terminator())
    size += costOf(inner) <= OpCost::Division ? 1 : 4;
  return size >= kSmallestBody;
}

/// Adds what `value` is defined by to what comes along; in order.
void collectDefinitions(Candidate &candidate, Value value) {
  Operation *def = value.getDefiningOp();
  if (isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp>(def)) {
    collectDefinitions(candidate, def->getOperand(0));
    candidate.definitions.insert(def);
  } else if (isa_and_nonnull<memref::AllocOp>(def)) {
    SmallVector<Operation *> ops{candidate.op, candidate.epilogue};
    if (candidate.fill)
      ops.push_back(candidate.fill);
    if (isUsedOnlyBy(value, ops))
      candidate.definitions.insert(def);
  }
}

/// Lists what the ops of a candidate use; fails where that cannot be passed or
/// the body does more than compute and load.
LogicalResult collectArguments(Candidate &candidate) {
  llvm::SetVector<Value> used;
  auto collect = [&](Operation *root) {
    used.insert(root->operand_begin(), root->operand_end());
    WalkResult result = root->walk([&](Operation *inner) {
      if (inner == root)
        return WalkResult::advance();
      if (inner->getNumRegions() == 0 &&
          !inner->hasTrait<OpTrait::IsTerminator>() &&
          !isMemoryEffectFree(inner) && !isa<memref::LoadOp>(inner))
        return WalkResult::interrupt();
      for (Value operand : inner->getOperands())
        if (!root->isAncestor(operand.getParentBlock()->getParentOp()))
          used.insert(operand);
      return WalkResult::advance();
    });
    return success(!result.wasInterrupted());
  };
  if (failed(collect(candidate.op)))
    return failure();
  if (candidate.epilogue) {
    if (failed(collect(candidate.epilogue)))
      return failure();
    for (Value value : used)
      collectDefinitions(candidate, value);
    for (Operation *def : candidate.definitions)
      used.insert(def->operand_begin(), def->operand_end());
  }
  for (Value value : used) {
    if (matchPattern(value, m_Constant()) ||
        candidate.definitions.contains(value.getDefiningOp()))
      continue;
    if (!canBePassed(value.getType()))
      return failure();
    candidate.arguments.push_back(value);
  }
  return success();
}

/// The hash of what equal candidates have in common.
llvm::hash_code hashOf(Candidate &candidate) {
  Operation *op = candidate.op;
  llvm::hash_code hash = llvm::hash_combine(
      op->getName(), op->getRawDictionaryAttrs(), op->hashProperties(),
      bool(candidate.fill), candidate.definitions.size(), candidate.isOfPart());
  for (Value value : candidate.arguments)
    hash = llvm::hash_combine(hash, normalized(value.getType()));
  for (Operation *part : {op, candidate.epilogue.getOperation()})
    if (part)
      for (Operation &inner : part->getRegion(0).getOps())
        hash = llvm::hash_combine(hash, inner.getName());
  return hash;
}

/// True when one function can stand for both.
bool areEqual(Candidate &a, Candidate &b) {
  if (a.arguments.size() != b.arguments.size() || !a.fill != !b.fill ||
      !a.epilogue != !b.epilogue ||
      a.definitions.size() != b.definitions.size() ||
      a.isOfPart() != b.isOfPart())
    return false;
  CodeComparison code;
  for (auto [x, y] : llvm::zip_equal(a.arguments, b.arguments)) {
    // The offsets in the types of the operands may differ.
    if (normalized(x.getType()) != normalized(y.getType()))
      return false;
    code.pair(x, y);
  }
  for (auto [x, y] : llvm::zip_equal(a.definitions, b.definitions))
    if (!code.isSame(x, y))
      return false;
  return (!a.fill || code.isSame(a.fill, b.fill)) && code.isSame(a.op, b.op) &&
         (!a.epilogue || code.isSame(a.epilogue, b.epilogue));
}

/// The memory that a value is in, where that is known to be apart from all
/// other such memory; or null.
Value distinctMemory(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto arg = dyn_cast<BlockArgument>(memref);
  bool known = arg ? isa<func::FuncOp>(arg.getOwner()->getParentOp())
                   : isa_and_nonnull<memref::AllocOp, memref::GetGlobalOp>(
                         memref.getDefiningOp());
  return known ? memref : Value();
}

/// True when argument `i` of the candidate is in memory of its own.
bool isApart(const Candidate &candidate, unsigned i) {
  if (!isa<MemRefType>(candidate.arguments[i].getType()))
    return false;
  Value own = distinctMemory(candidate.arguments[i]);
  if (!own)
    return false;
  for (auto [k, other] : llvm::enumerate(candidate.arguments))
    if (k != i && isa<MemRefType>(other.getType())) {
      Value memory = distinctMemory(other);
      if (!memory || memory == own)
        return false;
    }
  return true;
}

struct OutlineKernels : cellgrad::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override;

private:
  func::FuncOp makeKernel(ArrayRef<Candidate> group);
  void replaceByCall(Candidate &candidate, func::FuncOp kernel);
};

/// A function with the code of the first of the group. After the arguments
/// come the offsets, in elements, of those that have one.
func::FuncOp OutlineKernels::makeKernel(ArrayRef<Candidate> group) {
  Candidate first = group.front();
  Location loc = first.op.getLoc();
  OpBuilder b(&getContext());
  SmallVector<Type> types, offsets;
  SmallVector<DictionaryAttr> attrs;
  for (unsigned i = 0; i < first.arguments.size(); ++i) {
    Value value = first.arguments[i];
    types.push_back(argumentType(value.getType()));
    if (hasOffset(value.getType()))
      offsets.push_back(b.getIndexType());
    bool apart = llvm::all_of(
        group, [&](const Candidate &member) { return isApart(member, i); });
    NamedAttribute noalias(LLVM::LLVMDialect::getNoAliasAttrName(),
                           b.getUnitAttr());
    attrs.push_back(b.getDictionaryAttr(apart
                                            ? ArrayRef<NamedAttribute>(noalias)
                                            : ArrayRef<NamedAttribute>()));
  }
  unsigned nextOffset = types.size();
  attrs.append(offsets.size(), b.getDictionaryAttr({}));
  llvm::append_range(types, offsets);
  auto kernel = func::FuncOp::create(loc, "cell_kernel",
                                     b.getFunctionType(types, TypeRange()));
  kernel.setPrivate();
  kernel.setAllArgAttrs(attrs);
  if (first.isOfPart())
    kernel->setAttr(kBatchTiles, b.getUnitAttr());

  Block *body = kernel.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping map;
  for (auto [value, arg] :
       llvm::zip_first(first.arguments, body->getArguments())) {
    Value inside = arg;
    if (hasOffset(value.getType())) {
      auto type = cast<MemRefType>(normalized(value.getType()));
      SmallVector<OpFoldResult> sizes, strides;
      for (int64_t size : type.getShape())
        sizes.push_back(b.getIndexAttr(size));
      for (int64_t stride : type.getStridesAndOffset().first)
        strides.push_back(b.getIndexAttr(stride));
      inside = memref::ReinterpretCastOp::create(
          b, loc, type, arg, OpFoldResult(body->getArgument(nextOffset++)),
          sizes, strides);
    }
    map.map(value, inside);
  }
  auto copy = [&](Operation *op) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (matchPattern(operand, m_Constant()) &&
            !op->isProperAncestor(operand.getDefiningOp()) &&
            !map.contains(operand))
          b.clone(*operand.getDefiningOp(), map);
    });
    return b.clone(*op, map);
  };
  // Reshapes of an argument have its offset, which is open here.
  for (Operation *def : first.definitions)
    for (Value result : copy(def)->getResults())
      result.setType(normalized(result.getType()));
  if (first.fill)
    copy(first.fill);
  copy(first.op);
  if (first.epilogue)
    copy(first.epilogue);
  func::ReturnOp::create(b, loc);
  return kernel;
}

void OutlineKernels::replaceByCall(Candidate &candidate, func::FuncOp kernel) {
  // What the epilogue uses may be defined after the product.
  Operation *op = candidate.epilogue ? candidate.epilogue : candidate.op;
  OpBuilder b(op);
  SmallVector<Value> operands, offsets;
  for (auto [value, arg] :
       llvm::zip_first(candidate.arguments, kernel.getArguments())) {
    if (!hasOffset(value.getType())) {
      operands.push_back(value);
      continue;
    }
    auto type = cast<MemRefType>(arg.getType());
    operands.push_back(memref::ReinterpretCastOp::create(
        b, op->getLoc(), type, value, /*offset=*/0, type.getShape(),
        ArrayRef<int64_t>{1}));
    // Not a constant: code around the call may be shared, too.
    offsets.push_back(
        memref::ExtractStridedMetadataOp::create(b, op->getLoc(), value)
            .getOffset());
  }
  llvm::append_range(operands, offsets);
  func::CallOp::create(b, op->getLoc(), kernel, operands);
  if (candidate.fill)
    candidate.fill.erase();
  if (candidate.epilogue)
    candidate.epilogue.erase();
  candidate.op->erase();
  for (Operation *def : llvm::reverse(candidate.definitions))
    if (def->use_empty())
      def->erase();
}

void OutlineKernels::runOnOperation() {
  // Groups of equal candidates, found by their hash.
  SmallVector<SmallVector<Candidate>> groups;
  DenseMap<size_t, SmallVector<unsigned>> byHash;
  getOperation().walk([&](linalg::LinalgOp op) {
    if (!op.hasPureBufferSemantics() || !isWorthACall(op) ||
        op->hasAttr(kEpilogue))
      return;
    Candidate candidate{op, {}, {}, {}, {}};
    // Before the op is away from the memory that shows them.
    if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
        generic && isSumOfProducts(generic))
      markZeroBorders(generic);
    if (isContraction(cast<linalg::GenericOp>(op.getOperation())))
      candidate.epilogue = findEpilogue(op);
    if (op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1)
      if (linalg::FillOp fill = findFill(op, op.getDpsInits()[0]);
          fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
        candidate.fill = fill;
    if (failed(collectArguments(candidate)))
      return;
    auto &places = byHash[hashOf(candidate)];
    for (unsigned place : places)
      if (areEqual(groups[place].front(), candidate)) {
        groups[place].push_back(std::move(candidate));
        return;
      }
    places.push_back(groups.size());
    groups.push_back({std::move(candidate)});
  });
  SymbolTable symbols(getOperation());
  for (SmallVector<Candidate> &group : groups) {
    if (group.size() < 2)
      continue;
    func::FuncOp kernel = makeKernel(group);
    symbols.insert(kernel);
    for (Candidate &candidate : group)
      replaceByCall(candidate, kernel);
  }
}

} // namespace
