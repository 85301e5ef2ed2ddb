"""Mistakes in the forming of kernels that were chosen, in the form of chosen.py, which has them as well."""

from __future__ import annotations

CHOSEN: dict[str, list[tuple[str, str, str]]] = {
    "FlatMemory": [
        ("one lane more counts as placed", "/ stride + «1»);", "2"),
        ("the last vector ends late", "starts.back() + lanes, span - «lanes»)", "lanes + 1"),
        ("lanes of the first vector come later", "placed == 0 && element < «lanes»)", "lanes / 2"),
        ("lanes that are off hold elements", "lane < «active»; ++lane)\n    order[lane]", "lanes"),
    ],
    "ChainSums": [
        ("the loop multiplies", "«isa<AddOp>(user)» ||", "isa<AddOp, MulOp, GuardOp>(user)"),
        ("what is set is added", "(scatter && «scatter.adds()»", "true"),
        ("the loop starts from anything", "«!isZero(init.get())»", "false"),
        ("another value of the loop", "yield && «yield->getOperandNumber() == position»", "true"),
    ],
    "SumBehindLoops": [
        ("the sum is carried on as another", "«use.getOperandNumber() == i» ? terms", "true"),
        (
            "what the sum began with is lost",
            "«!matchPattern(rest, m_PosZeroFloat()) &&",
            "false &&",
        ),
        ("rows of the last trip, for all", "«loop.getInductionVar()»)", "loop.getLowerBound()"),
        ("products that others read", "«!product->hasOneUse()» ||", "false"),
        ("sums along columns", "«product.getTransposeB()» ||", "false"),
    ],
    "StraightenProducts": [
        ("weights that the loop writes", "«isFixedIn(loop, matrix->get())» &&", "true"),
        ("weights that are stored by input", "«product->isTransposed» &&", "true"),
        ("the copy of another loop", "try_emplace({«loop», matrix", "nullptr"),
    ],
    "KernelGroup": [
        (
            "other views are not looked at",
            "isUsed && view->second != use.buffer && (use.writes || written)",
            "false",
        ),
        (
            "a later view hides an earlier one",
            "view->second = Value();",
            "view->second = use.buffer;",
        ),
        ("sums are read in the loop", "reduced.contains(use.buffer)", "false"),
        ("sums are of what others touch", "return !isUsed;", "return true;"),
        (
            "sums of loops are of what others touch",
            "!isUsed || addedUp.contains(use.buffer)",
            "true",
        ),
        ("a sum is of any loop", ": «cellgrad::addsUpInLoop(op)»", "true"),
        (
            "sums of products that waited for no product",
            "limits.inOrder ? «size <= limits.rowsInOrder»",
            "true",
        ),
        ("any sum is added up in order", "!(«addsUp» && limits.inOrder)", "true"),
        (
            "a product of other items",
            "op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);\n  });\n}\n\nbool mayBeOfItems",
            "true;\n  });\n}\n\nbool mayBeOfItems",
        ),
        (
            "the epilogue is in another group",
            "if (!both.addAlone(op) ||\n      «!both.addAlone(cast<linalg::LinalgOp>(epilogue.getOperation()))»)",
            "false",
        ),
        ("what is written is read as a whole", "return !use.writes && !written;", "return true;"),
        (
            "what is read as a whole is written",
            "shared.contains(use.buffer) && (use.writes || written)",
            "false",
        ),
        (
            "items of a buffer along two dimensions",
            "return found == sliced.end() || found->second == *use.position;",
            "return true;",
        ),
        (
            "what may be any buffer is one",
            "!isKnownRoot(root)",
            "false",
        ),
        ("positions along the rows", "index.getDim() == dim", "false"),
        ("parts of half precision", "type.getIntOrFloatBitWidth() < 32", "false"),
        ("what is not combined once", "!combinationOf(op, o).op", "!op"),
        (
            "an op reads what it writes elsewhere",
            "use.position != other.position))\n        «return false;»",
            ";",
        ),
        ("windows of rows", "expr != item || use.position", "false"),
        (
            "loads in a body are not looked at",
            "uses.push_back({load.getMemRef(), std::nullopt, false});",
            ";",
        ),
        ("what is read as a whole is local", "!shared.contains(buffer)", "true"),
        ("what others read is local", "return contains(user);", "return true;"),
        ("the fill stays where it is", "!contains(fill->second)", "false"),
    ],
    "FormKernels": [
        ("whatever is used waits anyway", "isUsedByOthers(group, out)", "true"),
        ("sums over inner rows are cut", "infinity(),\n        /*sums=*/«false»", "true"),
        (
            "sums of samples depend on their number",
            "limits.isOfPart ? 0 : kMostRowsInOrder",
            "kMostRowsInOrder",
        ),
        ("items have one temporary together", "offsets[0] = item;", ";"),
        ("deferred ops in another order", "later->moveBefore(after);", "later->moveAfter(last);"),
        ("nothing waits for what is deferred", "later.conflictsWith(op)", "false"),
        ("what depends on the group stays before it", "!waits && !group.isBefore(op)", "!waits"),
        ("a print is passed over", "!linalgOp && !isa<memref::CopyOp>(op)", "false"),
        ("a fill is that of another view", "found->second.getOutputs()[0] == operand", "true"),
        (
            "a product goes without its epilogue",
            "(epilogue && later.conflictsWith(epilogue))",
            "false",
        ),
        (
            "the epilogue's product stays before the group",
            "epilogue && group.isBefore(epilogue)",
            "false",
        ),
    ],
    "KernelWriter": [
        ("what is added to is written over", "!op.payloadUsesValueFromOperand(out)", "true"),
        ("what others read later is dead", "user->isBeforeInBlock(last)", "true"),
        ("a part is all", "op.getMatchingIndexingMap(out).isPermutation()", "true"),
        ("the slice is read again", "views[buffer] = tile;", ";"),
        (
            "zero is neutral",
            "combinationOf(member.op, output).neutral",
            "cast<TypedAttr>(b.getZeroAttr(getElementTypeOrSelf(sum.getType())))",
        ),
        (
            "one sum for all items",
            "slice(partials[out], 0, «part», 1, /*drop=*/true)",
            "OpFoldResult(b.getIndexAttr(0))",
        ),
        (
            "parts are combined twice",
            "    «combinePartials();»",
            "combinePartials(); combinePartials();",
        ),
        ("rest rows are left out", "if («tiling.rest»)", "false"),
        ("the last item has as many tiles as all", "tiling.tiles % tiling.tilesPerItem", "false"),
        (
            "items of half the rows",
            "int64_t size = «group.items()»;",
            "std::max<int64_t>(1, group.items() / 2 * 2)",
        ),
        (
            "rest rows add to the part of the last item",
            "sumsOf(b.getIndexAttr(«tiling.items»))",
            "tiling.items - 1",
        ),
        ("a step begins the sums of a loop anew", "!group.isAddedUpInLoop(out)", "true"),
        (
            "each step adds what all have added",
            "if («group.isAddedUpInLoop(out)»)\n            b.setInsertionPointAfter",
            "false",
        ),
        ("sums of a loop begin with anything", "if («isOfLoop»)\n            fillNeutral", "false"),
        ("a sum of several products is added as often", "!combined.insert(out).second", "false"),
        (
            "matrices are all the first",
            "Value &copy = transposed[«product->b->get()»];",
            "transposed.empty() ? product->b->get() : transposed.begin()->first",
        ),
        ("the rest is one row", "while («size % rows == 1»)", "false"),
    ],
    "RowProduct": [
        (
            "a transposed matrix is read as it was stored",
            "op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));",
            ";",
        ),
        (
            "weights change in the loop",
            "isBefore(loop, matrix) && «isOnlyRead(rootOf(matrix), loop)»",
            "true",
        ),
        ("a step reads the sum", "isOnlyAddedTo(rootOf(c), c, loop, product->getBlock())", "true"),
        (
            "a view of the sum is read",
            "!isOnlyAddedTo(user->getResult(0), c, loop, block)",
            "false",
        ),
        ("the sum is a factor", "!product.isDpsInit(&use)", "false"),
        (
            "rows are summed over whatever they are",
            "walksRows(a, c->first) && walksRows(b, c->second)",
            "true",
        ),
    ],
    "ZeroBorder": [
        ("whatever fills is zero", "matchPattern(fill.getInputs()[0], m_AnyZeroFloat())", "true"),
        ("nothing has to fill", "  «if (!isFilled)\n    return std::nullopt;»", ";"),
        ("what calls do to all of it is not looked at", "!onlyReads(user, memory)", "false"),
        ("other views are not looked at", "if («mayBeWritten(user->getResult(0))»)", "false"),
        ("the last element is left out", "*o + (*n - 1) * *s + 1", "*o + (*n - 1) * *s"),
        ("parts begin where the whole does", "range.low - *offset", "range.low"),
        ("parts end where the whole does", "range.high - *offset", "range.high"),
        ("only the last part counts", "std::min(inside.low, shown.low)", "shown.low"),
    ],
    "TileBorders": [
        (
            "one row less",
            "start.constant + rowMost + vectorMost < border.low",
            "start.constant + rowMost + vectorMost <= border.low",
        ),
        (
            "one row less above",
            "start.constant + rowLeast + vectorLeast >= border.high",
            "start.constant + rowLeast + vectorLeast + 1 >= border.high",
        ),
        (
            "begins one trip late",
            "border.low - start.constant - most + step - 1",
            "border.low - start.constant - most + step",
        ),
        (
            "ends one trip early",
            "border.high - 1 - start.constant - least + step",
            "border.high - 1 - start.constant - least",
        ),
        ("the least is the greatest", "return {«least», most};", "most"),
        ("the greatest is the least", "return {least, «most»};", "least"),
        (
            "later dimensions move nothing",
            "llvm::any_of(depth.drop_front(dim + 1), moves)",
            "false",
        ),
        ("a vector is one element", "step * (elements - 1)", "0"),
    ],
    "VectorMemory": [
        (
            "all parts are stored at the first",
            "ArrayRef<LLVM::GEPArg>{«int32_t(lane)»}",
            "int32_t(0)",
        ),
        ("the last lane is not stored", "«lane < *active»;", "lane + 1 < *active"),
        ("all parts are the first lanes", "llvm::seq(«lane, lane + lanes»)", "int64_t(0), lanes"),
    ],
    "ParallelizeLoops": [
        ("what is cut may move", "  «if (isInside(origin, loop))\n    return std::nullopt;»", ";"),
        (
            "slices overlap by one",
            "«std::abs(begin->factor) * step» < std::max<int64_t>(sizes[dim], 1)",
            "std::abs(begin->factor) * step + 1",
        ),
        ("any dimension is that one", "dim == other.dim", "true"),
        ("any shape is that one", "cut == other.cut", "true"),
        ("any part is that one", "origin == other.origin", "true"),
        ("any step is that one", "begin.factor == other.begin.factor", "true"),
        ("any place is that one", "begin.constant == other.begin.constant", "true"),
        ("one access in a slice is enough", "use.slice && use.allInSlice", "use.slice.has_value()"),
        ("steps between elements are forgotten", "(size - 1) * stride + 1", "size"),
        (
            "what comes from outside is of the step",
            "isInside(root, loop)",
            "root.getDefiningOp() != nullptr",
        ),
        ("down is up", "isa<arith::SubIOp>(op) ? -1 : 1", "1"),
    ],
    "JoinOps": [
        (
            "an op needs nothing",
            "«return chain.memory.conflictsWith(op);»\n    });\n    SmallVector",
            "return false;",
        ),
        (
            "nothing must come after",
            "isBefore(Operation *op) const {\n    «return llvm::any_of(chains, [&](const Chain &chain) {\n"
            "      return chain.memory.conflictsWith(op);\n    });»",
            "return false;",
        ),
        (
            "any order in an item",
            "llvm::sort(item.ops);",
            "llvm::sort(item.ops, std::greater<>());",
        ),
        ("memory of an op is forgotten", "memory.add(op);", ";"),
        (
            "the first op is the last",
            "last = std::max(last, item.ops.back());",
            "last = std::min(last, item.ops.back());",
        ),
    ],
}
