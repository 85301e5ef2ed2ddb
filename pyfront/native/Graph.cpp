//===- Graph.cpp - an MLIR module under construction from Python ----------===//

#include "pyfront/native/Graph.h"
#include "pyfront/native/Types.h"

#include "dialect/CellDialect.h"
#include "passes/batch/BatchPrograms.h"
#include "passes/batch/DynamicBatch.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstring>
#include <utility>

using namespace mlir;

namespace cellgrad::python {

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

Graph::Graph(const std::string &name) {
  ctx = std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  ctx->loadDialect<CellDialect, func::FuncDialect, scf::SCFDialect,
                   tensor::TensorDialect>();
  op = ModuleOp::create(UnknownLoc::get(ctx.get()), name);
}

std::shared_ptr<Graph> Graph::parse(const std::string &text) {
  auto graph = std::make_shared<Graph>("graph");
  DiagnosticText diagnostics(graph->context());
  graph->op = parseProgram(text, graph->context());
  if (!graph->op)
    throw GraphError(diagnostics.text());
  return graph;
}

std::vector<std::pair<std::string, std::string>>
Graph::include(const std::string &text) {
  DiagnosticText diagnostics(context());
  auto other = parseSourceString<ModuleOp>(text, context());
  if (!other)
    throw GraphError(diagnostics.text());
  SymbolTable own(module()), theirs(*other);
  std::vector<std::pair<std::string, std::string>> names;
  for (auto func : llvm::make_early_inc_range(other->getOps<func::FuncOp>())) {
    std::string before = func.getName().str(), after;
    // No name that Python gives has a full stop.
    for (unsigned i = 0;
         after.empty() || own.lookup(after) || theirs.lookup(after); ++i)
      after = before + "." + std::to_string(i);
    if (failed(theirs.rename(func, after)))
      throw GraphError("function '" + before + "' cannot be renamed");
    names.emplace_back(before, after);
  }
  for (auto func : llvm::make_early_inc_range(other->getOps<func::FuncOp>())) {
    func.setPrivate();
    func->removeAttr(func.getArgAttrsAttrName());
    func->removeAttr(func.getResAttrsAttrName());
    func->remove();
    module().push_back(func);
  }
  return names;
}

RankedTensorType Graph::type(const TensorSpec &spec) {
  for (int64_t size : spec.second)
    if (size < 0)
      throw GraphError("a tensor cannot have a dimension of size " +
                       std::to_string(size));
  return RankedTensorType::get(spec.second, elementType(context(), spec.first));
}

Location Graph::location(const std::optional<SourceLocation> &loc) {
  if (!loc)
    return UnknownLoc::get(context());
  Location line =
      FileLineColLoc::get(context(), loc->file, loc->line, loc->column);
  if (loc->name.empty())
    return line;
  return NameLoc::get(StringAttr::get(context(), loc->name), line);
}

std::vector<int64_t>
Graph::openBatch(int64_t size, int64_t max, const std::vector<int64_t> &often,
                 const std::vector<std::pair<int64_t, std::string>> &others) {
  std::string said;
  ScopedDiagnosticHandler handler(context(), [&](Diagnostic &diagnostic) {
    if (auto at = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      said +=
          at.getFilename().str() + ":" + std::to_string(at.getLine()) + ": ";
    said += diagnostic.str();
    return success();
  });
  OpenBatch batch{size, max, llvm::to_vector(often)};
  std::vector<OwningOpRef<ModuleOp>> owners;
  std::vector<Captured> captures;
  for (const auto &[samples, text] : others) {
    owners.push_back(parseSourceString<ModuleOp>(text, context()));
    if (!owners.back())
      throw GraphError(said);
    captures.push_back({samples, *owners.back()});
  }
  if (failed(cellgrad::openBatch(module(), batch, captures)))
    throw GraphError(said);
  bool adds =
      llvm::any_of(module().getOps<func::FuncOp>(), [&](func::FuncOp function) {
        return function.isPublic() && !keepsSamplesApart(function, batch);
      });
  auto sizes = sizesWithPrograms(batch, kBatchTileSizes, adds);
  return {sizes.begin(), sizes.end()};
}

void Graph::addBatchProgram(const std::string &text) {
  DiagnosticText diagnostics(context());
  FailureOr<std::optional<OpenBatch>> batch = readOpenBatch(module());
  auto program = parseSourceString<ModuleOp>(text, context());
  if (failed(batch) || !*batch || !program)
    throw GraphError(diagnostics.text());
  addBatchPrograms(module(), **batch, std::move(program));
}

std::string Graph::text(bool locations) {
  std::string out;
  llvm::raw_string_ostream os(out);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, /*prettyForm=*/false);
  module().print(os, flags);
  return out;
}

std::string Graph::bytecode(int64_t version) {
  std::string out;
  llvm::raw_string_ostream os(out);
  BytecodeWriterConfig config("cellgrad");
  config.setDesiredBytecodeVersion(version);
  if (failed(writeBytecodeToFile(module(), os, config)))
    throw GraphError("bytecode version " + std::to_string(version) +
                     " cannot be written");
  return out;
}

void Graph::verify() {
  DiagnosticText diagnostics(context());
  if (failed(mlir::verify(module())))
    throw GraphError(diagnostics.text());
}

void Graph::drop(func::FuncOp func) {
  func->remove();
  dropped.emplace_back(func);
}

std::string GraphValue::dtype() const {
  return elementName(getElementTypeOrSelf(value.getType()));
}

std::vector<int64_t> GraphValue::shape() const {
  return cast<RankedTensorType>(value.getType()).getShape().vec();
}

//===----------------------------------------------------------------------===//
// FunctionBuilder
//===----------------------------------------------------------------------===//

FunctionBuilder::FunctionBuilder(std::shared_ptr<Graph> graph,
                                 const std::string &name,
                                 const std::vector<ArgumentSpec> &args,
                                 bool isPublic)
    : graph(graph), builder(graph->context()) {
  if (SymbolTable::lookupSymbolIn(graph->module(), name))
    throw GraphError("the graph already has a function '" + name + "'");
  builder.setInsertionPointToEnd(graph->module().getBody());
  func = func::FuncOp::create(builder, graph->location({}), name,
                              builder.getFunctionType({}, {}));
  if (!isPublic)
    func.setPrivate();
  builder.setInsertionPointToEnd(func.addEntryBlock());
  for (const ArgumentSpec &arg : args)
    addArgument(arg);
}

GraphValue FunctionBuilder::addArgument(const ArgumentSpec &spec) {
  requireOpen();
  SmallVector<NamedAttribute> attributes;
  auto set = [&](StringRef name, Attribute value) {
    attributes.push_back(builder.getNamedAttr(name, value));
  };
  if (!spec.name.empty())
    set("cell.name", builder.getStringAttr(spec.name));
  if (!spec.role.empty())
    set("cell.role", builder.getStringAttr(spec.role));
  if (spec.donate)
    set("cell.donate", builder.getI64IntegerAttr(*spec.donate));
  unsigned index = func.getNumArguments();
  if (failed(func.insertArgument(index, graph->type(spec.type),
                                 builder.getDictionaryAttr(attributes),
                                 graph->location(spec.loc))))
    throw GraphError("cannot add argument '" + spec.name + "'");
  return {graph, func.getArgument(index)};
}

std::vector<GraphValue> FunctionBuilder::arguments() {
  return wrap(func.getArguments());
}

SmallVector<Value>
FunctionBuilder::unwrap(const std::vector<GraphValue> &values) {
  SmallVector<Value> out;
  for (const GraphValue &v : values) {
    Value value = v.value;
    if (v.graph != graph || value.getParentRegion() != &func.getBody())
      throw GraphError("a value of another function or graph is used in '" +
                       func.getName().str() + "'; pass it as an argument");
    out.push_back(value);
  }
  return out;
}

std::vector<GraphValue> FunctionBuilder::wrap(ValueRange values) {
  std::vector<GraphValue> out;
  for (Value v : values)
    out.push_back({graph, v});
  return out;
}

void FunctionBuilder::requireOpen() {
  if (finished)
    throw GraphError("function '" + func.getName().str() +
                     "' has already returned");
}

static Attribute convert(Builder &builder, const AttributeValue &value) {
  if (auto *v = std::get_if<bool>(&value))
    return builder.getBoolAttr(*v);
  if (auto *v = std::get_if<int64_t>(&value))
    return builder.getI64IntegerAttr(*v);
  if (auto *v = std::get_if<double>(&value))
    return builder.getF64FloatAttr(*v);
  if (auto *v = std::get_if<std::string>(&value))
    return builder.getStringAttr(*v);
  return builder.getDenseI64ArrayAttr(std::get<std::vector<int64_t>>(value));
}

/// Refuses what inference would read without looking: operands and attributes
/// that are not there.
static void checkPresent(const OperationState &state) {
  std::string name = state.name.getStringRef().str();
  const OpSignature *signature = lookupSignature(name);
  if (!signature)
    return;
  if (signature->operands >= 0 &&
      static_cast<int>(state.operands.size()) != signature->operands)
    throw GraphError("'" + name + "' op takes " +
                     std::to_string(signature->operands) + " operands, not " +
                     std::to_string(state.operands.size()));
  for (const char *attribute : signature->attributes)
    if (!state.attributes.get(attribute))
      throw GraphError("'" + name + "' op needs attribute '" + attribute + "'");
}

/// Adds the inferred result types to `state`; false where the op cannot infer.
static bool inferTypes(OperationState &state, RegisteredOperationName info,
                       DiagnosticText &diagnostics) {
  auto *inference = info.getInterface<InferTypeOpInterface>();
  if (!inference)
    return false;
  MLIRContext *context = state.getContext();
  DictionaryAttr attributes = state.attributes.getDictionary(context);
  std::vector<char> storage(info.getOpPropertyByteSize());
  OpaqueProperties properties(storage.empty() ? nullptr : storage.data());
  if (properties) {
    info.initOpProperties(properties, OpaqueProperties(nullptr));
    if (failed(info.setOpPropertiesFromAttribute(
            state.name, properties, attributes,
            [&]() { return emitError(state.location); }))) {
      info.destroyOpProperties(properties);
      throw GraphError(diagnostics.text());
    }
  }
  LogicalResult inferred =
      inference->inferReturnTypes(context, state.location, state.operands,
                                  attributes, properties, {}, state.types);
  if (properties)
    info.destroyOpProperties(properties);
  if (failed(inferred))
    throw GraphError(diagnostics.text());
  return true;
}

std::vector<GraphValue> FunctionBuilder::create(
    const std::string &name, const std::vector<GraphValue> &operands,
    const std::vector<std::pair<std::string, AttributeValue>> &attributes,
    const std::optional<SourceLocation> &loc,
    const std::optional<TensorSpec> &result) {
  requireOpen();
  auto info = RegisteredOperationName::lookup(name, graph->context());
  if (!info)
    throw GraphError("there is no op '" + name + "'");
  OperationState state(graph->location(loc), *info);
  state.addOperands(unwrap(operands));
  for (auto &[key, value] : attributes)
    state.addAttribute(key, convert(builder, value));
  checkPresent(state);

  DiagnosticText diagnostics(graph->context());
  if (result)
    state.types.push_back(graph->type(*result));
  else if (!inferTypes(state, *info, diagnostics) && name != "cell.print" &&
           name != "cell.check" && name != "cell.meet")
    throw GraphError("'" + name + "' op needs the type of its result");
  Operation *op = builder.create(state);
  if (failed(mlir::verify(op, /*verifyRecursively=*/false))) {
    std::string text = diagnostics.text();
    op->erase();
    throw GraphError(text);
  }
  return wrap(op->getResults());
}

GraphValue FunctionBuilder::constant(const void *data, size_t bytes,
                                     const TensorSpec &spec,
                                     const std::optional<SourceLocation> &loc) {
  requireOpen();
  RankedTensorType type = graph->type(spec);
  size_t width = elementBytes(type.getElementType());
  size_t count = type.getNumElements();
  if (bytes != width && bytes != width * count)
    throw GraphError("a constant of " + std::to_string(count) +
                     " elements of " + std::to_string(width) +
                     " bytes cannot be made from " + std::to_string(bytes) +
                     " bytes");
  const char *raw = static_cast<const char *>(data);
  DenseElementsAttr value;
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(raw, raw + bytes);
    value = DenseElementsAttr::get(type, bits);
  } else if (count == 0) {
    value = DenseElementsAttr::get(type, ArrayRef<Attribute>());
  } else {
    // A buffer of equal elements is a splat: one element stands for all.
    bool splat =
        bytes == width ||
        (bytes > width && !std::memcmp(raw, raw + width, bytes - width));
    value = DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef<char>(raw, splat ? width : bytes));
  }
  Value v = ConstantOp::create(builder, graph->location(loc), type, value);
  return {graph, v};
}

