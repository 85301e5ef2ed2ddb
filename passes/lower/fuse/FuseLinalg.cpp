//===- FuseLinalg.cpp - fusion of linalg ops on tensors -------------------===//
//
// The lowering makes one linalg op of each cell op. Emitted like that, every op
// would be a loop that reads whole tensors from memory and writes one. This
// pass makes one op of those that can share a loop:
//
//   %1 = linalg.broadcast ins(%b) dimensions = [0]
//   %2 = linalg.generic ins(%x, %1) { addf }     // also returned
//   %3 = linalg.generic ins(%2) { exp }
//   %4 = linalg.reduce ins(%3) { addf } dimensions = [1]
//
// becomes
//
//   %3:2 = linalg.generic ins(%x, %b) maps [(i, j), (j)] { addf, exp }
//   %4 = linalg.generic ins(%3#0) maps [(i, j) -> (i)] { addf }
//
// The broadcast is now an indexing map: nothing is repeated in memory. The sum
// and its exponential are two results of one loop. The reduction stays apart
// here: the loop before it has another user, and `exp` costs too much to be
// computed twice (`OpCost.cpp`). Without that user it would join them.
//
// What holds after each step:
//
// - The scalar operations of an element are the same ones, on the same values.
//   Only where their operands come from changes.
// - The sizes of all loops of an op follow from the shapes of its operands, as
//   linalg asks. An operand that becomes a scalar may have been the only one
//   that tells a loop's size (`bindsAllLoops`); `bindLoops` then adds a tensor
//   that is never loaded.
// - Products of matrices and convolutions keep the form that later passes
//   recognise: their operands are read through views, and no elementwise op is
//   merged into them.
// - No op depends on itself. A producer with other users is merged only if the
//   consumer does not depend on one of those (`hasIndirectPath`). The merged op
//   stands where the consumer stood; the block is put in order at the end.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/fuse/ElementwiseMerge.h"
#include "passes/lower/fuse/Passes.h"
#include "passes/lower/tensors/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cellgrad {
#define GEN_PASS_DEF_FUSELINALG
#include "passes/lower/fuse/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Bodies larger than this are not merged further: registers are finite.
constexpr unsigned kMaxBodySize = 256;

bool isProduct(linalg::GenericOp op) {
  return isContraction(op) || isProductOfRows(op) || isConvolution(op);
}

/// Each result of the map is one loop or a constant.
bool isSimple(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr expr) {
    return isa<AffineDimExpr, AffineConstantExpr>(expr);
  });
}

class BlockFuser {
public:
  BlockFuser(RewriterBase &rewriter, Block &block, unsigned recomputeLimit)
      : rewriter(rewriter), block(block), recomputeLimit(recomputeLimit) {}

  void run() {
    orderEffects();
    SmallVector<linalg::GenericOp> ops(block.getOps<linalg::GenericOp>());
    for (linalg::GenericOp op : ops) {
      hasCaptures |= capturesValues(op);
      if (isProductOfRows(op)) // has code for matrices as they are, only
        continue;
      foldViews(op);
      foldLoadedViews(op);
      foldScalars(op);
    }
    // Consumers in program order: a producer is merged into its first user, and
    // later users then merge with the result.
    ops.assign(block.getOps<linalg::GenericOp>().begin(),
               block.getOps<linalg::GenericOp>().end());
    for (linalg::GenericOp op : ops)
      if (!isProduct(op))
        mergeProducers(op);
    // What an op needs moves before it. Deferring the op would lengthen the
    // lives of all it reads.
    Schedule(block).apply();
  }

private:
  linalg::GenericOp producerOf(OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    return producer && producer->getBlock() == &block ? producer
                                                      : linalg::GenericOp();
  }

