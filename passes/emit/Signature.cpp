//===- Signature.cpp - what a model's entries take and return -------------===//

#include "passes/emit/Signature.h"
#include "passes/emit/Names.h"

#include "dialect/Refusal.h"

#include "runtime/cellgrad_abi.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace cellgrad;

namespace {
constexpr DTypeInfo kDTypes[] = {
    {"bool", "cg_bool", CG_BOOL, 1},
    {"int8", "int8_t", CG_INT8, 1},
    {"int16", "int16_t", CG_INT16, 2},
    {"int32", "int32_t", CG_INT32, 4},
    {"int64", "int64_t", CG_INT64, 8},
    {"uint8", "uint8_t", CG_UINT8, 1},
    {"float16", "cg_float16", CG_FLOAT16, 2},
    {"bfloat16", "cg_bfloat16", CG_BFLOAT16, 2},
    {"float32", "float", CG_FLOAT32, 4},
    {"float64", "double", CG_FLOAT64, 8},
    {"uint16", "uint16_t", CG_UINT16, 2},
    {"uint32", "uint32_t", CG_UINT32, 4},
    {"uint64", "uint64_t", CG_UINT64, 8},
};

FailureOr<TensorSpec> readTensor(Operation *function, Attribute attr,
                                 llvm::Twine what) {
  auto dict = dyn_cast<DictionaryAttr>(attr);
  std::string label = what.str();
  auto fail = [&](const llvm::Twine &problem) -> FailureOr<TensorSpec> {
    return refuse(function, Blame::Form)
           << "cell.signature: " << label << " " << problem.str();
  };
  if (!dict)
    return fail("is not a dictionary");
  TensorSpec spec;
  auto name = dict.getAs<StringAttr>("name");
  auto dtype = dict.getAs<StringAttr>("dtype");
  if (!name || name.empty() || !dtype)
    return fail("needs a name and a dtype, both strings");
  spec.name = name.str();
  spec.dtype = lookupDType(dtype);
  if (!spec.dtype)
    return fail("has dtype '" + dtype.getValue() + "': expected " +
                knownDTypes());
  if (auto dense = dict.getAs<DenseI64ArrayAttr>("shape")) {
    spec.shape.assign(dense.asArrayRef().begin(), dense.asArrayRef().end());
  } else if (auto array = dict.getAs<ArrayAttr>("shape")) {
    for (Attribute extent : array) {
      auto integer = dyn_cast<IntegerAttr>(extent);
      if (!integer)
        return fail("has a shape that is not an array of integers");
      spec.shape.push_back(integer.getInt());
    }
  } else {
    return fail("has no shape");
  }
  for (auto [dim, extent] : llvm::enumerate(spec.shape))
    if (extent < 0 && (dim > 0 || extent != kBatchExtent))
      return fail("has a negative extent in its shape");
  auto role = dict.getAs<StringAttr>("role");
  spec.role = role ? role.str() : "input";
  for (auto [key, slot] : {std::pair{"donate", &spec.donate},
                           std::pair{"donated_arg", &spec.donatedArg}})
    if (auto index = dict.getAs<IntegerAttr>(key))
      *slot = static_cast<unsigned>(index.getInt());
  spec.skipped = dict.contains("skipped");
  return spec;
}

Attribute tensorAttribute(const TensorSpec &spec, Builder &b) {
  NamedAttrList attrs;
  attrs.append("name", b.getStringAttr(spec.name));
  attrs.append("role", b.getStringAttr(spec.role));
  attrs.append("dtype", b.getStringAttr(spec.dtype->name));
  attrs.append("shape", b.getDenseI64ArrayAttr(spec.shape));
  if (spec.donate)
    attrs.append("donate", b.getI64IntegerAttr(*spec.donate));
  if (spec.donatedArg)
    attrs.append("donated_arg", b.getI64IntegerAttr(*spec.donatedArg));
  if (spec.skipped)
    attrs.append("skipped", b.getUnitAttr());
  return attrs.getDictionary(b.getContext());
}

llvm::json::Object tensorJSON(const TensorSpec &spec) {
  llvm::json::Array shape(spec.shape);
  if (spec.hasRows())
    shape[0] = nullptr;
  llvm::json::Object object{{"name", spec.name},
                            {"field", spec.field},
                            {"role", spec.role},
                            {"dtype", spec.dtype->name},
                            {"shape", std::move(shape)}};
  if (spec.donate)
    object["donate"] = static_cast<int64_t>(*spec.donate);
  if (spec.donatedArg)
    object["donated_arg"] = static_cast<int64_t>(*spec.donatedArg);
  if (spec.skipped)
    object["skipped"] = true;
  return object;
}

/// What a caller of `entry` relies on. The size of the arena is not part of it:
/// every call says what it lends.
llvm::json::Object entryJSON(const EntrySpec &entry) {
  llvm::json::Array args, results;
  for (const TensorSpec &arg : entry.args)
    args.push_back(tensorJSON(arg));
  for (const TensorSpec &result : entry.results)
    results.push_back(tensorJSON(result));
  llvm::json::Object object{{"name", entry.name},
                            {"symbol", entry.symbol},
                            {"args", std::move(args)},
                            {"results", std::move(results)}};
  if (entry.maxBatch != 0)
    object["max_batch"] = entry.maxBatch;
  return object;
}

/// Reads the two lists of a signature and pairs donations.
LogicalResult readSignature(Operation *function, DictionaryAttr signature,
                            EntrySpec &entry) {
  auto args = signature.getAs<ArrayAttr>("args");
  auto results = signature.getAs<ArrayAttr>("results");
  if (!args || !results)
    return refuse(function, Blame::Form)
           << "cell.signature needs the arrays 'args' and 'results'";
  for (auto [i, attr] : llvm::enumerate(args)) {
    auto spec = readTensor(function, attr, "argument " + llvm::Twine(i));
    if (failed(spec))
      return failure();
    entry.args.push_back(*spec);
  }
  for (auto [i, attr] : llvm::enumerate(results)) {
    auto spec = readTensor(function, attr, "result " + llvm::Twine(i));
    if (failed(spec))
      return failure();
    spec->role = "result";
    if (spec->skipped && (spec->dtype->code != CG_BOOL || !spec->shape.empty()))
      return refuse(function, Blame::Form)
             << "cell.signature: result " << i
             << " tells that the update was skipped and must be a bool "
             << "without dimensions";
    entry.results.push_back(*spec);
  }
  if (auto max = signature.getAs<IntegerAttr>("max_batch"))
    entry.maxBatch = max.getInt();
  auto hasRows = [](const TensorSpec &spec) { return spec.hasRows(); };
  bool isOpen =
      llvm::any_of(entry.args, hasRows) || llvm::any_of(entry.results, hasRows);
  bool hasSize = !entry.args.empty() && entry.args[0].isBatch() &&
                 entry.args[0].dtype->code == CG_INT64 &&
                 entry.args[0].shape.empty();
  if (isOpen != (entry.maxBatch > 0) || isOpen != hasSize)
    return refuse(function, Blame::Form)
           << "cell.signature: an entry for any batch size has max_batch and "
              "the int64 number 'batch' as its first argument";
  for (auto [i, arg] : llvm::enumerate(entry.args)) {
    if (!arg.donate)
      continue;
    if (*arg.donate >= entry.results.size())
      return refuse(function, Blame::Form)
             << "cell.signature: argument " << i << " donates to result "
             << *arg.donate << ", but the number of results is "
             << entry.results.size();
    TensorSpec &result = entry.results[*arg.donate];
    if (result.dtype != arg.dtype || result.shape != arg.shape)
      return refuse(function, Blame::Form)
             << "cell.signature: argument " << i
             << " and the result it donates to differ in type";
    if (result.donatedArg && *result.donatedArg != i)
      return refuse(function, Blame::Form)
             << "cell.signature: two arguments donate to result "
             << *arg.donate;
    result.donatedArg = i;
  }
  for (auto [i, result] : llvm::enumerate(entry.results))
    if (result.donatedArg && (*result.donatedArg >= entry.args.size() ||
                              entry.args[*result.donatedArg].donate != i))
      return refuse(function, Blame::Form)
             << "cell.signature: result " << i
             << " names a donated argument that does not donate to it";
  return success();
}
} // namespace

