//===- Bindings.h - a model in other languages than C ---------------------===//
//
// Everything here is text made of the model's signature, beside a common part
// from runtime/bindings that the compiler carries.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_BINDINGS_H
#define CELLGRAD_PASSES_EMIT_BINDINGS_H

#include "passes/emit/Signature.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace cellgrad {

/// Names of the files of a model, without folders: what one file calls others.
struct ArtifactNames {
  std::string library; ///< "libdigits.so"
  std::string stem;    ///< "digits": of the header and all others

  explicit ArtifactNames(llvm::StringRef sharedObject);
  std::string header() const { return stem + ".h"; }
  std::string loader() const { return stem + "_weights.h"; }
  std::string weights() const { return stem + ".safetensors"; }
};

/// A value that a model takes but its caller does not compute: a Parameter or
/// a state. It is in the file of weights by its name.
struct WeightSpec {
  const TensorSpec *tensor;
  std::string field; ///< the C identifier, distinct among them
};

/// Those of all entries, each once. An error where two entries disagree.
llvm::Expected<std::vector<WeightSpec>> weightsOf(const ModelSpec &model);

/// Whether `contents`, a .safetensors file, has the weights of `model`. Errors
/// say what is wrong with it.
llvm::Error checkWeights(const ModelSpec &model, llvm::StringRef contents);

/// The C functions that read a file of weights, as a header.
llvm::Expected<std::string> makeWeightsLoader(const ModelSpec &model,
                                              const ArtifactNames &names);
/// The C++17 header. Models for a GPU are refused, here and below.
llvm::Expected<std::string> makeCpp(const ModelSpec &model,
                                    const ArtifactNames &names);
/// The Python module, for numpy and ctypes.
llvm::Expected<std::string> makePython(const ModelSpec &model,
                                       const ArtifactNames &names);
/// The Rust module.
llvm::Expected<std::string> makeRust(const ModelSpec &model,
                                     const ArtifactNames &names);
/// <stem>.pc and <stem>-config.cmake, for a library and header beside them.
std::string makePkgConfig(const ModelSpec &model, const ArtifactNames &names);
std::string makeCMakeConfig(const ModelSpec &model, const ArtifactNames &names);

/// The code of a dtype in .safetensors files: "F32".
llvm::StringRef safetensorsCode(const DTypeInfo &dtype);

/// The name without the model's: "forward" of "cg_net_forward".
llvm::StringRef shortName(const ModelSpec &model, const EntrySpec &entry);

} // namespace cellgrad

#endif