  void setInput(linalg::GenericOp op, unsigned i, Value value, AffineMap map) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[i] = map;
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(i, value);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  }

  /// True when `op` keeps all its loops with `map` for input `i`.
  static bool bindsWith(linalg::GenericOp op, unsigned i, AffineMap map) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[i] = map;
    return bindsAllLoops(maps);
  }

  /// True when the body uses values that are neither operands nor constants.
  static bool capturesValues(linalg::GenericOp op) {
    return llvm::any_of(*op.getBody(), [&](Operation &inner) {
      return llvm::any_of(inner.getOperands(), [&](Value value) {
        return value.getParentBlock() != op.getBody() &&
               !matchPattern(value, m_Constant());
      });
    });
  }

  /// Makes `op` read a tensor of the sizes of `loops`, to say what they are
  /// where no other operand does. Nothing is loaded from it.
  void bindLoops(linalg::GenericOp op, ArrayRef<unsigned> loops) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges(), sizes;
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops) {
      sizes.push_back(ranges[loop]);
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    }
    rewriter.setInsertionPoint(op);
    Value window = tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                           rewriter.getI8Type());
    unsigned position = op.getNumDpsInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.insert(
        maps.begin() + position,
        AffineMap::get(op.getNumLoops(), 0, exprs, rewriter.getContext()));
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().append(window);
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      op.getBody()->insertArgument(position, rewriter.getI8Type(), op.getLoc());
    });
  }

  /// The loops that no result of `maps` is.
  static SmallVector<unsigned> unboundLoops(linalg::GenericOp op,
                                            ArrayRef<AffineMap> maps) {
    SmallVector<unsigned> loops;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      AffineExpr dim = getAffineDimExpr(loop, op.getContext());
      if (llvm::none_of(maps, [&](AffineMap map) {
            return llvm::is_contained(map.getResults(), dim);
          }))
        loops.push_back(loop);
    }
    return loops;
  }

  /// The loops of `consumer` that nothing but what it reads of `producer` says
  /// the sizes of.
  static SmallVector<unsigned> loopsOnlyOf(linalg::GenericOp producer,
                                           linalg::GenericOp consumer) {
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : consumer->getOpOperands())
      if (operand.get().getDefiningOp() != producer)
        maps.push_back(consumer.getMatchingIndexingMap(&operand));
    return unboundLoops(consumer, maps);
  }

  /// Reads input `i` of `op` through windows and reversals as well, unless a
  /// convolution would read through more than those and transposes.
  bool foldLinearView(linalg::GenericOp op, unsigned i, Value source,
                      AffineMap viewMap, AffineMap map) {
    if (isProduct(op)) {
      if (!isConvolution(op) || !viewMap.isPermutation() ||
          !bindsWith(op, i, map))
        return false;
      setInput(op, i, source, map);
      return true;
    }
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps[i] = map;
    SmallVector<unsigned> unbound = unboundLoops(op, maps);
    if (!unbound.empty())
      bindLoops(op, unbound);
    setInput(op, i, source, map);
    return true;
  }

  /// Reads through transposes, broadcasts and windows.
  void foldViews(linalg::GenericOp op) {
    for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
      while (foldView(op, i)) {
      }
  }

  bool foldView(linalg::GenericOp op, unsigned i) {
    OpOperand &operand = op->getOpOperand(i);
    linalg::GenericOp view = producerOf(&operand);
    if (!view || !isPureView(view) ||
        !isa<ShapedType>(view->getOperand(0).getType()))
      return false;
    Value source = view->getOperand(0);
    AffineMap viewMap = view.getMatchingIndexingMap(view.getDpsInputOperand(0));
    AffineMap map = viewMap.compose(producerIteration(operand));
    if (!isSimple(map))
      return foldLinearView(op, i, source, viewMap, map);
    if (!bindsWith(op, i, map) ||
        (isProduct(op) && !map.isProjectedPermutation()))
      return false;
    setInput(op, i, source, map);
    return true;
  }

  /// The same for what the body reads at computed positions.
  void foldLoadedViews(linalg::GenericOp op) {
    for (auto load : op.getBody()->getOps<tensor::ExtractOp>())
      while (auto view = load.getTensor().getDefiningOp<linalg::GenericOp>()) {
        AffineMap map = view.getMatchingIndexingMap(&view->getOpOperand(0));
        if (!isPureView(view) || view->getBlock() != &block ||
            !isa<ShapedType>(view->getOperand(0).getType()) ||
            !view.getIndexingMapMatchingResult(view->getResult(0))
                 .isIdentity() ||
            !isSimple(map))
          break;
        rewriter.setInsertionPoint(load);
        SmallVector<Value> position;
        for (AffineExpr expr : map.getResults())
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            position.push_back(load.getIndices()[dim.getPosition()]);
          else
            position.push_back(arith::ConstantIndexOp::create(
                rewriter, load.getLoc(),
                cast<AffineConstantExpr>(expr).getValue()));
        rewriter.modifyOpInPlace(load, [&] {
          load.getTensorMutable().assign(view->getOperand(0));
          load.getIndicesMutable().assign(position);
        });
      }
  }

  /// Reads fills and splat constants as scalars.
  void foldScalars(linalg::GenericOp op) {
    if (isProduct(op))
      return;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value scalar;
      if (auto fill = operand->get().getDefiningOp<linalg::FillOp>())
        scalar = fill.getInputs()[0];
      DenseElementsAttr elements;
      rewriter.setInsertionPoint(op);
      if (matchPattern(operand->get(), m_Constant(&elements)) &&
          elements.isSplat())
        scalar = arith::ConstantOp::create(rewriter, operand->get().getLoc(),
                                           elements.getSplatValue<TypedAttr>());
      AffineMap map =
          AffineMap::get(op.getNumLoops(), 0, rewriter.getContext());
      if (!scalar || !bindsWith(op, operand->getOperandNumber(), map))
        continue;
      TypedAttr constant;
      if (matchPattern(scalar, m_Constant(&constant)))
        replaceArgument(op, operand, constant);
      setInput(op, operand->getOperandNumber(), scalar, map);
    }
    // Without a sum, what an element begins with is read once: a product of two
    // vectors is a matrix product of which only that is left.
    if (op.getNumReductionLoops() == 0)
      for (OpOperand &init : op.getDpsInitsMutable()) {
        auto fill = init.get().getDefiningOp<linalg::FillOp>();
        TypedAttr constant;
        if (!fill || !op.payloadUsesValueFromOperand(&init) ||
            !matchPattern(fill.getInputs()[0], m_Constant(&constant)))
          continue;
        replaceArgument(op, &init, constant);
        rewriter.modifyOpInPlace(op, [&] { init.set(fill.getOutputs()[0]); });
      }
  }

  /// The body of `op` reads `constant` in the place of an operand's elements.
  void replaceArgument(linalg::GenericOp op, OpOperand *operand,
                       TypedAttr constant) {
    BlockArgument arg = op.getMatchingBlockArgument(operand);
    rewriter.setInsertionPointToStart(op.getBody());
    rewriter.replaceAllUsesWith(
        arg, arith::ConstantOp::create(rewriter, arg.getLoc(), constant));
  }

  /// Notes the order of what prints, checks or may not end, which merging ops
  /// must leave.
  void orderEffects() {
    Operation *last = nullptr;
    for (Operation &op : block.without_terminator())
      if (Schedule::keepsOrder(&op)) {
        previousEffect[&op] = last;
        last = &op;
      }
  }

  /// True when `consumer` depends on `producer` other than directly.
  bool hasIndirectPath(Operation *producer, Operation *consumer) {
    SmallVector<Operation *> stack;
    DenseSet<Operation *> seen;
    auto push = [&](Operation *user) {
      for (Value operand : getUsedValues(user))
        if (Operation *def = operand.getDefiningOp())
          if (Operation *at = block.findAncestorOpInBlock(*def))
            if (!(user == consumer && at == producer) && seen.insert(at).second)
              stack.push_back(at);
      if (Operation *before = previousEffect.lookup(user))
        if (seen.insert(before).second)
          stack.push_back(before);
    };
    push(consumer);
    while (!stack.empty()) {
      Operation *op = stack.pop_back_val();
      if (op == producer)
        return true;
      push(op);
    }
    return false;
  }

  /// Operands of an op and of everything nested in it.
  SmallVector<Value> getUsedValues(Operation *op) {
    SmallVector<Value> values(op->getOperands());
    if (op->getNumRegions() != 0 &&
        (hasCaptures || !isa<linalg::GenericOp>(op)))
      op->walk([&](Operation *inner) {
        llvm::append_range(values, inner->getOperands());
      });
    return values;
  }

  /// Merges what `op` reads into it, the first producer that fits again and
  /// again. One that did not fit may do so when one of its users is merged, not
  /// before: it is not asked again until then.
  void mergeProducers(linalg::GenericOp op) {
    DenseSet<Operation *> refused;
    for (unsigned i = 0; i < op.getNumDpsInputs();) {
      OpOperand &operand = *op.getDpsInputOperand(i++);
      linalg::GenericOp producer = producerOf(&operand);
      if (!producer || refused.contains(producer))
        continue;
      SmallVector<Value> read(producer.getInputs());
      linalg::GenericOp merged = tryMerge(producer, op, operand);
      if (!merged) {
        refused.insert(producer);
        continue;
      }
      for (Value value : read)
        refused.erase(value.getDefiningOp());
      op = merged;
      i = 0;
    }
  }

  /// Recomputing a value in a user pays when what the user then reads beside
  /// its own inputs is smaller than the value, or when no user is left that
  /// needs the value in memory. Inputs as large as the value would only have to
  /// be kept beside it.
  bool savesTraffic(linalg::GenericOp producer, linalg::GenericOp consumer) {
    auto sizeOf = [](auto values) {
      int64_t bits = 0;
      for (Value value : values)
        if (auto type = dyn_cast<ShapedType>(value.getType()))
          bits += type.getNumElements() * type.getElementTypeBitWidth();
      return bits;
    };
    auto more = llvm::make_filter_range(producer.getInputs(), [&](Value value) {
      return !llvm::is_contained(consumer.getInputs(), value);
    });
    auto less =
        llvm::make_filter_range(producer->getResults(), [&](Value value) {
          return llvm::is_contained(consumer.getInputs(), value);
        });
    if (sizeOf(more) < sizeOf(less))
      return true;
    return llvm::all_of(producer->getUsers(), [&](Operation *user) {
      auto generic = dyn_cast<linalg::GenericOp>(user);
      return generic && user->getBlock() == &block && !isProduct(generic);
    });
  }

  /// True when the body of `op` reads elements of the results of `producer`.
  static bool loadsFrom(linalg::GenericOp op, linalg::GenericOp producer) {
    return llvm::any_of(producer->getUsers(), [&](Operation *user) {
      return op->isProperAncestor(user);
    });
  }

  /// Merges `producer`, which `operand` of `consumer` reads, if that is
  /// possible and pays. Three ways: it has no other user; both are elementwise
  /// over the same loops, and the merged op gives other users their value as
  /// one more result; or it is cheap, and the consumer computes a copy of it.
  linalg::GenericOp tryMerge(linalg::GenericOp producer,
                             linalg::GenericOp consumer, OpOperand &operand) {
    auto size = [](linalg::GenericOp op) {
      return op.getBody()->getOperations().size();
    };
    if (size(producer) + size(consumer) > kMaxBodySize ||
        !isElementwise(producer) || loadsFrom(consumer, producer))
      return {};
    AffineMap iteration = producerIteration(operand);
    if (!isSimple(iteration))
      return {};
    bool binds = mergeBindsAllLoops(producer, consumer, iteration);
    if (!binds && llvm::all_of(producer.getIndexingMapsArray(), isSimple))
      return {};
    // One iteration of the consumer must need one iteration of the producer,
    // and must not read the producer's results as initial values.
    bool readAsInit = false;
    for (OpOperand &use : consumer->getOpOperands())
      if (use.get().getDefiningOp() == producer) {
        readAsInit |= consumer.isDpsInit(&use);
        if (!readAsInit && producerIteration(use) != iteration)
          return {};
      }
    if (readAsInit)
      return {};
    bool sameSpace = iteration.isPermutation();
    bool onlyUser = llvm::all_of(producer->getUsers(), [&](Operation *user) {
      return user == consumer;
    });
    std::optional<unsigned> cost = recomputeCost(producer);
    bool cheap = cost && *cost <= recomputeLimit;
    auto merge = [&](linalg::GenericOp from) {
      if (!binds)
        bindLoops(consumer, loopsOnlyOf(from, consumer));
      return mergeProducer(rewriter, from, consumer, iteration);
    };
    if (sameSpace && onlyUser)
      return merge(producer);
    if (sameSpace && iteration.isIdentity() && isElementwise(consumer) &&
        !hasIndirectPath(producer, consumer))
      return merge(producer);
    if (!cheap || (!onlyUser && !savesTraffic(producer, consumer)))
      return {};
    if (onlyUser)
      return merge(producer);
    // Recompute: a copy of the producer that has no other user.
    rewriter.setInsertionPoint(consumer);
    auto copy = cast<linalg::GenericOp>(rewriter.clone(*producer));
    for (OpOperand &use : consumer->getOpOperands())
      if (use.get().getDefiningOp() == producer)
        use.set(copy->getResult(cast<OpResult>(use.get()).getResultNumber()));
    return merge(copy);
  }

  RewriterBase &rewriter;
  Block &block;
  /// The op before each that has effects too.
  DenseMap<Operation *, Operation *> previousEffect;
  unsigned recomputeLimit;
  /// Whether a body uses values of the block other than through operands.
  bool hasCaptures = false;
};