const DTypeInfo *cellgrad::lookupDType(llvm::StringRef name) {
  for (const DTypeInfo &info : kDTypes)
    if (name == info.name)
      return &info;
  return nullptr;
}

std::string cellgrad::knownDTypes() {
  return llvm::join(
      llvm::map_range(kDTypes, [](const DTypeInfo &d) { return d.name; }),
      ", ");
}

int64_t TensorSpec::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent == kBatchExtent ? 1 : extent;
  return count;
}

std::vector<const TensorSpec *> EntrySpec::buffers() const {
  std::vector<const TensorSpec *> all;
  for (const TensorSpec &arg : args)
    all.push_back(&arg);
  for (const TensorSpec &result : results)
    if (!result.donatedArg)
      all.push_back(&result);
  return all;
}

int64_t EntrySpec::hostBytes(const TensorSpec &spec) const {
  return static_cast<int64_t>(
      llvm::alignTo(spec.bytes(), CG_CUDA_ARENA_ALIGNMENT));
}

int64_t EntrySpec::hostArenaBytes() const {
  int64_t bytes = arenaBytes;
  for (const TensorSpec *spec : buffers())
    bytes += hostBytes(*spec);
  return bytes;
}

bool ModelSpec::parallel() const {
  return llvm::any_of(entries,
                      [](const EntrySpec &entry) { return entry.parallel; });
}

