//===- SharedCode.cpp - code that becomes a function ----------------------===//

#include "passes/lower/buffers/SharedCode.h"

#include "passes/lower/buffers/EqualCode.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace cellgrad;

Type SharedCode::Root::elementType() const {
  return cast<MemRefType>(value.getType()).getElementType();
}

/// True for memory that no other such value is in.
bool SharedCode::Root::isApart() const {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    // A function that others call may be given the same twice.
    auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    return function &&
           (!function.isPrivate() ||
            function.getArgAttr(arg.getArgNumber(),
                                LLVM::LLVMDialect::getNoAliasAttrName()));
  }
  return isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(
      value.getDefiningOp());
}

MemRefType SharedCode::View::type() const {
  return cast<MemRefType>(value.getType());
}

bool SharedCode::contains(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  return llvm::any_of(ops, [&](Operation *own) { return own->isAncestor(op); });
}

/// True for an op whose result's type says where its operand begins.
static bool namesOffset(Operation *op) {
  return isa<ViewLikeOpInterface>(op) &&
         !isa<memref::ReinterpretCastOp, memref::ExtractStridedMetadataOp>(op);
}

LogicalResult SharedCode::addView(Value value) {
  if (llvm::any_of(views, [&](View &view) { return view.value == value; }))
    return success();
  auto type = dyn_cast<MemRefType>(value.getType());
  Value memory = rootOf(value);
  auto whole = dyn_cast<MemRefType>(memory.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || !whole || !type.hasStaticShape() || !whole.hasStaticShape() ||
      !whole.getLayout().isIdentity() || type.getNumElements() == 0 ||
      type.getElementType() != whole.getElementType() ||
      type.getMemorySpace() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return failure();
  auto known =
      llvm::find_if(roots, [&](Root &root) { return root.value == memory; });
  if (known == roots.end()) {
    roots.push_back({memory, offset});
    known = std::prev(roots.end());
  }
  known->first = std::min(known->first, offset);
  known->isFixed |= llvm::any_of(value.getUsers(), [&](Operation *user) {
    return namesOffset(user) && llvm::any_of(ops, [&](Operation *op) {
             return op->isAncestor(user);
           });
  });
  views.push_back(
      {value, static_cast<unsigned>(known - roots.begin()), offset});
  return success();
}

LogicalResult SharedCode::add(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && repeated.contains(op))
    return success();
  Type type = value.getType();
  bool isMemory = isa<BaseMemRefType>(type);
  if (isMemory && succeeded(addView(value)))
    return success();
  bool isView = op && isMemory && isa<ViewLikeOpInterface>(op);
  if (op && op->getNumRegions() == 0 &&
      (op->hasTrait<OpTrait::ConstantLike>() || isView ||
       (isa<VectorType>(type) && isMemoryEffectFree(op)))) {
    for (Value operand : op->getOperands()) {
      if (failed(add(operand)))
        return failure();
      if (isView)
        for (View &view : views)
          if (view.value == operand)
            roots[view.root].isFixed = true;
    }
    repeated.insert(op);
    return success();
  }
  if (!type.isIndex() && !type.isInteger() && !type.isF32() && !type.isF64())
    return failure();
  numbers.insert(value);
  return success();
}

