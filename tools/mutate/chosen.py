"""Mistakes in the forming and sharing of kernels that were chosen: what one would get wrong.

By file: what is wrong, an expression or statement that the file has once, and what stands there instead.
Where more has to be said to find it, « and » stand around it. planted.py plants these mistakes with those
of source.py, which nobody chose.
"""

from __future__ import annotations

import chosen_kernels

CHOSEN: dict[str, list[tuple[str, str, str]]] = {
    **chosen_kernels.CHOSEN,
    "DropDeadBuffers": [
        ("what is copied is written", "&use == &copy.getTargetMutable()", "true"),
        ("one of two results is enough", "linalgOp.getNumDpsInits() == 1", "true"),
        ("views are not looked at", "!collectWriters(user->getResult(0), ops)", "false"),
    ],
    "ReadByLoops": [
        ("what a loop writes is packed before it", "«mayWrite(loop, root)» ||", "false"),
    ],
    "TileEmitter": [
        ("items add to one place", "&& «plan.outer[0].c != 0»;", "true"),
        ("a loop that stays in C is moved out", "&& «dim.dim.c != 0» &&", "true"),
        ("vectors are moved out", "«&dim != &plan.columns.back()»)\n        return &dim;", "true"),
        ("parts lie one row apart", "*stride *= «size»;", "1"),
        ("parts are as large as the whole", "widest->dim.size = «size»;", "size * parts"),
        ("a part is missing", "outer.size = «parts»;", "parts - 1"),
        ("parts do not divide", "if («dim.dim.size % n == 0») {", "true"),
        ("loops around a buffer of C are moved", "«!plan.bufferC»)\n    moveLoopOut();", "true"),
        ("the item is not moved to", "moved(start, plan.outer[0], {«item», 0})", "mem.constant(0)"),
    ],
    "MemoryRoots": [
        ("what may be any buffer is passed", "conflict |= «unknown» ||", "false"),
        (
            "values that loops carry are buffers",
            "return root.getDefiningOp<memref::AllocOp>() != nullptr;",
            "return true;",
        ),
    ],
    "PlanMemory": [
        (
            "all workers have the first slot",
            "kernel.getArgument(first + 2)",
            "Value(arith::ConstantIndexOp::create(b, loc, 0))",
        ),
        ("the slot is the item's", "kernel.getArgument(first + 2)", "kernel.getArgument(first)"),
        (
            "slots are as large as the last kernel's",
            "workerBytes = std::max(workerBytes, plan->total);",
            "workerBytes = plan->total;",
        ),
        ("slots lie on other temporaries", "buffer.offset = fixed;", "buffer.offset = 0;"),
    ],
    "OutlineItems": [
        (
            "begins at the first item",
            "«last[0]», last[1], one",
            "Value(arith::ConstantIndexOp::create(b, loc, 0))",
        ),
        (
            "ends at the last item but one",
            "loop.getMixedUpperBound()[0]",
            "OpFoldResult(b.getIndexAttr(loop.getStaticUpperBound()[0] - 1))",
        ),
        ("what prints is shared", "isa<PrintOp, CheckOp, PollOp, EndOp>(op)", "false"),
    ],
    "OutlineLoops": [
        ("writes before the loop are not looked at", "!isLoad && !isMemoryEffectFree(op)", "false"),
        ("loads that others use go along", "op->hasOneUse()", "true"),
        (
            "what comes between is not looked at",
            "isPart ? !onlyComputes(op) : !isMemoryEffectFree(op)",
            "false",
        ),
        ("loops of kernels", "!function->hasAttr(kKernel)", "true"),
        ("what others make of results is left", "«addUsers(op);»\n  }", ";"),
    ],
    "SharedCode": [
        ("what overlaps is said not to", "if («apart»)", "true"),
        ("arguments of functions are apart", "!function.isPrivate()", "true"),
        (
            "offsets are those of the first",
            "member.roots[i].first != first.roots[i].first",
            "false",
        ),
        ("offsets of the begin", "b, loc, «root.first»));", "int64_t(0)"),
        ("slices have one offset", "relative != 0", "false"),
        (
            "distances of slices are not compared",
            "x.offset - roots[x.root].first != y.offset - other.roots[y.root].first",
            "false",
        ),
        ("roots are not compared", "x.root != y.root", "false"),
        (
            "strides are not compared",
            """x.type().getStridesAndOffset().first !=
            y.type().getStridesAndOffset().first""",
            "false",
        ),
        ("fixed offsets are not compared", "(x.isFixed && x.first != y.first)", "false"),
        (
            "constants are not compared",
            "llvm::all_of(llvm::zip_equal(repeated, other.repeated), areSame)",
            "true",
        ),
    ],
    "EqualCode": [
        ("operands are not compared", "!arePaired(x->getOperands(), y->getOperands())", "false"),
        ("values of constants are not compared", "constant == other", "true"),
        (
            "attributes are not compared",
            "x->getRawDictionaryAttrs() != y->getRawDictionaryAttrs()",
            "false",
        ),
        (
            "properties are not compared",
            """!x->getName().compareOpProperties(x->getPropertiesStorage(),
                                        y->getPropertiesStorage())""",
            "false",
        ),
        ("regions are not compared", "!isSame(mine, other)", "false"),
    ],
    "LaunchKernels": [
        (
            "arguments in another order",
            "member(b, loc, kernel, body->getArgument(0), «i»)",
            "kernel.frame.getBody().size() - 1 - i",
        ),
        (
            "every call begins at the first item",
            "args[kernel.range] = «body->getArgument(1)»;",
            "constant(b, loc, i64, 0)",
        ),
        (
            "every call ends after one item",
            "args[kernel.range + 1] = «body->getArgument(2)»;",
            "Value(LLVM::AddOp::create(b, loc, body->getArgument(1), constant(b, loc, i64, 1)))",
        ),
        (
            "all are the first worker",
            "LLVM::ZExtOp::create(b, loc, i64, «body->getArgument(3)»)",
            "constant(b, loc, i32, 0)",
        ),
        (
            "one worker's memory is fixed",
            'bytesOf("cell.arena_bytes") - each',
            'bytesOf("cell.arena_bytes")',
        ),
    ],
    "Epilogue": [
        ("the product is read at other places", "access.strides != c.strides", "false"),
        (
            "rows of other values have any stride",
            "stride == 1 || (stride == 0 && !isOutput)",
            "true",
        ),
        (
            "dimensions that are one for the product are so for all",
            "access->strides[*next] != aligned[d] * covered",
            "false",
        ),
        ("positions are those in the tile", "op.hasIndexSemantics()", "false"),
    ],
    "AccumulateProducts": [
        (
            "the product begins with anything",
            "matchPattern(fill.getInputs()[0], m_AnyZeroFloat())",
            "true",
        ),
        ("it is added to anything", "!addsToResult(sum)", "false"),
        ("a term is elsewhere in what is added to", "rootOf(value) == rootOf(result)", "false"),
        ("the other term goes", "«addition.getLhs() == argument»", "addition.getRhs() == argument"),
        ("it is added once for all uses", "argument.hasOneUse()", "true"),
        ("in any order", "return «map.isIdentity()»;", "map.isPermutation()"),
        ("another op needs it", "if (sum)\n        «return;»", "continue;"),
        ("blocks are added one by one", "planGemm(shape, *target).depthBlock >= shape.k", "true"),
        ("what is between is not looked at", "use.conflictsWith(op)", "false"),
        ("a factor is what is added to", "rootOf(input) == root", "false"),
    ],
    "SumOfPads": [
        ("parts in any order", "a.getLow()[*dim] < b.getLow()[*dim]", "false"),
        ("parts overlap and leave gaps", "pad.getLow()[*dim] != end", "false"),
        ("the end is missing", "end != type.getDimSize(*dim)", "end > type.getDimSize(*dim)"),
        ("sums that others need", "!inner->hasOneUse()", "false"),
        ("zeros between elements", "pad.getInterior()[dim] != 0", "false"),
        ("zeros along two dimensions", "if («found»)\n      return std::nullopt;", "false"),
    ],
    "FormEpilogues": [
        ("an epilogue writes the product's factors", "rootOf(input.memref) == root", "false"),
        (
            "sums are complete after every block",
            "!completesTiles(shape, planGemm(shape, *target))",
            "false",
        ),
        (
            "a product moves past what writes its factors",
            "if («use.conflictsWith(op)»)\n        return op;",
            "isa<linalg::GenericOp>(op) && "
            "llvm::is_contained(op->getOperands(), product.getDpsInits()[0])",
        ),
    ],
    "EmitGemm": [
        ("nobody else reads the product", "!isUsedOnlyBy(c.memref, ends)", "false"),
        ("the epilogue stays at the first item", "tiles->moveTo(dim, item);", ";"),
    ],
    "GemmPlan": [
        (
            "rows wait for nobody where B is packed",
            "«!plan.packB» && plan.depthBlock < shape.k",
            "true",
        ),
        (
            "... where sums are of blocks",
            "«sum.blocks.empty()» &&\n                   shape.k",
            "true",
        ),
    ],
    "GemmRows": [
        ("a row is left over", "int64_t rows = «1»; rows < last", "2"),
        (
            "rows left over are the first",
            "arith::SubIOp::create(b, loc, count, left)",
            "mem.constant(0)",
        ),
        ("all blocks read the first rows", "moved(problem.a, «first», depth)", "FlatIndex{}"),
        ("all blocks write the first rows", "moved(target.c, «first», {})", "FlatIndex{}"),
        (
            "blocks are of as many rows as there are",
            "arith::MinUIOp::create(b, loc, left, size)",
            "left",
        ),
    ],
    "GemmPacking": [
        ("the first halves of rows come twice", "low.back() + «lanes / 2»", "0"),
        ("rows alternate with their neighbours", "vectors[i + «rows / 2»]", "1"),
    ],
    "GemmEmitter": [
        ("each block of rows is all of them", "emitRows(«*rowItem»)", "known(0)"),
        ("the last block of a batch is as long as others", "if («!problem.depth»)", "true"),
        (
            "epilogues run after the first block of the sum",
            "(llvm::divideCeil(shape.k, plan.depthBlock) - 1) * plan.depthBlock",
            "int64_t(0)",
        ),
        (
            "rest rows have no epilogue",
            "emitEpilogue(block, known(fullRows), {rest, {}}, cBlock, depth);",
            ";",
        ),
        (
            "all parts are as long as the first",
            "arith::SubIOp::create(b, loc, end.var, begin.var)",
            "mem.constant(total / parts)",
        ),
        ("the first part has the rest", "mem.constant(parts - 1)", "mem.constant(0)"),
        (
            "parts are cut in equal steps",
            "if («total % parts == 0»)\n    return mem.advance",
            "true",
        ),
        (
            "sums of parts are added to nothing",
            "addTo(block, partialOf(item), targets.back().c);",
            ";",
        ),
        (
            "sums of parts lie on each other",
            "mem.advance({}, item, size)",
            "FlatIndex()",
        ),
        (
            "every part of the sum starts at the first",
            "mem.advance({}, item, trips * plan.depthBlock)",
            "FlatIndex{mem.constant(0), 0}",
        ),
        (
            "packed blocks of k lie on each other",
            "mem.advance({}, depth, fullRows)",
            "FlatIndex()",
        ),
        (
            "columns of epilogues count from the block",
            "mem.advance(«block.column», j, width)",
            "decltype(block.column)()",
        ),
    ],
    "EpilogueEmitter": [
        (
            "the last vector is whole",
            "v + 1 == part.vectors ? part.active : plan.lanes",
            "plan.lanes",
        ),
    ],
    "OutlineKernels": [
        (
            "products with other epilogues are one",
            "(!a.epilogue || code.isSame(a.epilogue, b.epilogue))",
            "true",
        ),
        (
            "reshapes stay outside of the function",
            "«candidate.definitions.insert(def);»\n  } else if",
            ";",
        ),
    ],
    # See residency.py.
    "TensorBuffer": [
        ("what was copied to a device stays valid", "deviceIsValid = «!isSeenOnHost()»;", "true"),
        ("what was copied to the host stays valid", "hostIsValid = «!sharedOn()»;", "true"),
        (
            "nothing is copied twice to a device",
            "if («!deviceIsValid») {\n    device.upload",
            "false",
        ),
        ("all is copied to a device", "if («!deviceIsValid») {\n    device.upload", "true"),
        ("views are not looked at", "borrowsOnHost() || lent != 0", "borrowsOnHost()"),
        ("borrowed memory is not looked at", "borrowsOnHost() || lent != 0", "lent != 0"),
        ("writes are not copied back", "if («isSeenOnHost()») {\n    read();", "false"),
        ("what was written back stays valid", "read();\n    «deviceIsValid = false;»\n  }", ";"),
        (
            "the host has what a device wrote",
            "writtenOnDevice() const {\n  «hostIsValid = false;»",
            ";",
        ),
        ("a device has what the host writes", "read();\n  «deviceIsValid = false;»\n  return", ";"),
        ("the host has what others write", "lendOnDevice() const {\n  «hostIsValid = false;»", ";"),
        ("a device is left without a look", "if (place != &device) {\n    «read();»\n", ";"),
        ("any device is the same", "if («place != &device»)", "!place"),
        ("the host writes what others share", "const Device *device = «sharedOn()»", "nullptr"),
        ("memory of others is freed", "if («!borrowsOnDevice»)", "true"),
        ("lent memory of a device is forgotten", "++lentOnDevice;", ";"),
        ("copies are of the host's memory", "copy() const {\n  if («!deviceIsValid»)", "true"),
        ("copies are of the device's memory", "copy() const {\n  if («!deviceIsValid»)", "!place"),
    ],
    # See batches.py.
    "SampleRules": [
        ("rows of different samples meet in an op", "joined(*all, shareOf(operand))", "all"),
        (
            "reshapes make the batch the first dimension",
            "Share share = «shareOf(reshape.getX())»;\n  if (share.kind == Share::Alike)",
            "Share{Share::Known, 1}",
        ),
        (
            "the batch stays where it is in a transpose",
            "moved(x, «llvm::find(perm, placeOf(x).dim) - perm.begin()»)",
            "placeOf(x).dim",
        ),
        (
            "dimensions that are added up still count",
            "dim - llvm::count_if(dims, [&](int64_t d) { return d < dim; })",
            "dim",
        ),
        (
            "a product along the batch needs no same rows",
            "auto before = sameBefore(a, b);\n  if («!before»)",
            "false",
        ),
        ("tables may begin with anything", "!scatter.adds() || «!isZero(x)»", "false"),
        (
            "all constants are zero",
            "return splat.getSplatValue<APFloat>().isZero();",
            "return true;",
        ),
        ("a maximum is a sum", "reduces(«Combine::Max»)", "Combine::Add"),
        ("slices take any samples", "first % group != 0", "false"),
        ("groups have parts of the samples", "filters.before % groups == 0", "true"),
        ("rows of a matrix are samples", "found.dim >= rank - 2", "false"),
    ],
    "SampleFlow": [
        ("sums begin with one", "FloatAttr::get(element, «0.0»)", "1.0"),
        (
            "the largest element begins with zero",
            "combine == Combine::Max || combine == Combine::Min",
            "false",
        ),
        ("infinities have the other sign", "/*Negative=*/«!largest»", "largest"),
        ("parts are not added up", "return AddOp::create(b, loc, a, other);", "return other;"),
        ("a loop's sums may begin with anything", "b.kind == Share::Shared && «bIsZero»", "true"),
        ("loops are looked at once", "shares[arg] = *met;\n      «changed = true;»", ";"),
    ],
    "OpenBatch": [
        ("ranks meet once a tile", "needsAllRanks(op)", "false"),
    ],
    "SumPhases": [
        (
            "ranks do not agree on a program",
            "!groups.empty() && !conditions.empty()",
            "false",
        ),
        ("ranks of several groups agree in one", "groups.size() > 1", "false"),
        ("sums are there in their own phase", "needed[op] - «endsPhase(value)»", "0"),
        (
            "what follows from a sum is before it",
            "phaseOf.lookup(source) + «endsPhase(value)»",
            "0",
        ),
        (
            "there is one phase",
            "phase = std::max(phase, first.lookup(source) + «endsPhase(value)»",
            "0",
        ),
        (
            "checks are dropped",
            "!isMemoryEffectFree(op) && !isa<StashEmptyOp>(op))\n      «need(op);»",
            ";",
        ),
        (
            "programs for a size are for less, too",
            "compare(«arith::CmpIPredicate::eq», one.first",
            "arith::CmpIPredicate::sle",
        ),
        ("one sample more is kept", "arith::CmpIPredicate::sle, «mostKept»", "mostKept + 1"),
        (
            "sums are before what they need",
            "phaseOf[op] = «first[op]»;",
            "first[op] ? first[op] - 1 : 0",
        ),
        ("what was kept is kept for good", "«made.clear();»", ";"),
        ("large batches have products of rows", "kept.clear();\n    «rowProducts.clear();»", ";"),
        ("samples behind others are kept", "share.outer == 1", "true"),
        ("what is kept is of other values", "mayBe && «!repeats»", "true"),
        ("Parameters are updated between phases", "waits ? last + 1 : 0", "0"),
        (
            "the last part is as the others",
            "arith::SelectOp::create(b, loc, isLast, left, each)",
            "each",
        ),
        (
            "all parts begin with the first sample",
            "arith::MulIOp::create(b, loc, part, each)",
            "zero",
        ),
        ("a sample is left alone", "std::max<int64_t>(1, ofPart / 8)", "0"),
        (
            "layers are there at once",
            "rowProducts.lookup(result.getOwner()) == RowProduct::Each",
            "false",
        ),
    ],
    "RankChoice": [
        ("one of the ranks decides", 'b.getStringAttr("min")', 'b.getStringAttr("max")'),
    ],
    "RowProducts": [
        (
            "a sample has one row",
            "«batchDimOf(op.getLhs().getType(), batch).count»;\n  auto rowsOf",
            "1",
        ),
        ("samples behind others are multiplied", "«share.outer == 1» &&", "true"),
        ("all parts begin with the first sample", "offsets[0] = rowsOf(samples.begin);", ";"),
        (
            "what is kept has all of the batch",
            "samples.begin && «batchDimOf(type, batch).dim == 0»",
            "true",
        ),
        ("no weights are turned", "each && op.getTransposeB()", "false"),
    ],
    "TileLoops": [
        ("a sample has one row", "if («ofSample > 1»)", "false"),
        (
            "all parts are the first",
            "«first ? arith::AddIOp::create(b, loc, first, tileAt) : tileAt»",
            "tileAt",
        ),
        (
            "what is kept has all of the batch",
            "«batchDimOf(whole, batch).dim == 0» ? inBatch",
            "true",
        ),
        ("rows are counted twice", "if («once» || !mayOverlap(tile))", "false"),
        (
            "short numbers are added as they are",
            "number.getWidth() >= 32",
            "number.getWidth() >= 1",
        ),
        (
            "all tiles begin with the first sample",
            "b, loc, begin,\n        «arith::MulIOp::create(b, loc, loop.getInductionVar(), step)»",
            "zero",
        ),
    ],
    "TileBatch": [
        ("numbers are those of the stand-in", "evaluateForms(copy, rows);", ";"),
        ("what has rows is no batch", "return batch.hasRows(type);", "return false;"),
        (
            "what was captured is no size's program",
            "sizeOfProgram(entry, given, batch) == «rows»",
            "-1",
        ),
        (
            "files have a size's program after derivatives",
            "sizeOfProgram(entry, given, batch) == «batch.size»",
            "-1",
        ),
        ("a size's program has the batch", "entry.getArgAttrDict(«i + 1»)", "i"),
    ],
    "BatchPrograms": [
        ("there is no size's program", "known(«batch.often»)", "ArrayRef<int64_t>()"),
    ],
    "BySize": [
        (
            "a size's arena is that of a tile",
            "std::max(fixed, «one->spec.arenaBytes - one->spec.slotBytes»)",
            "int64_t(0)",
        ),
        ("a size's program is for one more", "b.getI64IntegerAttr(«one->size»)", "one->size + 1"),
        ("a size's program may take other buffers", "if («!takesTheSame(entry, *one)»)", "false"),
    ],
    "NestPlan": [
        ("a size's parts are planned as a whole", "function->hasAttr(kBatchTiles)", "false"),
        ("a size's whole is planned as a part", "function->hasAttr(kBatchTiles)", "true"),
        (
            "one sample's sum has lanes of its own",
            "vectorises && sumsInOneLane(loops, target)",
            "false",
        ),
        (
            "rows are cut where parts are no whole vectors",
            "size % (parts * plan.lanes) == 0",
            "true",
        ),
    ],
    "NestEmitter": [
        ("the last item is left out", "b.getIndexAttr(«size / step»)", "size / step - 1"),
        ("items are at a distance of one", "mem.advance({}, {item, 0}, «step»)", "1"),
        ("a part of a row is as long as the row", "size = «part»;", "whole"),
        ("there are items in items", "std::exchange(sharedNanoseconds, 0)", "sharedNanoseconds"),
        ("short nests are shared", "nanoseconds >= fewestNanoseconds", "true"),
        ("steps that write to one place are items", "«isApart» && nanoseconds", "true"),
        ("items are cut again", "!op->getParentOfType<scf::ForallOp>()", "true"),
    ],
    "DynamicBatch": [
        ("limits of slices stay", "if (extent < 0 && limit == -1)\n        «limit = size;»", ";"),
        ("the stand-in may be a size", "extent > 0 && extent % size == 0", "false"),
        (
            "no other sizes are looked at",
            "openBatch(module, *batch, «captures»)",
            "std::vector<Captured>()",
        ),
    ],
    "BatchForms": [
        (
            "two sizes are enough",
            "«fits(form, samples)»)\n      return form;",
            "fits(form, ArrayRef(samples).take_front(2))",
        ),
        (
            "forms are of one sample more",
            "static_cast<double>(size)",
            "static_cast<double>(size + 1)",
        ),
        (
            "numbers are those of the stand-in",
            "below = «linear(r, s)»;",
            "number(r * 65521 + s)",
        ),
    ],
}
