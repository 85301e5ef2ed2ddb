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

#include "passes/lower/buffers/EqualCode.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/MemoryRoots.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINELOOPS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Code of fewer ops is as short as the call.
constexpr unsigned kFewestOps = 6;

/// A buffer that the code uses: where it begins in its root, in elements.
struct View {
  Value value;
  unsigned root;
  int64_t offset;

  MemRefType type() const { return cast<MemRefType>(value.getType()); }
};

/// Memory that the code uses.
struct Root {
  Value value;
  int64_t first = 0;  ///< least offset of its views
  bool moves = false; ///< the offset differs between equal pieces of code
  /// Types in the code name the offset, so it may not differ.
  bool isFixed = false;

  Type elementType() const {
    return cast<MemRefType>(value.getType()).getElementType();
  }
};

/// A loop, with loads of what it starts from, and what combines and stores its
/// results.
struct Candidate {
  SmallVector<Operation *> ops;
  llvm::SetVector<Operation *>
      repeated; ///< constants, and what is made of them
  SmallVector<Root> roots;
  SmallVector<View> views;
  llvm::SetVector<Value> scalars;

  LogicalResult collect();
  bool contains(Value value) const;

private:
  LogicalResult add(Value value);
  LogicalResult addView(Value value);
};

/// True for ops that read and write buffers, and do nothing else that is seen.
bool accessesMemory(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp,
             vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
             vector::ScatterOp, vector::TransferReadOp,
             vector::TransferWriteOp>(op);
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

bool Candidate::contains(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  return llvm::any_of(ops, [&](Operation *own) { return own->isAncestor(op); });
}

LogicalResult Candidate::addView(Value value) {
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
    return isa<ViewLikeOpInterface>(user) &&
           llvm::any_of(ops,
                        [&](Operation *op) { return op->isAncestor(user); });
  });
  views.push_back(
      {value, static_cast<unsigned>(known - roots.begin()), offset});
  return success();
}

/// What is used from outside is a view of memory, a number that a register
/// holds, or computed again.
LogicalResult Candidate::add(Value value) {
  if (isa<BaseMemRefType>(value.getType()))
    return addView(value);
  Operation *op = value.getDefiningOp();
  if (op && repeated.contains(op))
    return success();
  bool isVector = isa<VectorType>(value.getType());
  if (op && op->getNumRegions() == 0 &&
      (op->hasTrait<OpTrait::ConstantLike>() ||
       (isVector && isMemoryEffectFree(op)))) {
    for (Value operand : op->getOperands())
      if (failed(add(operand)))
        return failure();
    repeated.insert(op);
    return success();
  }
  Type type = value.getType();
  if (!type.isIndex() && !type.isInteger() && !type.isF32() && !type.isF64())
    return failure();
  scalars.insert(value);
  return success();
}