LogicalResult SharedCode::collect() {
  for (Operation *op : ops) {
    WalkResult result = op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!contains(operand) && failed(add(operand)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

llvm::hash_code SharedCode::hash() const {
  llvm::hash_code hash = llvm::hash_combine(ops.size(), roots.size(),
                                            views.size(), numbers.size());
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      hash = llvm::hash_combine(hash, inner->getName(),
                                inner->getRawDictionaryAttrs(),
                                inner->hashProperties());
    });
  for (const View &view : views)
    hash = llvm::hash_combine(hash, view.type().getShape(),
                              view.type().getElementType());
  return hash;
}

bool SharedCode::isEqual(const SharedCode &other) const {
  if (ops.size() != other.ops.size() || roots.size() != other.roots.size() ||
      views.size() != other.views.size() ||
      numbers.size() != other.numbers.size() ||
      repeated.size() != other.repeated.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(roots, other.roots))
    if (x.elementType() != y.elementType() || x.isFixed != y.isFixed ||
        (x.isFixed && x.first != y.first))
      return false;
  CodeComparison code;
  for (auto [x, y] : llvm::zip_equal(views, other.views)) {
    if (x.root != y.root || x.type().getShape() != y.type().getShape() ||
        x.type().getStridesAndOffset().first !=
            y.type().getStridesAndOffset().first ||
        x.offset - roots[x.root].first != y.offset - other.roots[y.root].first)
      return false;
    code.pair(x.value, y.value);
  }
  for (auto [x, y] : llvm::zip_equal(numbers, other.numbers)) {
    if (x.getType() != y.getType())
      return false;
    code.pair(x, y);
  }
  auto areSame = [&](auto both) {
    return code.isSame(std::get<0>(both), std::get<1>(both));
  };
  return llvm::all_of(llvm::zip_equal(repeated, other.repeated), areSame) &&
         llvm::all_of(llvm::zip_equal(ops, other.ops), areSame);
}

void SharedGroups::add(SharedCode code) {
  auto &places = byHash[code.hash()];
  for (unsigned place : places)
    if (groups[place].front().isEqual(code)) {
      groups[place].push_back(std::move(code));
      return;
    }
  places.push_back(groups.size());
  groups.push_back({std::move(code)});
}

SharedFunction::SharedFunction(llvm::StringRef name, ArrayRef<SharedCode> group,
                               TypeRange more) {
  const SharedCode &first = group.front();
  Location loc = first.ops.front()->getLoc();
  OpBuilder b(loc.getContext());
  SmallVector<Type> types;
  for (auto [i, root] : llvm::enumerate(first.roots)) {
    types.push_back(MemRefType::get({1}, root.elementType()));
    moves.push_back(llvm::any_of(group, [&, i = i](const SharedCode &member) {
      return member.roots[i].first != first.roots[i].first;
    }));
  }
  types.append(llvm::count(moves, true), b.getIndexType());
  for (Value number : first.numbers)
    types.push_back(number.getType());
  count = types.size();
  llvm::append_range(types, more);
  function =
      func::FuncOp::create(loc, name, b.getFunctionType(types, TypeRange()));
  function.setPrivate();
  bool apart = llvm::all_of(group, [](const SharedCode &member) {
    return llvm::all_of(member.roots, [](const SharedCode::Root &root) {
      return root.isApart();
    });
  });
  if (apart)
    for (unsigned i = 0; i < first.roots.size(); ++i)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());

  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  unsigned next = first.roots.size();
  SmallVector<Value> bases;
  for (bool moving : moves)
    bases.push_back(moving ? body->getArgument(next++) : Value());
  for (Value number : first.numbers)
    map.map(number, body->getArgument(next++));
  for (const SharedCode::View &view : first.views) {
    MemRefType type = view.type();
    SmallVector<int64_t> strides = type.getStridesAndOffset().first;
    OpFoldResult offset = b.getIndexAttr(view.offset);
    if (Value base = bases[view.root]) {
      int64_t relative = view.offset - first.roots[view.root].first;
      if (relative != 0)
        base = arith::AddIOp::create(
            b, loc, base, arith::ConstantIndexOp::create(b, loc, relative));
      offset = base;
      type =
          MemRefType::get(type.getShape(), type.getElementType(),
                          StridedLayoutAttr::get(
                              b.getContext(), ShapedType::kDynamic, strides));
    }
    map.map(view.value,
            memref::ReinterpretCastOp::create(
                b, loc, type, body->getArgument(view.root), offset,
                getAsIndexOpFoldResult(b.getContext(), type.getShape()),
                getAsIndexOpFoldResult(b.getContext(), strides))
                .getResult());
  }
  for (Operation *op : first.repeated)
    b.clone(*op, map);
  func::ReturnOp::create(b, loc);
}

SmallVector<Value> SharedFunction::operandsFor(const SharedCode &code,
                                               OpBuilder &b) {
  Location loc = code.ops.front()->getLoc();
  SmallVector<Value> operands;
  for (auto [i, root] : llvm::enumerate(code.roots)) {
    auto type = cast<MemRefType>(function.getArgument(i).getType());
    operands.push_back(memref::ReinterpretCastOp::create(
        b, loc, type, root.value, /*offset=*/0, type.getShape(),
        ArrayRef<int64_t>{1}));
  }
  for (auto [root, moving] : llvm::zip_equal(code.roots, moves))
    if (moving)
      operands.push_back(arith::ConstantIndexOp::create(b, loc, root.first));
  llvm::append_range(operands, code.numbers);
  return operands;
}