func::FuncOp FunctionBuilder::lookup(const std::string &callee) {
  requireOpen();
  auto found = dyn_cast_if_present<func::FuncOp>(
      SymbolTable::lookupSymbolIn(graph->module(), callee));
  if (!found)
    throw GraphError("the graph has no function '" + callee + "'");
  return found;
}

/// Types at `indices`, which are checked here because the verifier comes later.
static SmallVector<Type> pick(TypeRange types,
                              const std::vector<int64_t> &indices) {
  SmallVector<Type> out;
  for (int64_t i : indices) {
    if (i < 0 || i >= static_cast<int64_t>(types.size()))
      throw GraphError("index " + std::to_string(i) + " is out of range for " +
                       std::to_string(types.size()) + " values");
    out.push_back(types[i]);
  }
  return out;
}

/// Checks the symbol use of a new transform op, and erases it if it is refused.
template <typename OpT>
static void checkTransform(OpT op, MLIRContext *context) {
  DiagnosticText diagnostics(context);
  SymbolTableCollection symbols;
  if (succeeded(mlir::verify(op, /*verifyRecursively=*/false)) &&
      succeeded(op.verifySymbolUses(symbols)))
    return;
  op->erase();
  throw GraphError(diagnostics.text());
}

std::vector<GraphValue> FunctionBuilder::vjp(
    const std::string &callee, const std::vector<GraphValue> &args,
    const std::vector<GraphValue> &cotangents, const std::vector<int64_t> &of,
    const std::vector<int64_t> &wrt, const std::optional<SourceLocation> &loc) {
  FunctionType type = lookup(callee).getFunctionType();
  SmallVector<Type> results(type.getResults());
  llvm::append_range(results, pick(type.getInputs(), wrt));
  auto op = VJPOp::create(builder, graph->location(loc), results, callee,
                          unwrap(args), unwrap(cotangents), of, wrt);
  checkTransform(op, graph->context());
  return wrap(op->getResults());
}