LogicalResult Candidate::collect() {
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

/// The loop, and the ops after it up to the stores of what they make of its
/// results. Fails where something else comes between, or uses them as well.
FailureOr<Candidate> candidateOf(scf::ForOp loop) {
  Candidate candidate;
  candidate.ops = findInits(loop);
  candidate.ops.push_back(loop);
  Operation *last = loop;
  auto isOwn = [&](Operation *user) {
    return llvm::any_of(candidate.ops,
                        [&](Operation *op) { return op->isAncestor(user); });
  };
  auto isComplete = [&] {
    return llvm::all_of(candidate.ops, [&](Operation *op) {
      return llvm::all_of(op->getUsers(), isOwn);
    });
  };
  while (!isComplete()) {
    last = last->getNextNode();
    if (last->hasTrait<OpTrait::IsTerminator>() || last->getNumRegions() != 0)
      return failure();
    bool depends = llvm::any_of(last->getOperands(), [&](Value operand) {
      Operation *def = operand.getDefiningOp();
      return def && llvm::is_contained(candidate.ops, def);
    });
    if (depends ? !onlyComputes(last) : !isMemoryEffectFree(last))
      return failure();
    if (depends)
      candidate.ops.push_back(last);
  }
  unsigned size = 0;
  for (Operation *op : candidate.ops)
    op->walk([&](Operation *inner) {
      size += !inner->hasTrait<OpTrait::ConstantLike>();
    });
  if (size < kFewestOps || failed(candidate.collect()))
    return failure();
  return candidate;
}

/// The hash of what equal candidates have in common.
llvm::hash_code hashOf(const Candidate &candidate) {
  llvm::hash_code hash =
      llvm::hash_combine(candidate.ops.size(), candidate.roots.size(),
                         candidate.views.size(), candidate.scalars.size());
  for (Operation *op : candidate.ops)
    op->walk([&](Operation *inner) {
      hash = llvm::hash_combine(hash, inner->getName(),
                                inner->getRawDictionaryAttrs(),
                                inner->hashProperties());
    });
  for (const View &view : candidate.views)
    hash = llvm::hash_combine(hash, view.type().getShape(),
                              view.type().getElementType());
  return hash;
}

/// True when one function can stand for both.
bool areEqual(const Candidate &a, const Candidate &b) {
  if (a.ops.size() != b.ops.size() || a.roots.size() != b.roots.size() ||
      a.views.size() != b.views.size() ||
      a.scalars.size() != b.scalars.size() ||
      a.repeated.size() != b.repeated.size())
    return false;
  for (auto [x, y] : llvm::zip_equal(a.roots, b.roots))
    if (x.elementType() != y.elementType() || x.isFixed != y.isFixed ||
        (x.isFixed && x.first != y.first))
      return false;
  CodeComparison code;
  for (auto [x, y] : llvm::zip_equal(a.views, b.views)) {
    if (x.root != y.root || x.type().getShape() != y.type().getShape() ||
        x.type().getStridesAndOffset().first !=
            y.type().getStridesAndOffset().first ||
        x.offset - a.roots[x.root].first != y.offset - b.roots[y.root].first)
      return false;
    code.pair(x.value, y.value);
  }
  for (auto [x, y] : llvm::zip_equal(a.scalars, b.scalars)) {
    if (x.getType() != y.getType())
      return false;
    code.pair(x, y);
  }
  auto areSame = [&](auto both) {
    return code.isSame(std::get<0>(both), std::get<1>(both));
  };
  return llvm::all_of(llvm::zip_equal(a.repeated, b.repeated), areSame) &&
         llvm::all_of(llvm::zip_equal(a.ops, b.ops), areSame);
}

/// True for memory that no other such value is in.
bool isApart(Value root) {
  if (auto arg = dyn_cast<BlockArgument>(root)) {
    // A function that others call may be given the same twice.
    auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp());
    return function &&
           (!function.isPrivate() ||
            function.getArgAttr(arg.getArgNumber(),
                                LLVM::LLVMDialect::getNoAliasAttrName()));
  }
  return isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(
      root.getDefiningOp());
}

struct OutlineLoops : cellgrad::impl::OutlineLoopsBase<OutlineLoops> {
  void runOnOperation() override;

private:
  func::FuncOp makeFunction(ArrayRef<Candidate> group);
  void replaceByCall(Candidate &candidate, ArrayRef<Root> roots,
                     func::FuncOp function);
};

