//===- BuildFiles.cpp - what build systems ask of a model -----------------===//

#include "passes/emit/Bindings.h"
#include "passes/emit/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;

std::string cellgrad::makePkgConfig(const ModelSpec &model,
                                    const ArtifactNames &names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // The library by its name: it need not begin with "lib".
  os << "# The model '" << model.name << "', compiled by cellgrad.\n"
     << "folder=${pcfiledir}\n\nName: " << model.name
     << "\nDescription: a compiled model\nVersion: " << compilerVersion()
     << "\nCflags: -I\"${folder}\"\nLibs: -L\"${folder}\" -l:" << names.library
     << " -Wl,-rpath,\"${folder}\"\n";
  return text;
}

std::string cellgrad::makeCMakeConfig(const ModelSpec &model,
                                      const ArtifactNames &names) {
  std::string text, target = "cellgrad::" + model.name;
  llvm::raw_string_ostream os(text);
  os << "# The model '" << model.name << "', compiled by cellgrad: the target "
     << target << ".\n"
     << "if(NOT TARGET " << target << ")\n"
     << "  add_library(" << target << " SHARED IMPORTED)\n"
     << "  set_target_properties(" << target << " PROPERTIES\n"
     << "    IMPORTED_LOCATION \"${CMAKE_CURRENT_LIST_DIR}/" << names.library
     << "\"\n    IMPORTED_SONAME \"" << names.library << "\"\n"
     << "    INTERFACE_INCLUDE_DIRECTORIES \"${CMAKE_CURRENT_LIST_DIR}\")\n"
     << "endif()\n";
  return text;
}