/// A choice between two whole tensors as one by element. Bufferisation could
/// only alias both, which is in conflict with a loop that carries one of them.
void selectByElement(RewriterBase &rewriter, arith::SelectOp select) {
  auto type = cast<RankedTensorType>(select.getType());
  rewriter.setInsertionPoint(select);
  Value init = tensor::EmptyOp::create(rewriter, select.getLoc(),
                                       type.getShape(), type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  AffineMap scalar =
      AffineMap::get(type.getRank(), 0, {}, rewriter.getContext());
  SmallVector<utils::IteratorType> kinds(type.getRank(),
                                         utils::IteratorType::parallel);
  rewriter.replaceOpWithNewOp<linalg::GenericOp>(
      select, TypeRange(type), select->getOperands(), ValueRange(init),
      ArrayRef<AffineMap>{scalar, identity, identity, identity}, kinds,
      [](OpBuilder &b, Location loc, ValueRange args) {
        Value chosen =
            arith::SelectOp::create(b, loc, args[0], args[1], args[2]);
        linalg::YieldOp::create(b, loc, chosen);
      });
}

struct FuseLinalg : cellgrad::impl::FuseLinalgBase<FuseLinalg> {
  using FuseLinalgBase::FuseLinalgBase;

  LogicalResult initialize(MLIRContext *ctx) override {
    RewritePatternSet set(ctx);
    linalg::ControlDropUnitDims control;
    control.rankReductionStrategy = linalg::ControlDropUnitDims::
        RankReductionStrategy::ReassociativeReshape;
    linalg::populateFoldUnitExtentDimsPatterns(set, control);
    linalg::populateFoldUnitExtentDimsCanonicalizationPatterns(set, control);
    linalg::populateDecomposePadPatterns(set);
    cleanup = std::move(set);
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<arith::SelectOp> selects;
    getOperation().walk([&](arith::SelectOp op) {
      if (isa<RankedTensorType>(op.getType()) &&
          op.getCondition().getType().isInteger(1))
        selects.push_back(op);
    });
    for (arith::SelectOp op : selects)
      selectByElement(rewriter, op);
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp, linalg::FillOp>(op))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op.emitOpError("has no linalg.generic form");
        return signalPassFailure();
      }
    }
    if (failed(applyPatternsGreedily(getOperation(), cleanup)))
      return signalPassFailure();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()) &&
          !block->getOps<linalg::GenericOp>().empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      BlockFuser(rewriter, *block, recomputeLimit).run();
  }

private:
  FrozenRewritePatternSet cleanup;
};

} // namespace