std::vector<GraphValue> FunctionBuilder::jvp(
    const std::string &callee, const std::vector<GraphValue> &args,
    const std::vector<GraphValue> &tangents, const std::vector<int64_t> &of,
    const std::vector<int64_t> &wrt, const std::optional<SourceLocation> &loc) {
  FunctionType type = lookup(callee).getFunctionType();
  SmallVector<Type> results(type.getResults());
  llvm::append_range(results, pick(type.getResults(), of));
  auto op = JVPOp::create(builder, graph->location(loc), results, callee,
                          unwrap(args), unwrap(tangents), wrt, of);
  checkTransform(op, graph->context());
  return wrap(op->getResults());
}

/// Which results of a function depend on the arguments with a dimension: what
/// an op gives does if what it, or code inside of it, takes does.
static SmallVector<bool> varyingResults(func::FuncOp function,
                                        ArrayRef<int64_t> dims) {
  llvm::DenseSet<Value> varying;
  Block &body = function.getBody().front();
  for (auto [argument, dim] : llvm::zip(body.getArguments(), dims))
    if (dim >= 0)
      varying.insert(argument);
  for (Operation &op : body) {
    bool depends =
        op.walk([&](Operation *inner) {
            return llvm::any_of(inner->getOperands(),
                                [&](Value v) { return varying.contains(v); })
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          }).wasInterrupted();
    if (depends)
      varying.insert(op.result_begin(), op.result_end());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value v) { return varying.contains(v); });
}

