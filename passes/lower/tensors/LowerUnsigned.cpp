//===- LowerUnsigned.cpp - unsigned integers by signed ones ---------------===//

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"
#include "dialect/Rules.h"
#include "passes/lower/tensors/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_LOWERUNSIGNEDPASS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// `type` with signless integers for unsigned ones, in tensors and stashes.
Type signless(Type type) {
  if (auto stash = dyn_cast<StashType>(type))
    return StashType::get(type.getContext(),
                          cast<RankedTensorType>(signless(stash.getElement())),
                          stash.getCapacity());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isUnsignedInteger())
    return type;
  return tensor.clone(
      IntegerType::get(type.getContext(), tensor.getElementTypeBitWidth()));
}

bool isUnsigned(Type type) { return signless(type) != type; }

/// The same bits as constants of signless type.
FailureOr<ElementsAttr> signlessElements(ElementsAttr elements) {
  auto type = cast<RankedTensorType>(signless(elements.getType()));
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return ElementsAttr(dense.bitcast(type.getElementType()));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return ElementsAttr(
        DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return failure();
}

/// Builds what unsigned arithmetic is in signed arithmetic. All values are of
/// signless types.
class Writer {
public:
  Writer(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  static RankedTensorType typeOf(Value x) {
    return cast<RankedTensorType>(x.getType());
  }
  static unsigned widthOf(Value x) {
    return typeOf(x).getElementTypeBitWidth();
  }

  Value integer(Value like, const APInt &value) {
    return ConstantOp::create(b, loc,
                              DenseElementsAttr::get(typeOf(like), value));
  }
  Value integer(Value like, uint64_t value) {
    return integer(like, APInt(64, value).trunc(widthOf(like)));
  }
  Value number(Value like, double value) {
    return splat(b, loc, like.getType(), value);
  }
  template <typename OpT, typename... Args> Value make(Args &&...args) {
    return b.createOrFold<OpT>(loc, std::forward<Args>(args)...);
  }
  Value toInteger(Value x, unsigned width) {
    return make<CastOp>(typeOf(x).clone(b.getIntegerType(width)), x);
  }

  /// x as a signed number in the order that x has as an unsigned one.
  Value ordered(Value x) {
    return make<BitwiseXorOp>(x,
                              integer(x, APInt::getSignedMinValue(widthOf(x))));
  }
  Value isBelow(Value x, Value y) {
    return make<LessOp>(ordered(x), ordered(y));
  }
  /// True for what has the upper bit, and is negative as a signed number.
  Value isHigh(Value x) { return make<LessOp>(x, integer(x, 0)); }

  /// x in `width` bits, more than its own: zeros before its bits.
  Value extended(Value x, unsigned width) {
    uint64_t mask = llvm::maskTrailingOnes<uint64_t>(widthOf(x));
    Value wide = toInteger(x, width);
    return make<BitwiseAndOp>(wide, integer(wide, mask));
  }

  /// x / 2 of 64 bits.
  Value halved(Value x) {
    Value half = make<FloorDivOp>(x, integer(x, 2));
    return make<BitwiseAndOp>(half,
                              integer(x, APInt::getSignedMaxValue(widthOf(x))));
  }

  Value toFloat(Value x, RankedTensorType type) {
    unsigned width = widthOf(x);
    if (width < 64)
      return make<CastOp>(type, extended(x, width < 32 ? 32 : 64));
    // Half of a large number, and its last bit for the rounding, fit.
    Value odd = make<BitwiseAndOp>(x, integer(x, 1));
    Value half = make<CastOp>(type, make<BitwiseOrOp>(halved(x), odd));
    Value large = make<MulOp>(half, number(half, 2));
    return make<SelectOp>(isHigh(x), large, make<CastOp>(type, x));
  }

  /// Truncates towards zero and saturates; NaN gives 0.
  Value fromFloat(Value x, RankedTensorType type) {
    unsigned width = type.getElementTypeBitWidth();
    if (typeOf(x).getElementTypeBitWidth() == 16)
      x = make<CastOp>(typeOf(x).clone(b.getF32Type()), x);
    Value whole = toInteger(x, 64);
    whole = make<MaximumOp>(whole, integer(whole, 0));
    if (width < 64) {
      uint64_t most = llvm::maskTrailingOnes<uint64_t>(width);
      whole = make<MinimumOp>(whole, integer(whole, most));
      return toInteger(whole, width);
    }
    Value limit = number(x, 0x1p63);
    Value rest = toInteger(make<SubOp>(x, limit), 64);
    return make<SelectOp>(make<GreaterEqualOp>(x, limit), ordered(rest), whole);
  }

  /// Quotient and remainder; both are 0 where y is. Of 64 bits by twice the
  /// quotient of half of x, which is right or one too small, or by a
  /// comparison, where y is large (H. S. Warren, Hacker's Delight, 9-3).
  std::pair<Value, Value> divided(Value x, Value y) {
    unsigned width = widthOf(x);
    if (width < 64) {
      Value a = extended(x, 2 * width), c = extended(y, 2 * width);
      return {toInteger(make<FloorDivOp>(a, c), width),
              toInteger(make<FloorModOp>(a, c), width)};
    }
    Value zero = integer(x, 0), one = integer(x, 1);
    Value quotient = make<MulOp>(make<FloorDivOp>(halved(x), y), integer(x, 2));
    quotient = make<SelectOp>(isHigh(y), zero, quotient);
    Value rest = make<SubOp>(x, make<MulOp>(quotient, y));
    Value fits = make<LogicalNotOp>(isBelow(rest, y));
    quotient = make<SelectOp>(fits, make<AddOp>(quotient, one), quotient);
    rest = make<SelectOp>(fits, make<SubOp>(rest, y), rest);
    Value none = make<EqualOp>(y, zero);
    return {make<SelectOp>(none, zero, quotient),
            make<SelectOp>(none, zero, rest)};
  }

private:
  OpBuilder &b;
  Location loc;
};

/// An op that has to do with unsigned integers, and where.
struct Use {
  Operation *op;
  bool operand, result; // the first ones
};

class LowerUnsigned
    : public cellgrad::impl::LowerUnsignedPassBase<LowerUnsigned> {
public:
  using LowerUnsignedPassBase::LowerUnsignedPassBase;

  void runOnOperation() override {
    SmallVector<Use> uses;
    getOperation().walk([&](Operation *op) {
      if (llvm::any_of(op->getOperandTypes(), isUnsigned) ||
          llvm::any_of(op->getResultTypes(), isUnsigned))
        uses.push_back(
            {op,
             op->getNumOperands() && isUnsigned(op->getOperand(0).getType()),
             op->getNumResults() && isUnsigned(op->getResult(0).getType())});
    });
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(noteTypes(func)))
        return signalPassFailure();
    for (const Use &use : uses)
      if (failed(check(use.op)))
        return signalPassFailure();
    for (auto func : getOperation().getOps<func::FuncOp>())
      retype(func);
    for (const Use &use : uses)
      rewrite(use);
  }

private:
  /// What the public functions took and gave, for callers.
  static LogicalResult noteTypes(func::FuncOp func) {
    Builder b(func.getContext());
    auto name = [&](Type type) {
      return b.getStringAttr(
          "uint" +
          std::to_string(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
    };
    if (!func.isPublic())
      return success();
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
      auto donated = func.getArgAttrOfType<IntegerAttr>(i, "cell.donate");
      if (donated && donated.getInt() >= 0 &&
          donated.getInt() < func.getNumResults()) {
        Type result = func.getResultTypes()[donated.getInt()];
        if (type != result && signless(type) == signless(result))
          return refuse(func)
                 << "argument #" << i << " of type " << type
                 << " is donated to result #" << donated.getInt() << " of type "
                 << result << "; the types must be equal";
      }
      if (isUnsigned(type))
        func.setArgAttr(i, "cell.dtype", name(type));
    }
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (isUnsigned(type))
        func.setResultAttr(i, "cell.dtype", name(type));
    return success();
  }

  /// Only ops that are known to mean the same, or that `rewrite` has a case
  /// for.
  static LogicalResult check(Operation *op) {
    if (!isa<CellDialect>(op->getDialect())) {
      if (isa<func::FuncDialect, scf::SCFDialect>(op->getDialect()) ||
          isa<arith::SelectOp, tensor::EmptyOp, tensor::ExtractSliceOp,
              tensor::InsertSliceOp>(op))
        return success();
    } else if (isa<AbsOp, AddOp, ArgMaxOp, ArgMinOp, ArgSortOp, BarrierOp,
                   BitwiseAndOp, BitwiseNotOp, BitwiseOrOp, BitwiseXorOp,
                   BroadcastOp, CastOp, CeilOp, ConcatOp, ConstantOp, ConvOp,
                   CumMaxOp, CumMinOp, CumProdOp, CumSumOp, EqualOp, FloorDivOp,
                   FloorModOp, FloorOp, GatherOp, GreaterEqualOp, GreaterOp,
                   IotaOp, LessEqualOp, LessOp, MatMulOp, MaximumOp, MinimumOp,
                   MulOp, NegOp, NotEqualOp, OverlapAddOp, PadOp, PrintOp,
                   RecurrenceOp, ReduceMaxOp, ReduceMinOp, ReduceSumOp, ReluOp,
                   ReshapeOp, ReverseOp, RoundOp, ScatterOp, SegmentCumSumOp,
                   SelectOp, SignOp, SliceOp, SquareOp, StashAddOp,
                   StashEmptyOp, StashReadOp, StashWriteOp, StopGradientOp,
                   SubOp, SwapRowsOp, TransposeOp, TriangleOp, TruncModOp,
                   TruncOp, WindowsOp>(op)) {
      if (auto constant = dyn_cast<ConstantOp>(op))
        if (failed(signlessElements(constant.getValue())))
          return op->emitOpError("has elements in a form that is not known");
      return success();
    }
    return op->emitOpError("takes no unsigned integers; cast them to signed "
                           "ones first");
  }

  static void retype(func::FuncOp func) {
    Builder b(func.getContext());
    auto change = [](Value value) { value.setType(signless(value.getType())); };
    func.walk([&](Operation *op) {
      if (auto print = dyn_cast<PrintOp>(op);
          print && llvm::any_of(op->getOperandTypes(), isUnsigned))
        op->setAttr("cell.unsigned",
                    b.getDenseBoolArrayAttr(llvm::map_to_vector(
                        op->getOperandTypes(), isUnsigned)));
      if (auto constant = dyn_cast<ConstantOp>(op);
          constant && isUnsigned(constant.getType()))
        constant.setValueAttr(*signlessElements(constant.getValue()));
      llvm::for_each(op->getResults(), change);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), change);
    });
    auto all = [](ArrayRef<Type> types) {
      return llvm::map_to_vector(types, signless);
    };
    func.setType(b.getFunctionType(all(func.getArgumentTypes()),
                                   all(func.getResultTypes())));
  }

  /// Replaces what depends on the sign; all types are signless by now.
  static void rewrite(const Use &use) {
    OpBuilder b(use.op);
    Writer w(b, use.op->getLoc());
    auto replace = [&](Value value) {
      use.op->getResult(0).replaceAllUsesWith(value);
      use.op->erase();
    };
    auto orderOperands = [&] {
      for (OpOperand &operand : use.op->getOpOperands())
        operand.set(w.ordered(operand.get()));
    };
    auto orderAll = [&] {
      orderOperands();
      b.setInsertionPointAfter(use.op);
      Value result = use.op->getResult(0);
      Value back = w.ordered(result);
      result.replaceAllUsesExcept(back, back.getDefiningOp());
    };
    llvm::TypeSwitch<Operation *>(use.op)
        .Case<AbsOp, FloorOp, CeilOp, TruncOp, RoundOp, ReluOp>(
            [&](auto op) { replace(op.getX()); })
        .Case([&](SignOp op) {
          Value some = NotEqualOp::create(b, op.getLoc(), op.getX(),
                                          w.integer(op.getX(), 0));
          replace(CastOp::create(b, op.getLoc(), op.getType(), some));
        })
        .Case<LessOp, LessEqualOp, GreaterOp, GreaterEqualOp, ArgMaxOp,
              ArgMinOp, ArgSortOp>([&](auto) { orderOperands(); })
        .Case<MaximumOp, MinimumOp, ReduceMaxOp, ReduceMinOp, CumMaxOp,
              CumMinOp>([&](auto) { orderAll(); })
        .Case([&](FloorDivOp op) {
          replace(w.divided(op.getLhs(), op.getRhs()).first);
        })
        .Case<FloorModOp, TruncModOp>([&](auto op) {
          replace(w.divided(op.getLhs(), op.getRhs()).second);
        })
        .Case([&](CastOp op) {
          if (Value value = converted(w, op, use))
            replace(value);
        })
        .Case([&](IotaOp op) {
          int64_t count = op.getType().getDimSize(op.getDim());
          unsigned width = op.getType().getElementTypeBitWidth();
          if (count == 0 || llvm::isIntN(width, count - 1))
            return;
          auto wide = op.getType().clone(b.getI64Type());
          replace(w.toInteger(IotaOp::create(b, op.getLoc(), wide, op.getDim()),
                              width));
        });
  }

  /// What stands for a cast; null where it means the same.
  static Value converted(Writer &w, CastOp op, const Use &use) {
    Value x = op.getX();
    Type from = getElementTypeOrSelf(x.getType()),
         to = op.getType().getElementType();
    if (use.operand && isa<FloatType>(to))
      return w.toFloat(x, op.getType());
    if (use.result && isa<FloatType>(from))
      return w.fromFloat(x, op.getType());
    if (from == to)
      return x;
    unsigned width = to.getIntOrFloatBitWidth();
    if (use.operand && from.getIntOrFloatBitWidth() < width)
      return w.extended(x, width);
    return {};
  }
};

} // namespace
