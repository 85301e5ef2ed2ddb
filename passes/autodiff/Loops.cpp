//===- Loops.cpp - derivatives of scf.for and scf.while -------------------===//
//
// Forward mode carries tangents beside the values. Reverse mode keeps, for
// every trip, those carried values that the adjoint of the body reads, in a
// stash; then it walks the trips backwards, computes the body again from what
// was carried into it, and pulls the cotangents back through it.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/ControlFlow.h"
#include "passes/autodiff/Expand.h"

#include "dialect/Refusal.h"
#include "dialect/Rules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace cellgrad {

namespace {

/// The body of a loop of the callee as a function, and which of its arguments
/// and results carry derivatives.
struct LoopBody {
  explicit LoopBody(Loop loop)
      : loop(loop), captured(capturedBy(loop)),
        function(outline(loop.body(), captured)), count(loop.inits().size()),
        varying(count), live(count) {}

  static llvm::SetVector<Value> capturedBy(Loop loop) {
    llvm::SetVector<Value> values;
    getUsedValuesDefinedAbove(loop.body(), values);
    return values;
  }

  Value yielded(unsigned i) const {
    func::FuncOp func = *function;
    return func.getBody().front().getTerminator()->getOperand(i);
  }
  int64_t carriedArg(unsigned i) const { return loop.leading() + i; }
  int64_t capturedArg(unsigned i) const { return loop.leading() + count + i; }

  /// Positions of the arguments that vary: carried ones, then captures.
  SmallVector<int64_t> varyingArgs() const {
    SmallVector<int64_t> args;
    for (unsigned i : varying.set_bits())
      args.push_back(carriedArg(i));
    for (unsigned i : captures)
      args.push_back(capturedArg(i));
    return args;
  }

  /// Completes `varying`: what a varying value reaches in any trip.
  void findVarying() {
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, count));
    for (bool changed = true; changed;) {
      changed = false;
      Activity activity(*function, varyingArgs(), all);
      for (unsigned i = 0; i < count; ++i)
        if (!varying[i] && activity.isActive(yielded(i)))
          changed = varying[i] = true;
    }
  }

  /// Completes `live`: what influences a live value in any later trip.
  void findLive() {
    for (bool changed = true; changed;) {
      changed = false;
      Activity activity(*function, varyingArgs(),
                        llvm::to_vector_of<int64_t>(live.set_bits()));
      func::FuncOp func = *function;
      for (unsigned i = 0; i < count; ++i)
        if (!live[i] && activity.isActive(func.getArgument(carriedArg(i))))
          changed = live[i] = true;
    }
  }

  Loop loop;
  llvm::SetVector<Value> captured;
  OwningOpRef<func::FuncOp> function;
  unsigned count;
  llvm::SmallBitVector varying, live;
  SmallVector<unsigned> captures; // indices in `captured` that vary
};

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// Arithmetic on indices, done at once where the operands are known.
template <typename OpT>
Value indexOp(OpBuilder &builder, Location loc, Value a, Value b) {
  return builder.createOrFold<OpT>(loc, a, b);
}

/// Number of trips of a loop with these bounds.
Value tripsOf(OpBuilder &builder, Location loc, scf::ForOp loop) {
  Value span = indexOp<arith::SubIOp>(builder, loc, loop.getUpperBound(),
                                      loop.getLowerBound());
  Value trips = indexOp<arith::CeilDivSIOp>(builder, loc, span, loop.getStep());
  return indexOp<arith::MaxSIOp>(builder, loc, trips,
                                 constantIndex(builder, loc, 0));
}

//===----------------------------------------------------------------------===//
// Reverse mode
//===----------------------------------------------------------------------===//

class LoopAdjoint {
public:
  LoopAdjoint(OpBuilder &builder, Loop loop, InlinedPrimal &primal,
              const Activity &activity, Following following,
              Cotangents &cotangents)
      : builder(builder), loc(ruleLocation(loop.op, "vjp")), body(loop),
        primal(primal), activity(activity), following(following),
        cotangents(cotangents) {}

