//===- Weights.cpp - what a model's file of weights holds -----------------===//

#include "passes/emit/Bindings.h"
#include "passes/emit/Names.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;
using llvm::StringRef;

namespace {
llvm::Error missing(StringRef name) {
  return llvm::createStringError("'" + name +
                                 "' is missing: is it the file of another "
                                 "model?");
}

/// The text of a shape as the format has it: "[10, 64]".
std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

/// Whether `entry` of a file with `data` bytes of elements is `tensor`.
llvm::Error checkTensor(const TensorSpec &tensor,
                        const llvm::json::Object &entry, uint64_t data) {
  std::vector<int64_t> shape, offsets;
  auto numbers = [&](StringRef key, std::vector<int64_t> &out) {
    const llvm::json::Array *array = entry.getArray(key);
    if (!array)
      return false;
    for (const llvm::json::Value &value : *array) {
      auto number = value.getAsInteger();
      if (!number)
        return false;
      out.push_back(*number);
    }
    return true;
  };
  auto dtype = entry.getString("dtype");
  if (!dtype || !numbers("shape", shape) || !numbers("data_offsets", offsets) ||
      offsets.size() != 2)
    return llvm::createStringError("'" + tensor.name +
                                   "' lacks its dtype, shape or data_offsets");
  StringRef code = safetensorsCode(*tensor.dtype);
  if (*dtype != code || shape != tensor.shape)
    return llvm::createStringError(
        "'" + tensor.name + "' is " + *dtype + shapeText(shape) +
        ", but the model expects " + code + shapeText(tensor.shape));
  if (offsets[0] < 0 || offsets[0] > offsets[1] ||
      static_cast<uint64_t>(offsets[1]) > data ||
      offsets[1] - offsets[0] != tensor.bytes())
    return llvm::createStringError("'" + tensor.name +
                                   "' does not lie in the file: it is "
                                   "truncated or damaged");
  return llvm::Error::success();
}
} // namespace

ArtifactNames::ArtifactNames(StringRef sharedObject) : library(sharedObject) {
  sharedObject.consume_front("lib");
  stem = sharedObject.rsplit('.').first.str();
}

StringRef cellgrad::shortName(const ModelSpec &model, const EntrySpec &entry) {
  return StringRef(entry.symbol).drop_front(model.prefix().size());
}

StringRef cellgrad::safetensorsCode(const DTypeInfo &dtype) {
  constexpr std::pair<StringRef, StringRef> kCodes[] = {
      {"bool", "BOOL"},   {"int8", "I8"},       {"int16", "I16"},
      {"int32", "I32"},   {"int64", "I64"},     {"uint8", "U8"},
      {"uint16", "U16"},  {"uint32", "U32"},    {"uint64", "U64"},
      {"float16", "F16"}, {"bfloat16", "BF16"}, {"float32", "F32"},
      {"float64", "F64"}};
  for (auto [name, code] : kCodes)
    if (name == dtype.name)
      return code;
  llvm_unreachable("every dtype of the ABI has a code");
}

llvm::Expected<std::vector<WeightSpec>>
cellgrad::weightsOf(const ModelSpec &model) {
  std::vector<WeightSpec> weights;
  llvm::StringMap<const TensorSpec *> known;
  llvm::StringSet<> fields;
  fields.insert("memory"); // the loader's own
  for (const EntrySpec &entry : model.entries)
    for (const TensorSpec &arg : entry.args) {
      if (arg.role == "input" || arg.isBatch())
        continue;
      auto [at, isNew] = known.try_emplace(arg.name, &arg);
      if (!isNew) {
        const TensorSpec &other = *at->second;
        if (other.dtype != arg.dtype || other.shape != arg.shape)
          return llvm::createStringError(
              "the weight '" + arg.name +
              "' has different types in the entries of the model: one file "
              "cannot hold both; give one of them another cell.name");
        continue;
      }
      std::string base = sanitizeIdentifier(arg.name), field = base;
      for (unsigned i = 2; !fields.insert(fieldName(field)).second; ++i)
        field = base + "_" + std::to_string(i);
      weights.push_back({&arg, fieldName(field)});
    }
  return weights;
}