std::string ModelSpec::macroPrefix() const {
  // Models whose names differ in case only are used together.
  llvm::StringRef text = name;
  return llvm::any_of(text, llvm::isUpper) ? prefix()
                                           : llvm::StringRef(prefix()).upper();
}

FailureOr<EntrySpec> cellgrad::readEntry(Operation *function,
                                         llvm::StringRef name) {
  auto signature = function->getAttrOfType<DictionaryAttr>("cell.signature");
  if (!signature)
    return refuse(function, Blame::Form)
           << "is public but has no cell.signature attribute: the CPU "
              "lowering records one for every entry";
  EntrySpec entry;
  entry.name = name.str();
  auto bytesOf = [&](llvm::StringRef attribute) {
    auto bytes = function->getAttrOfType<IntegerAttr>(attribute);
    return bytes ? bytes.getInt() : 0;
  };
  int64_t arena = bytesOf("cell.arena_bytes"),
          slot = bytesOf("cell.slot_bytes");
  if (slot < 0 || slot > arena || slot % CG_ARENA_ALIGNMENT != 0)
    return refuse(function, Blame::Form)
           << "has cell.slot_bytes = " << slot << ": expected a multiple of "
           << CG_ARENA_ALIGNMENT << ", part of cell.arena_bytes = " << arena;
  entry.arenaBytes =
      static_cast<int64_t>(llvm::alignTo(arena, CG_ARENA_ALIGNMENT));
  entry.slotBytes = slot;
  auto kernels = readKernels(function);
  if (failed(kernels) || failed(readSignature(function, signature, entry)))
    return failure();
  entry.kernels = std::move(*kernels);
  return entry;
}

Attribute cellgrad::toAttribute(const ModelSpec &model, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> entries;
  for (const EntrySpec &entry : model.entries) {
    SmallVector<Attribute> args, results;
    for (const TensorSpec &arg : entry.args)
      args.push_back(tensorAttribute(arg, b));
    for (const TensorSpec &result : entry.results)
      results.push_back(tensorAttribute(result, b));
    NamedAttrList attrs;
    attrs.append("name", b.getStringAttr(entry.name));
    attrs.append("arena_bytes", b.getI64IntegerAttr(entry.arenaBytes));
    if (entry.parallel)
      attrs.append("parallel", b.getUnitAttr());
    if (entry.maxBatch != 0)
      attrs.append("max_batch", b.getI64IntegerAttr(entry.maxBatch));
    if (entry.waits)
      attrs.append("waits", b.getUnitAttr());
    attrs.append("args", b.getArrayAttr(args));
    attrs.append("results", b.getArrayAttr(results));
    entries.push_back(attrs.getDictionary(context));
  }
  NamedAttrList attrs;
  attrs.append("name", b.getStringAttr(model.name));
  attrs.append("entries", b.getArrayAttr(entries));
  if (model.cuda())
    attrs.append("chips", b.getStrArrayAttr(llvm::to_vector_of<llvm::StringRef>(
                              model.chips)));
  return attrs.getDictionary(context);
}

