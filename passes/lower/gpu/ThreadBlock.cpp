//===- ThreadBlock.cpp - the threads that run a kernel together -----------===//

#include "passes/lower/gpu/ThreadBlock.h"

#include "passes/lower/gpu/DeviceMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cellgrad;

ThreadBlock::ThreadBlock(gpu::GPUFuncOp kernel, int64_t threads, int64_t blocks)
    : threads(threads), blocks(blocks), kernel(kernel) {
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  if (blocks > 1)
    blockId = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  threadId = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value warpSize = arith::ConstantIndexOp::create(b, loc, kWarp);
  warpId = arith::DivUIOp::create(b, loc, threadId, warpSize);
  laneId = arith::RemUIOp::create(b, loc, threadId, warpSize);
  first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, threadId,
                                arith::ConstantIndexOp::create(b, loc, 1));
}

int64_t ThreadBlock::count(Team team) const {
  return team == Team::Thread ? threads * blocks
         : team == Team::Warp ? warps() * blocks
                              : blocks;
}

Value ThreadBlock::number(OpBuilder &b, Location loc, Team team) const {
  if (team == Team::Block)
    return blockId ? blockId
                   : arith::ConstantIndexOp::create(b, loc, 0).getResult();
  Value inBlock = team == Team::Thread ? threadId : warpId;
  if (!blockId)
    return inBlock;
  Value size = arith::ConstantIndexOp::create(b, loc, count(team) / blocks);
  return arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, blockId, size), inBlock);
}

/// Lanes pass words of 32 or 64 bits.
static Type wordOf(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return type.getIntOrFloatBitWidth() < 32
             ? IntegerType::get(type.getContext(), 32)
             : type;
}

static Value toWord(OpBuilder &b, Location loc, Value value) {
  Type type = value.getType(), word = wordOf(type);
  if (type == word)
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, word, value);
  if (auto floating = dyn_cast<FloatType>(type))
    value = arith::BitcastOp::create(
        b, loc, b.getIntegerType(floating.getWidth()), value);
  return arith::ExtUIOp::create(b, loc, word, value);
}

static Value fromWord(OpBuilder &b, Location loc, Value word, Type type) {
  if (type == word.getType())
    return word;
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, word);
  Type integer = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value value = arith::TruncIOp::create(b, loc, integer, word);
  return type == integer ? value
                         : arith::BitcastOp::create(b, loc, type, value);
}

ThreadBlock::Values ThreadBlock::reduceWarp(OpBuilder &b, Location loc,
                                            ArrayRef<Combiner> combiners,
                                            ValueRange values) {
  Values totals(values);
  auto word = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 32);
  };
  Value width = word(kWarp);
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2) {
    Value step = word(distance);
    for (auto [combiner, total] : llvm::zip_equal(combiners, totals)) {
      Value other = gpu::ShuffleOp::create(b, loc, toWord(b, loc, total), step,
                                           width, gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      total = combine(b, loc, combiner, total,
                      fromWord(b, loc, other, total.getType()));
    }
  }
  return totals;
}

Value ThreadBlock::slots(Type word, unsigned which) {
  Value &memory = known[{word, which}];
  if (!memory)
    memory = kernel.addWorkgroupAttribution(
        MemRefType::get(
            {warps()}, word, MemRefLayoutAttrInterface(),
            IntegerAttr::get(IntegerType::get(word.getContext(), 64),
                             kSharedMemory)),
        kernel.getLoc());
  return memory;
}

ThreadBlock::Values ThreadBlock::reduceBlock(OpBuilder &b, Location loc,
                                             ArrayRef<Combiner> combiners,
                                             ValueRange values) {
  Values totals = reduceWarp(b, loc, combiners, values);
  if (warps() == 1)
    return totals;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, laneId, zero);
  scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &b, Location loc) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      Value word = toWord(b, loc, total);
      memref::StoreOp::create(b, loc, word, slots(word.getType(), i), warpId);
    }
    scf::YieldOp::create(b, loc);
  });
  gpu::BarrierOp::create(b, loc);
  for (auto [i, total] : llvm::enumerate(totals)) {
    Type type = total.getType();
    Values parts;
    for (int64_t warp = 0; warp < warps(); ++warp) {
      Value at = arith::ConstantIndexOp::create(b, loc, warp);
      Value word = memref::LoadOp::create(b, loc, slots(wordOf(type), i), at);
      parts.push_back(fromWord(b, loc, word, type));
    }
    while (parts.size() > 1) {
      Values half;
      for (size_t k = 0; k + 1 < parts.size(); k += 2)
        half.push_back(combine(b, loc, combiners[i], parts[k], parts[k + 1]));
      if (parts.size() % 2)
        half.push_back(parts.back());
      parts = std::move(half);
    }
    total = parts.front();
  }
  return totals;
}