llvm::Error cellgrad::checkWeights(const ModelSpec &model, StringRef contents) {
  auto weights = weightsOf(model);
  if (!weights)
    return weights.takeError();
  uint64_t size = contents.size() < 8
                      ? 0
                      : llvm::support::endian::read64le(contents.data());
  if (contents.size() < 8 || size > contents.size() - 8)
    return llvm::createStringError("it is truncated, or no .safetensors file");
  auto header = llvm::json::parse(contents.substr(8, size));
  if (!header)
    return llvm::createStringError("its header is no JSON text: " +
                                   llvm::toString(header.takeError()));
  const llvm::json::Object *root = header->getAsObject();
  for (const WeightSpec &weight : *weights) {
    const TensorSpec &tensor = *weight.tensor;
    const llvm::json::Object *entry =
        root ? root->getObject(tensor.name) : nullptr;
    if (!entry)
      return missing(tensor.name);
    if (auto error = checkTensor(tensor, *entry, contents.size() - 8 - size))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string>
cellgrad::makeWeightsLoader(const ModelSpec &model,
                            const ArtifactNames &names) {
  auto weights = weightsOf(model);
  if (!weights)
    return weights.takeError();
  std::string text, name = model.name;
  llvm::raw_string_ostream os(text);
  std::string guard = "CGW_" + model.macroPrefix() + "H";
  std::string type = "cgw_weights_" + name;
  size_t count = weights->size();
  os << "/*===- " << name << " - weights, compiled by cellgrad "
     << compilerVersion() << ", do not edit ---===\n *\n"
     << " * cgw_open_" << name << "() maps a .safetensors file and points at "
     << "its tensors. They\n * may be written: the file stays as it is. It "
        "must not be changed or made shorter\n * while it is mapped. On an "
        "error `message`, which may be NULL, gets its words.\n */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \""
     << names.header() << "\"\n\n"
     << weightsHeaderText() << "\ntypedef struct " << type << " {\n";
  for (const WeightSpec &weight : *weights)
    os << "  " << weight.tensor->dtype->cType << " *" << weight.field << "; /* "
       << weight.tensor->role << " \"" << commentSafe(weight.tensor->name)
       << "\": " << typeText(*weight.tensor) << " */\n";
  os << "  cgw_memory memory;\n} " << type << ";\n\n";
  for (auto [i, weight] : llvm::enumerate(*weights))
    if (llvm::ArrayRef<int64_t> shape = weight.tensor->shape; !shape.empty()) {
      os << "static const int64_t cgw_shape_" << name << "_" << i << "[] = {";
      llvm::interleaveComma(shape, os);
      os << "};\n";
    }
  os << "static const cgw_spec cgw_specs_" << name << "[] = {\n";
  for (auto [i, weight] : llvm::enumerate(*weights)) {
    const TensorSpec &tensor = *weight.tensor;
    os << "    {" << quoted(tensor.name) << ", \""
       << safetensorsCode(*tensor.dtype) << "\", ";
    if (tensor.shape.empty())
      os << "NULL";
    else
      os << "cgw_shape_" << name << "_" << i;
    os << ", " << tensor.shape.size() << ", " << tensor.dtype->bytes << "u, "
       << tensor.bytes() << "u},\n";
  }
  if (count == 0)
    os << "    {\"\", \"\", NULL, 0, 1u, 0u}, /* the model has none */\n";
  os << "};\n\n";
  auto function = [&](StringRef verb, StringRef parameters, StringRef call) {
    os << "static inline int32_t cgw_" << verb << "_" << name << "(" << type
       << " *weights, " << parameters << ",\n    char *message, uint64_t "
       << "message_bytes) {\n  uint64_t offsets[" << count + 1
       << "];\n  void *places[" << count + 1 << "];\n"
       << "  memset(weights, 0, sizeof *weights);\n"
       << "  if (message && message_bytes > 0)\n    *message = 0;\n"
       << "  int32_t status = " << call << ", cgw_specs_" << name << ", "
       << count << "u, offsets,\n      &weights->memory, places, message, "
       << "message_bytes);\n";
    if (verb == "open")
      os << "  status = cgw_prefix(status, path, message, message_bytes);\n";
    os << "  if (status != CG_OK)\n    return status;\n";
    for (auto [i, weight] : llvm::enumerate(*weights))
      os << "  weights->" << weight.field << " = ("
         << weight.tensor->dtype->cType << " *)places[" << i << "];\n";
    os << "  return CG_OK;\n}\n";
  };
  os << "/* The weights in the file at `path`. */\n";
  function("open", "const char *path", "cgw_load(path");
  os << "/* Those in a file that lies in memory, copied. */\n";
  function("read", "const void *bytes, uint64_t size", "cgw_read(bytes, size");
  if (model.embedsWeights())
    os << "/* Those inside the model, copied. */\n"
       << "static inline int32_t cgw_embedded_" << name << "(" << type
       << " *weights, char *message,\n    uint64_t message_bytes) {\n"
       << "  uint64_t size = 0;\n  const void *bytes = " << model.prefix()
       << "weights(&size);\n  return cgw_read_" << name
       << "(weights, bytes, size, message, message_bytes);\n}\n";
  os << "/* Frees them. No call may use them any more. */\n"
     << "static inline void cgw_close_" << name << "(" << type
     << " *weights) {\n  cgw_free(&weights->memory);\n"
     << "  memset(weights, 0, sizeof *weights);\n}\n"
     << "#endif /* " << guard << " */\n";
  return text;
}