std::vector<GraphValue> FunctionBuilder::vmap(
    const std::string &callee, const std::vector<GraphValue> &args,
    const std::vector<int64_t> &inDims, const std::vector<int64_t> &outDims,
    const std::optional<SourceLocation> &loc) {
  func::FuncOp function = lookup(callee);
  FunctionType type = function.getFunctionType();
  SmallVector<Value> operands = unwrap(args);
  SmallVector<bool> varying = varyingResults(function, inDims);
  // Result types need the size of the batch; what does not fit is refused
  // below.
  int64_t size = 0;
  for (auto [operand, dim] : llvm::zip(operands, inDims)) {
    auto tensor = cast<RankedTensorType>(operand.getType());
    if (dim >= 0 && dim < tensor.getRank())
      size = tensor.getDimSize(dim);
  }
  SmallVector<Type> results;
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    auto tensor = cast<RankedTensorType>(result);
    SmallVector<int64_t> shape(tensor.getShape());
    int64_t dim = i < outDims.size() ? outDims[i] : 0;
    if (dim < -1 || dim > tensor.getRank())
      throw GraphError("out dimension " + std::to_string(dim) +
                       " is out of range for result " + std::to_string(i) +
                       " of rank " + std::to_string(tensor.getRank()));
    if (dim < 0 && varying[i])
      throw GraphError("result " + std::to_string(i) +
                       " depends on an input that is mapped");
    if (dim >= 0)
      shape.insert(shape.begin() + dim, size);
    results.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  auto op = VMapOp::create(builder, graph->location(loc), results, callee,
                           operands, inDims, outDims);
  checkTransform(op, graph->context());
  return wrap(op->getResults());
}