  LogicalResult build() {
    findActive();
    if (pulled.empty())
      return success();
    dropEffects(*body.function);
    if (failed(buildBodyAdjoint()))
      return failure();
    if (failed(keepCarried()))
      return failure();
    return buildReverseLoop();
  }

private:
  void findActive() {
    Loop loop = body.loop;
    for (auto [i, init] : llvm::enumerate(loop.inits()))
      body.varying[i] = activity.isActive(init);
    for (auto [i, value] : llvm::enumerate(body.captured))
      if (activity.isActive(value))
        body.captures.push_back(i);
    body.findVarying();
    for (auto [i, result] : llvm::enumerate(loop.op->getResults()))
      body.live[i] = body.varying[i] && cotangents.of(result);
    body.findLive();
    body.live &= body.varying;
    llvm::append_range(pulled, body.live.set_bits());
  }

  /// The body and its adjoint as a function: of the body's arguments, then the
  /// cotangents of what it yields; of the latter's successors, then those of
  /// the captures.
  LogicalResult buildBodyAdjoint() {
    func::FuncOp forward = *body.function;
    SmallVector<Type> inputs(forward.getArgumentTypes());
    SmallVector<int64_t> of, wrt;
    for (unsigned i : pulled) {
      of.push_back(i);
      wrt.push_back(body.carriedArg(i));
      inputs.push_back(forward.getResultTypes()[i]);
    }
    for (unsigned i : body.captures)
      wrt.push_back(body.capturedArg(i));
    OpBuilder inner(builder.getContext());
    adjoint =
        func::FuncOp::create(loc, "adjoint", inner.getFunctionType(inputs, {}));
    SmallVector<Location> locs(inputs.size(), loc);
    Block *block = inner.createBlock(&adjoint->getBody(), {}, inputs, locs);
    ValueRange args = block->getArguments();
    unsigned own = forward.getNumArguments();
    FailureOr<Expansion> expansion =
        emitVJP(inner, forward, args.take_front(own), of, args.drop_front(own),
                wrt, followingTrip(of, wrt));
    if (failed(expansion))
      return failure();
    SmallVector<Value> results;
    for (auto [i, cotangent] : llvm::zip(pulled, expansion->derivatives))
      results.push_back(
          valueOrZero(inner, loc, cotangent, forward.getResultTypes()[i]));
    SmallVector<unsigned> reached;
    for (auto [i, cotangent] : llvm::zip_equal(
             body.captures,
             ArrayRef(expansion->derivatives).drop_front(pulled.size())))
      if (cotangent) {
        reached.push_back(i);
        results.push_back(cotangent);
      }
    body.captures = reached;
    func::ReturnOp::create(inner, loc, results);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

  /// What follows a trip: what follows the loop, and choices in the next trip.
  /// What a trip is given was computed by another, or around the loop: it may
  /// be infinite or NaN.
  Following followingTrip(ArrayRef<int64_t> of, ArrayRef<int64_t> wrt) {
    func::FuncOp forward = *body.function;
    Guards guards(forward, Activity(forward, wrt, of), following);
    Following all = following;
    for (unsigned i : pulled)
      all.add(guards.following(forward.getArgument(body.carriedArg(i))));
    all.expects |= all.discards;
    return all;
  }

  Value adjointArg(int64_t i) {
    func::FuncOp func = *adjoint;
    return func.getArgument(i);
  }

  /// Whether a carried index counts the trips from 0.
  bool countsTrips(unsigned i) {
    if (!isa<IndexType>(body.loop.inits()[i].getType()) ||
        !matchPattern(body.loop.inits()[i], m_Zero()))
      return false;
    auto next = body.yielded(i).getDefiningOp<arith::AddIOp>();
    func::FuncOp func = *body.function;
    return next && next.getLhs() == func.getArgument(body.carriedArg(i)) &&
           matchPattern(next.getRhs(), m_One());
  }

  /// The carried count of trips of a scf.while, if the loop of a lower order
  /// has one.
  std::optional<unsigned> tripCounter() {
    for (unsigned i = 0; i < body.count; ++i)
      if (countsTrips(i))
        return i;
    return std::nullopt;
  }

  /// Whether `position`, in the body, is the number of the trip.
  bool isTrip(Value position) {
    auto arg = dyn_cast<BlockArgument>(position);
    if (!arg)
      return false;
    if (scf::ForOp loop = body.loop.asFor())
      return arg.getArgNumber() == 0 &&
             matchPattern(loop.getLowerBound(), m_Zero()) &&
             matchPattern(loop.getStep(), m_One());
    return arg.getArgNumber() < body.count && countsTrips(arg.getArgNumber());
  }

  /// The carried stash in which an adjoint of a lower order keeps carried value
  /// `i` of every trip.
  std::optional<unsigned> stashOf(unsigned i) {
    func::FuncOp func = *body.function;
    for (unsigned k = 0; k < body.count; ++k) {
      auto write = body.yielded(k).getDefiningOp<StashWriteOp>();
      if (write && write.getX() == func.getArgument(body.carriedArg(i)) &&
          write.getStash() == func.getArgument(body.carriedArg(k)) &&
          isTrip(write.getPosition()) &&
          body.loop.inits()[k].getDefiningOp<StashEmptyOp>())
        return k;
    }
    return std::nullopt;
  }

  /// Finds what the adjoint of the body reads of the carried values, and is not
  /// in a stash yet.
  LogicalResult findKept() {
    for (unsigned i = 0; i < body.count; ++i) {
      if (adjointArg(body.carriedArg(i)).use_empty() || countsTrips(i))
        continue;
      Type type = body.loop.inits()[i].getType();
      if (!isa<RankedTensorType>(type))
        return refuse(body.loop.op)
               << "carries a value of type " << type
               << " that its derivative reads, but only tensors can be kept "
                  "from trip to trip; carry a tensor instead";
      if (std::optional<unsigned> stash = stashOf(i))
        keptBefore.push_back({i, *stash});
      else
        kept.push_back(i);
    }
    return success();
  }

  /// Makes the primal loop write to a stash, in every trip, what the adjoint of
  /// the body reads of the carried values; and count its trips.
  LogicalResult keepCarried() {
    if (failed(findKept()))
      return failure();
    Operation *copy = primal.copyOf(body.loop.op);
    OpBuilder at(copy);
    auto loop = dyn_cast<scf::ForOp>(copy);
    int64_t capacity = 0;
    if (loop) {
      trips = tripsOf(at, loc, loop);
      if (std::optional<int64_t> known = getConstantIntValue(trips))
        capacity = *known;
    }
    SmallVector<Value> more;
    for (unsigned i : kept)
      more.push_back(StashEmptyOp::create(
          at, loc,
          StashType::get(at.getContext(),
                         cast<RankedTensorType>(body.loop.inits()[i].getType()),
                         capacity)));
    std::optional<unsigned> counter = tripCounter();
    if (!loop && !counter) {
      counter = body.count + more.size();
      more.push_back(constantIndex(at, loc, 0));
    }
    if (!more.empty() && failed(carryMore(at, Loop{copy}, more, counter)))
      return failure();
    ValueRange results = primal.copyOf(body.loop.op)->getResults();
    llvm::append_range(stashes, results.slice(body.count, kept.size()));
    for (auto [i, stash] : keptBefore) {
      kept.push_back(i);
      stashes.push_back(results[stash]);
    }
    if (!loop)
      trips = results[*counter];
    return success();
  }

  /// Rebuilds the primal loop with stashes for the values `kept`, and a counter
  /// if `more` has one.
  LogicalResult carryMore(OpBuilder &at, Loop old, ValueRange more,
                          std::optional<unsigned> counter) {
    scf::ForOp loop = old.asFor();
    Operation *keeping = old.rebuild(
        at, more,
        [&](OpBuilder &inner,
            ValueRange args) -> FailureOr<SmallVector<Value>> {
          ValueRange own = args.take_front(old.leading() + body.count);
          ValueRange added = args.drop_front(own.size());
          Value trip = loop ? tripOf(inner, loop, args[0]) : args[*counter];
          IRMapping map;
          Block &block = old.body().front();
          map.map(block.getArguments(), own);
          for (Operation &op : block.without_terminator())
            inner.clone(op, map);
          SmallVector<Value> next;
          for (Value v : block.getTerminator()->getOperands())
            next.push_back(map.lookupOrDefault(v));
          for (auto [i, stash] : llvm::zip(kept, added))
            next.push_back(StashWriteOp::create(inner, loc, stash.getType(),
                                                own[body.carriedArg(i)], stash,
                                                trip));
          if (added.size() > kept.size())
            next.push_back(indexOp<arith::AddIOp>(
                inner, loc, trip, constantIndex(inner, loc, 1)));
          return next;
        });
    if (!keeping)
      return failure();
    primal.replace(body.loop.op, keeping);
    return success();
  }

  /// The trip at which the induction variable is `iv`.
  Value tripOf(OpBuilder &inner, scf::ForOp loop, Value iv) {
    Value from = indexOp<arith::SubIOp>(inner, loc, iv, loop.getLowerBound());
    return indexOp<arith::DivUIOp>(inner, loc, from, loop.getStep());
  }

  LogicalResult buildReverseLoop() {
    SmallVector<Value> inits;
    ValueRange results = body.loop.op->getResults();
    for (unsigned i : pulled)
      inits.push_back(valueOrZero(builder, loc, cotangents.of(results[i]),
                                  results[i].getType()));
    for (unsigned i : body.captures)
      inits.push_back(
          valueOrZero(builder, loc, Value(), body.captured[i].getType()));
    auto reverse =
        scf::ForOp::create(builder, loc, constantIndex(builder, loc, 0), trips,
                           constantIndex(builder, loc, 1), inits);
    buildReverseBody(reverse);

    ValueRange out = reverse.getResults();
    for (auto [i, cotangent] : llvm::zip(pulled, out))
      if (Value init = body.loop.inits()[i]; activity.isActive(init))
        cotangents.add(init, cotangent);
    for (auto [i, cotangent] :
         llvm::zip_equal(body.captures, out.drop_front(pulled.size())))
      cotangents.add(body.captured[i], cotangent);
    return success();
  }

  void buildReverseBody(scf::ForOp reverse) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(reverse.getBody());
    Value last = indexOp<arith::SubIOp>(builder, loc, trips,
                                        constantIndex(builder, loc, 1));
    Value trip =
        indexOp<arith::SubIOp>(builder, loc, last, reverse.getInductionVar());
    ValueRange carried = reverse.getRegionIterArgs();
    IRMapping map;
    mapArguments(map, trip, carried.take_front(pulled.size()));
    func::FuncOp func = *adjoint;
    Block &block = func.getBody().front();
    for (Operation &op : block.without_terminator())
      builder.clone(op, map);
    SmallVector<Value> next;
    for (Value v : block.getTerminator()->getOperands())
      next.push_back(map.lookupOrDefault(v));
    for (unsigned i = pulled.size(); i < next.size(); ++i)
      next[i] = accumulate(builder, loc, carried[i], next[i]);
    scf::YieldOp::create(builder, loc, next);
  }