FailureOr<ModelSpec> cellgrad::readModel(Operation *module) {
  auto dict = module->getAttrOfType<DictionaryAttr>("cell.model");
  auto name = dict ? dict.getAs<StringAttr>("name") : nullptr;
  auto entries = dict ? dict.getAs<ArrayAttr>("entries") : nullptr;
  if (!name || !entries)
    return refuse(module->getLoc(), Blame::Form)
           << "the module needs a cell.model with a name and entries: run "
              "cell-emit-abi";
  ModelSpec model;
  model.name = name.str();
  if (auto chips = dict.getAs<ArrayAttr>("chips"))
    for (auto chip : chips.getAsRange<StringAttr>())
      model.chips.push_back(chip.str());
  for (Attribute attr : entries) {
    auto entryDict = dyn_cast<DictionaryAttr>(attr);
    auto entryName = entryDict ? entryDict.getAs<StringAttr>("name") : nullptr;
    auto arena =
        entryDict ? entryDict.getAs<IntegerAttr>("arena_bytes") : nullptr;
    if (!entryName || !arena)
      return refuse(module->getLoc(), Blame::Form)
             << "cell.model: an entry needs a name and arena_bytes";
    EntrySpec entry;
    entry.name = entryName.str();
    entry.arenaBytes = arena.getInt();
    entry.parallel = entryDict.contains("parallel");
    entry.waits = entryDict.contains("waits");
    if (failed(readSignature(module, entryDict, entry)))
      return failure();
    model.entries.push_back(std::move(entry));
  }
  assignNames(model);
  return model;
}

uint64_t cellgrad::fingerprint(const ModelSpec &model) {
  llvm::json::Array described{static_cast<int64_t>(CELLGRAD_ABI_VERSION)};
  for (const EntrySpec &entry : model.entries)
    described.push_back(entryJSON(entry));
  if (model.cuda())
    described.push_back("cuda");
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(described));
  return llvm::xxh3_64bits(text);
}

std::string cellgrad::toJSON(const ModelSpec &model, llvm::StringRef arch,
                             llvm::StringRef cpu,
                             const std::vector<std::string> &features) {
  llvm::json::Array entries;
  for (const EntrySpec &entry : model.entries) {
    llvm::json::Object object = entryJSON(entry);
    object["arena_bytes"] = entry.arenaBytes;
    object["arena"] =
        llvm::json::Object{{"fixed", entry.arenaBytes - entry.slotBytes},
                           {"thread", entry.slotBytes}};
    object["cancellable"] = entry.cancellable;
    object["parallel"] = entry.parallel;
    if (!entry.kernels.empty())
      object["kernels"] = toJSON(entry.kernels);
    if (model.cuda()) {
      object["arena_bytes"] = entry.hostArenaBytes();
      object["arena"] =
          llvm::json::Object{{"fixed", entry.hostArenaBytes()}, {"thread", 0}};
      object["device_arena_bytes"] = entry.arenaBytes;
      object["waits"] = entry.waits;
    }
    entries.push_back(std::move(object));
  }
  llvm::json::Object root{
      {"abi", static_cast<int64_t>(CELLGRAD_ABI_VERSION)},
      {"name", model.name},
      {"compiler", "cellgrad " CELLGRAD_VERSION},
      {"fingerprint", llvm::utohexstr(fingerprint(model), /*LowerCase=*/true)},
      {"target", llvm::json::Object{{"arch", arch},
                                    {"cpu", cpu},
                                    {"features", llvm::json::Array(features)}}},
      {"entries", std::move(entries)}};
  if (model.cuda())
    root["device"] = llvm::json::Object{
        {"kind", "cuda"}, {"chips", llvm::json::Array(model.chips)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(root));
  return text;
}