ValueRange FunctionBuilder::emitCall(const std::string &callee, ValueRange args,
                                     Location loc) {
  func::FuncOp target = lookup(callee);
  if (args.getTypes() != TypeRange(target.getFunctionType().getInputs()))
    throw GraphError("the arguments of a call do not fit function '" + callee +
                     "'");
  return func::CallOp::create(builder, loc, target, args).getResults();
}

std::vector<GraphValue>
FunctionBuilder::call(const std::string &callee,
                      const std::vector<GraphValue> &args,
                      const std::optional<SourceLocation> &loc) {
  requireOpen();
  return wrap(emitCall(callee, unwrap(args), graph->location(loc)));
}

void FunctionBuilder::finish(const std::vector<GraphValue> &results,
                             const std::vector<std::string> &names,
                             const std::optional<SourceLocation> &loc,
                             std::optional<size_t> skipped) {
  requireOpen();
  if (!names.empty() && names.size() != results.size())
    throw GraphError("there are " + std::to_string(names.size()) +
                     " names for " + std::to_string(results.size()) +
                     " results");
  if (skipped && *skipped >= results.size())
    throw GraphError("there is no result " + std::to_string(*skipped));
  SmallVector<Value> values = unwrap(results);
  func::ReturnOp::create(builder, graph->location(loc), values);
  func.setFunctionType(builder.getFunctionType(
      func.getFunctionType().getInputs(), TypeRange(ValueRange(values))));
  for (auto [i, name] : llvm::enumerate(names))
    if (!name.empty())
      func.setResultAttr(i, "cell.name", builder.getStringAttr(name));
  if (skipped)
    func.setResultAttr(*skipped, "cell.skipped", builder.getUnitAttr());
  finished = true;
}

} // namespace cellgrad::python