  /// What the adjoint of the body is given in trip `trip`.
  void mapArguments(IRMapping &map, Value trip, ValueRange incoming) {
    func::FuncOp func = *adjoint;
    Operation *copy = primal.copyOf(body.loop.op);
    if (auto loop = dyn_cast<scf::ForOp>(copy)) {
      Value offset = indexOp<arith::MulIOp>(builder, loc, trip, loop.getStep());
      map.map(
          func.getArgument(0),
          indexOp<arith::AddIOp>(builder, loc, offset, loop.getLowerBound()));
    }
    for (unsigned i = 0; i < body.count; ++i)
      if (countsTrips(i))
        map.map(adjointArg(body.carriedArg(i)), trip);
    for (auto [i, stash] : llvm::zip_equal(kept, stashes)) {
      Value arg = adjointArg(body.carriedArg(i));
      map.map(arg,
              StashReadOp::create(builder, loc, arg.getType(), stash, trip));
    }
    for (auto [i, value] : llvm::enumerate(body.captured))
      map.map(adjointArg(body.capturedArg(i)), primal.copyOf(value));
    map.map(func.getArguments().take_back(pulled.size()), incoming);
  }

  OpBuilder &builder;
  Location loc;
  LoopBody body;
  InlinedPrimal &primal;
  const Activity &activity;
  Following following;
  Cotangents &cotangents;
  SmallVector<unsigned> pulled; // carried values with a cotangent
  SmallVector<unsigned> kept;   // carried values with a stash
  /// Carried values that an adjoint of a lower order keeps, and in which stash.
  SmallVector<std::pair<unsigned, unsigned>> keptBefore;
  SmallVector<Value> stashes;
  Value trips;
  OwningOpRef<func::FuncOp> adjoint;
};

} // namespace

