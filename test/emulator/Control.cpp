//===- Control.cpp - branches, calls, barriers ----------------------------===//

#include "Decoder.h"
#include "Execute.h"

using namespace ptx;

static void decodeBranch(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("uni");
  decoder.decodeBranch(i);
}

static void decodeIndexedBranch(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("uni");
  if (!opcode.has("idx"))
    return decoder.fail("this form of 'brx' is not emulated");
  decoder.decodeIndexedBranch(i);
}

static void decodeCall(Decoder &decoder, Opcode &opcode, Instr &i) {
  opcode.has("uni");
  decoder.decodeCall(i);
}

static void decodeReturn(Decoder &, Opcode &opcode, Instr &i) {
  opcode.has("uni");
  i.flow = opcode.name() == "ret" ? Flow::Return : Flow::Exit;
}

static void decodeBarrier(Decoder &decoder, Opcode &opcode, Instr &i) {
  if (opcode.has("warp")) { // bar.warp.sync
    opcode.has("sync");
    i.flow = Flow::Together;
    i.run = [](Warp &warp, const Instr &, uint32_t) {
      warp.block->warpSync(warp);
    };
    i.mask = decoder.source(Type::B32);
    return;
  }
  opcode.has("cta");
  opcode.has("aligned");
  int how = opcode.oneOf({"sync", "arrive"});
  if (how < 0)
    return decoder.fail("this form of 'bar' is not emulated");
  i.flow = Flow::Barrier;
  i.mode = static_cast<uint8_t>(how);
  i.a[0] = decoder.source(Type::B32);
  if (decoder.lex.eat(","))
    i.a[1] = decoder.source(Type::B32);
  if (how == 1 && i.a[1] == kNoRow)
    decoder.fail("'bar.arrive' needs a number of threads");
}

/// Threads of one warp at a time run here, in order: a fence only says that
/// other blocks may rely on the order.
static void decodeFence(Decoder &, Opcode &opcode, Instr &i) {
  opcode.oneOf({"sc", "acq_rel", "acquire", "release"});
  bool wide = opcode.oneOf({"gl", "sys", "gpu", "cluster"}) >= 0;
  opcode.has("cta");
  if (wide)
    i.run = [](Warp &warp, const Instr &, uint32_t) {
      warp.block->fenced = true;
    };
}

static void decodeTrap(Decoder &, Opcode &, Instr &i) {
  i.run = [](Warp &warp, const Instr &i, uint32_t lanes) {
    warp.block->fail(Fault::Trap, i, warp,
                     static_cast<unsigned>(__builtin_ctz(lanes)),
                     "the kernel ends itself");
  };
}

static void decodeSleep(Decoder &decoder, Opcode &opcode, Instr &) {
  opcode.has("u32");
  decoder.source(Type::U32);
}

/// Hints: what they name has no effect here.
static void decodeHint(Decoder &decoder, Opcode &opcode, Instr &) {
  opcode.space();
  opcode.oneOf({"L1", "L2"});
  opcode.oneOf({"launch_dependents", "wait"});
  while (decoder.lex.peek() != ";" && !decoder.lex.peek().empty())
    decoder.lex.next();
}

Decode ptx::findControl(std::string_view name) {
  return name == "bra"                                    ? decodeBranch
         : name == "brx"                                  ? decodeIndexedBranch
         : name == "call"                                 ? decodeCall
         : name == "ret" || name == "exit"                ? decodeReturn
         : name == "bar" || name == "barrier"             ? decodeBarrier
         : name == "membar" || name == "fence"            ? decodeFence
         : name == "trap" || name == "brkpt"              ? decodeTrap
         : name == "nanosleep"                            ? decodeSleep
         : name == "prefetch" || name == "griddepcontrol" ? decodeHint
                                                          : nullptr;
}
