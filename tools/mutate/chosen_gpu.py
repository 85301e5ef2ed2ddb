"""Mistakes in the lowering for GPUs that were chosen, in the form of chosen.py; planted_gpu.py plants them."""

from __future__ import annotations

CHOSEN: dict[str, list[tuple[str, str, str]]] = {
    "EmitNests": [
        ("a fill is no start", "fill ? fill.getInputs()[0] : Value()", "Value()"),
        (
            "starts of other outputs",
            "starts.push_back(fill ? fill.getInputs()[0] : Value());",
            "starts.insert(starts.begin(), fill ? fill.getInputs()[0] : Value());",
        ),
        (
            "every block is the only one",
            "ThreadBlock block(kernel, plan.threads, «plan.blocks»)",
            "1",
        ),
    ],
    "PlanGrid": [
        (
            "rows end with a whole access",
            "nest.rank() > 1 && nest.sizes.back() % lanes != 0",
            "false",
        ),
        (
            "what is left has no threads",
            "results / plan.lanes + results % plan.lanes",
            "results / plan.lanes",
        ),
        (
            "blocks are rounded down",
            "llvm::divideCeil(results, plan.threads / members)",
            "std::max<int64_t>(1, results / (plan.threads / members))",
        ),
        (
            "what is not combined is shared",
            "depth == 1 || «llvm::any_of(findCombiners(nest),\n"
            "                                 [](const Combiner &c) { return !c.op; })»",
            "false",
        ),
        ("reductions are accessed widely", "nest.rank() == 0 || «nest.hasReduction()»", "false"),
    ],
    "NestCode": [
        ("views begin where accesses do", "(begin + access.offset) % lanes == 0", "true"),
        (
            "rows begin where accesses do",
            "llvm::all_of(ArrayRef(access.strides).drop_back(),\n"
            "                      [&](int64_t stride) { return stride % lanes == 0; })",
            "true",
        ),
        (
            "neighbours are those in memory",
            "access.isScalar() || «access.strides.back() != 1»",
            "false",
        ),
        ("what starts as a constant is loaded", "if («!started» && isWide", "true"),
        ("all lanes read what the first one does", "access(i).strides[last] == 0", "true"),
        (
            "lanes are written in reverse",
            "values.push_back(result[o]);",
            "values.insert(values.begin(), result[o]);",
        ),
        (
            "all lanes write what the first one does",
            "storeOutput(o, «results[lane][o]», places[lane]);",
            "results[0][o]",
        ),
        (
            "all lanes write where the first one does",
            "storeOutput(o, results[lane][o], «places[lane]»);",
            "places[0]",
        ),
        (
            "all lanes have the first one's position",
            "run(«places[lane]», loaded[lane])",
            "places[0]",
        ),
        (
            "positions are of the op's loops",
            "nest.dimOfLoop[index.getDim()]",
            "int64_t(index.getDim())",
        ),
        (
            "half precision is added up as it is",
            "accumulatorElement(nest.outputs[output].elementType(),\n"
            "                            combiners[output])",
            "nest.outputs[output].elementType()",
        ),
    ],
    "SpreadNest": [
        (
            "every part begins with what is there",
            "nothing.push_back(code.neutral(a));",
            "nothing = code.load(pos);",
        ),
        (
            "what no part has is left out",
            "Values partial = sumLoop(plan, members, nothing, stepAt);\n  if («rest == 0»)",
            "true",
        ),
        ("what no part has is the beginning", "{Value(), «trips * members»}", "int64_t(0)"),
        (
            "all lanes write the result",
            "onlyIf(isBelow(block.lane(), 1), [&] { finish(pos, totals); });",
            "finish(pos, totals);",
        ),
        (
            "all threads write the result",
            "onlyIf(block.isFirst(), [&] { finish(pos, totals); });",
            "finish(pos, totals);",
        ),
        (
            "parts are overwritten while they are read",
            "results > block.count(Team::Block)",
            "false",
        ),
        ("the rest of a row begins at its number", "{later, «wide * lanes»}", "wide"),
        (
            "positions count accesses",
            "column, «code.memory().constant(lanes)»",
            "code.memory().constant(1)",
        ),
        (
            "blocks of a sum forget what they continue",
            "combine(b, loc, code.combiner(a), values[a], total)",
            "total",
        ),
        ("what is there is forgotten", "code.combine(code.load(pos), totals)", "Values(totals)"),
        (
            "warps share what is not combined",
            "!nest.hasReduction() || «!code.combinesAll()» || depth == 1",
            "false",
        ),
    ],
    "ThreadBlock": [
        ("warps are counted as threads", "create(b, loc, «count(team) / blocks»)", "threads"),
        ("half of the lanes are combined", "distance = «kWarp / 2»", "kWarp / 4"),
        ("results share their slots", "known[{word, «which»}]", "0u"),
        ("parts are read before they are there", "gpu::BarrierOp::create(b, loc);", ";"),
        ("an odd part is left out", "parts.size() % 2", "false"),
    ],
    "GridNest": [
        ("what may be any buffer is one", "if («!apart»)", "false"),
        ("others read what is filled", "uses[rootOf(out)] == 1", "true"),
        ("every output has places", "!map.isProjectedPermutation()", "false"),
        ("reductions may move in the output", "sizes[loop] != 1 && «moves != isParallel»", "false"),
    ],
    "OutlineDeviceKernels": [
        (
            "polls are the kernels'",
            "isa<CheckOp, PrintOp, PollOp, EndOp, RankLoadOp>(op)",
            "isa<CheckOp, PrintOp, EndOp, RankLoadOp>(op)",
        ),
        (
            "kernels give buffers",
            "llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>)",
            "false",
        ),
        ("blocks may need the host", "!known || «!computes» ||", "false"),
        (
            "blocks may be in blocks",
            "!computes || «loop->getParentOfType<scf::ForallOp>()»",
            "scf::ForallOp()",
        ),
        (
            "the host has loads that the kernel uses",
            "needed.contains(op) && «!ownsUse(op)»",
            "true",
        ),
        (
            "the last one that uses a buffer owns it",
            "user == -2 || user == group ? group : -1",
            "group",
        ),
        ("blocks own buffers", "user >= 0 && «!groups[user].blocks()»", "true"),
        ("blocks of nests own buffers", "&& «!groups[user].isNest» &&", "true"),
        (
            "kernels own what lives on",
            "groups[user].ops.front()->getBlock() == alloc->getBlock()",
            "true",
        ),
        ("loads stay before the kernel", "(«isa<memref::LoadOp>(op)» ||", "false"),
        ("what is made of late values is early", "late.contains(operand)", "false"),
        (
            "nests have the ops before them",
            "close();\n      «group.ops = brought.lookup(&op);»",
            ";",
        ),
    ],
    "SplitReductions": [
        (
            "zero is neutral",
            "«combiners[o].neutral»);\n    Type element",
            "cast<TypedAttr>(b.getZeroAttr(combiners[o].neutral.getType()))",
        ),
        ("what fills no part is left out", "writeParts();\n    if («rest»)", "false"),
        (
            "what fills no part is the beginning",
            "slice(operand->get(), *place, «cut.parts * cut.size», rest)",
            "int64_t(0)",
        ),
        ("what fills no part is in the last one", "slice(all, 0, «cut.parts», 1,", "cut.parts - 1"),
        (
            "what is there is forgotten",
            "combine(inner, loc, combiner, args[1], args[0])",
            "args[0]",
        ),
        (
            "what is there is forgotten where parts are wider",
            "combine(inner, loc, combiner, old, args[0])",
            "args[0]",
        ),
        (
            "parts in half precision",
            "accumulatorElement(type.getElementType(), combiner)",
            "type.getElementType()",
        ),
        ("windows are cut", "if («walks != (itself ? 1 : 0)»)", "false"),
        ("parallel loops are cut", "kind == utils::IteratorType::reduction", "true"),
        (
            "what is not combined is cut",
            "llvm::any_of(combiners, [](const Combiner &c) { return !c.op; })",
            "false",
        ),
        ("positions are those in a part", "linalgOp.hasIndexSemantics()", "false"),
        ("ops of blocks are cut", "!op->getParentOfType<scf::ForallOp>()", "true"),
        (
            "the parts are not cleared",
            "outputs.push_back(«cleared(slice(all, 0, 0, cut.parts), o)»);",
            "slice(all, 0, 0, cut.parts)",
        ),
    ],
    "EmitProgram": [
        (
            "nothing is between two nests",
            "«wait(read || written || stored);»\n        spreadNest",
            "wait(read || stored);",
        ),
        (
            "a value is read before nests have written it",
            "«wait(written || stored);»\n        read",
            "wait(stored);",
        ),
        ("a value is stored before all have read it", "wait(read || written);", "wait(written);"),
        ("all threads store", "storeByOne(store);", ";"),
        (
            "nothing waits where control goes",
            "«wait(read || written || stored);»\n        for",
            ";",
        ),
        (
            "steps of blocks are counted the other way",
            "«arith::RemUIOp::create(b, loc, rest, size)»",
            "arith::RemUIOp::create(b, loc, number, size)",
        ),
        ("blocks do what stands beside them", "if («!alone» ||", "false"),
    ],
    "ProgramMemory": [
        (
            "buffers begin anywhere",
            "llvm::alignTo(type.getNumElements() * (bits / 8), alignment)",
            "type.getNumElements() * (bits / 8)",
        ),
        ("no shared memory is left for slots", "kSharedBytes - kSlotBytes", "kSharedBytes"),
        (
            "blocks have one scratch",
            "arith::MulIOp::create(b, loc, block, «index(memory.scratchBytes)»)",
            "index(0)",
        ),
        ("temporaries have one place", "index(temporary.offset)", "index(0)"),
        ("what may be another buffer is shared memory", "return std::nullopt;", ";"),
    ],
    "HostProgram": [
        ("an error of the runtime is passed over", "EndOp::create(b, loc, ok, status);", ";"),
        (
            "extents of blocks and grid are exchanged",
            "words(«*function.getKnownGridSize()», 0)",
            "*function.getKnownBlockSize()",
        ),
        ("buffers are printed from one place", "member(loc, memory, «offset»)", "0"),
        ("stashes are written before they are loaded", "b.setInsertionPointAfter(op);", ";"),
        ("strides are passed over", "index(stride)", "index(1)"),
        ("kernels have the first one's number", "constant(loc, i32, «kernel.number»)", "0"),
    ],
    "LendScratch": [
        (
            "scratch of one block",
            "MemRefType::get(«scratch.getShape()», scratch.getElementType())",
            "ArrayRef<int64_t>{1}",
        ),
    ],
    "DeviceKernel": [
        ("constants are aligned as their elements", "global.setAlignment(kWidestAccess);", ";"),
        ("scratch of one block", "shape.blocks * shape.scratchBytes", "shape.scratchBytes"),
    ],
}