LogicalResult buildLoopAdjoint(OpBuilder &builder, Loop loop,
                               InlinedPrimal &primal, const Activity &activity,
                               Following following, Cotangents &cotangents) {
  return LoopAdjoint(builder, loop, primal, activity, following, cotangents)
      .build();
}

//===----------------------------------------------------------------------===//
// Forward mode
//===----------------------------------------------------------------------===//

LogicalResult buildLoopTangent(OpBuilder &builder, Loop loop,
                               InlinedPrimal &primal, const Activity &activity,
                               Tangents &tangents) {
  Location loc = ruleLocation(loop.op, "jvp");
  LoopBody body(loop);
  for (auto [i, init] : llvm::enumerate(loop.inits()))
    body.varying[i] = activity.isActive(init) && tangents.lookup(init);
  SmallVector<Value> pushed;
  for (auto [i, value] : llvm::enumerate(body.captured))
    if (Value tangent = tangents.lookup(value);
        tangent && activity.isActive(value)) {
      body.captures.push_back(i);
      pushed.push_back(tangent);
    }
  body.findVarying();

  SmallVector<int64_t> of =
      llvm::to_vector_of<int64_t>(body.varying.set_bits());
  SmallVector<Value> inits;
  for (int64_t i : of) {
    Value init = loop.inits()[i];
    inits.push_back(
        valueOrZero(builder, loc, tangents.lookup(init), init.getType()));
  }
  primal.clone(builder, *loop.op);
  Loop copy{primal.copyOf(loop.op)};
  Operation *both = copy.rebuild(
      builder, inits,
      [&](OpBuilder &inner, ValueRange args) -> FailureOr<SmallVector<Value>> {
        ValueRange own = args.take_front(loop.leading() + body.count);
        SmallVector<Value> operands(own);
        llvm::append_range(operands,
                           primal.copiesOf(body.captured.getArrayRef()));
        SmallVector<Value> directions(args.drop_front(own.size()));
        llvm::append_range(directions, pushed);
        FailureOr<Expansion> expansion =
            emitJVP(inner, *body.function, operands, body.varyingArgs(),
                    directions, of);
        if (failed(expansion))
          return failure();
        SmallVector<Value> next = expansion->primal;
        for (auto [i, tangent] : llvm::zip_equal(of, expansion->derivatives))
          next.push_back(
              valueOrZero(inner, loc, tangent, loop.inits()[i].getType()));
        return next;
      });
  if (!both)
    return failure();
  primal.replace(loop.op, both);
  for (auto [i, tangent] :
       llvm::zip_equal(of, both->getResults().drop_front(body.count)))
    tangents[loop.op->getResult(i)] = tangent;
  return success();
}

} // namespace cellgrad