/// A function with the code of the first of the group. Its arguments are the
/// roots, the offsets of those whose offsets differ, and the numbers.
func::FuncOp OutlineLoops::makeFunction(ArrayRef<Candidate> group) {
  const Candidate &first = group.front();
  Location loc = first.ops.front()->getLoc();
  OpBuilder b(&getContext());
  bool apart = llvm::all_of(group, [](const Candidate &member) {
    return llvm::all_of(member.roots,
                        [](const Root &root) { return isApart(root.value); });
  });
  SmallVector<Type> types;
  for (const Root &root : first.roots)
    types.push_back(MemRefType::get({1}, root.elementType()));
  for (const Root &root : first.roots)
    if (root.moves)
      types.push_back(b.getIndexType());
  for (Value scalar : first.scalars)
    types.push_back(scalar.getType());
  auto function = func::FuncOp::create(loc, "cell_loop",
                                       b.getFunctionType(types, TypeRange()));
  function.setPrivate();
  if (apart)
    for (unsigned i = 0; i < first.roots.size(); ++i)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          b.getUnitAttr());

  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  IRMapping map;
  unsigned next = first.roots.size();
  SmallVector<Value> offsets;
  for (const Root &root : first.roots)
    offsets.push_back(root.moves ? body->getArgument(next++) : Value());
  for (Value scalar : first.scalars)
    map.map(scalar, body->getArgument(next++));
  for (const View &view : first.views) {
    MemRefType type = view.type();
    auto [strides, _] = type.getStridesAndOffset();
    OpFoldResult offset = b.getIndexAttr(view.offset);
    if (Value base = offsets[view.root]) {
      int64_t relative = view.offset - first.roots[view.root].first;
      offset = relative == 0
                   ? base
                   : arith::AddIOp::create(
                         b, loc, base,
                         arith::ConstantIndexOp::create(b, loc, relative))
                         .getResult();
      type =
          MemRefType::get(type.getShape(), type.getElementType(),
                          StridedLayoutAttr::get(
                              b.getContext(), ShapedType::kDynamic, strides));
    }
    map.map(view.value,
            memref::ReinterpretCastOp::create(
                b, loc, type, body->getArgument(view.root), offset,
                getAsIndexOpFoldResult(b.getContext(), type.getShape()),
                getAsIndexOpFoldResult(b.getContext(), strides)));
  }
  for (Operation *op : first.repeated)
    b.clone(*op, map);
  for (Operation *op : first.ops)
    b.clone(*op, map);
  func::ReturnOp::create(b, loc);
  return function;
}

void OutlineLoops::replaceByCall(Candidate &candidate, ArrayRef<Root> roots,
                                 func::FuncOp function) {
  Operation *last = candidate.ops.back();
  Location loc = candidate.ops.front()->getLoc();
  OpBuilder b(last);
  SmallVector<Value> operands;
  for (auto [i, root] : llvm::enumerate(candidate.roots))
    operands.push_back(memref::ReinterpretCastOp::create(
        b, loc, cast<MemRefType>(function.getArgument(i).getType()), root.value,
        /*offset=*/0, /*sizes=*/ArrayRef<int64_t>{1},
        /*strides=*/ArrayRef<int64_t>{1}));
  for (auto [own, root] : llvm::zip_equal(candidate.roots, roots))
    if (root.moves)
      operands.push_back(arith::ConstantIndexOp::create(b, loc, own.first));
  llvm::append_range(operands, candidate.scalars);
  func::CallOp::create(b, loc, function, operands);
  for (Operation *op : llvm::reverse(candidate.ops))
    op->erase();
}

void OutlineLoops::runOnOperation() {
  // Groups of equal candidates, found by their hash.
  SmallVector<SmallVector<Candidate, 0>> groups;
  DenseMap<size_t, SmallVector<unsigned>> byHash;
  auto visit = [&](scf::ForOp loop) {
    if (!onlyComputes(loop))
      return WalkResult::advance();
    FailureOr<Candidate> candidate = candidateOf(loop);
    if (succeeded(candidate)) {
      auto &places = byHash[hashOf(*candidate)];
      auto place = llvm::find_if(places, [&](unsigned group) {
        return areEqual(groups[group].front(), *candidate);
      });
      if (place == places.end()) {
        places.push_back(groups.size());
        groups.push_back({std::move(*candidate)});
      } else {
        groups[*place].push_back(std::move(*candidate));
      }
    }
    return WalkResult::skip();
  };
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function->hasAttr(kKernel))
      function.walk<WalkOrder::PreOrder>(visit);

  SymbolTable symbols(getOperation());
  for (SmallVector<Candidate, 0> &group : groups) {
    if (group.size() < 2)
      continue;
    SmallVector<Root> &roots = group.front().roots;
    for (Candidate &member : group)
      for (auto [root, own] : llvm::zip_equal(roots, member.roots))
        root.moves |= root.first != own.first;
    func::FuncOp function = makeFunction(group);
    symbols.insert(function);
    // The first one has the roots that the others are compared with.
    SmallVector<Root> kept(roots);
    for (Candidate &candidate : group)
      replaceByCall(candidate, kept, function);
  }
}

} // namespace
