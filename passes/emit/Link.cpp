//===- Link.cpp - objects to shared objects, in process -------------------===//

#include "passes/emit/Link.h"
#include "passes/emit/Artifact.h"
#include "passes/emit/RuntimeImage.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace cellgrad;
using llvm::StringRef;

namespace {
/// A directory for LLD's inputs, which it takes as files only; gone at the end.
class Scratch {
public:
  ~Scratch() {
    for (const std::string &file : files)
      llvm::sys::fs::remove(file);
    if (!directory.empty())
      llvm::sys::fs::remove(directory);
  }

  /// The path of a file called `name` with these contents.
  llvm::Expected<std::string> add(StringRef name, StringRef contents) {
    if (directory.empty())
      if (auto error =
              llvm::sys::fs::createUniqueDirectory("cellgrad", directory))
        return llvm::createStringError(error,
                                       "cannot create a temporary directory");
    std::string path = reserve(name);
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error) {
      os << contents;
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return llvm::createStringError(error,
                                     "cannot write temporary file " + path);
    return path;
  }

  /// The path of a file that something else will write.
  std::string reserve(StringRef name) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    files.push_back(path.str().str());
    return files.back();
  }

private:
  llvm::SmallString<128> directory;
  std::vector<std::string> files;
};

/// Runs LLD. Its state is global, so one thread at a time.
llvm::Error runLinker(llvm::ArrayRef<std::string> arguments) {
  static std::mutex mutex;
  static bool usable = true;
  std::vector<const char *> argv{"ld.lld"};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string output;
  llvm::raw_string_ostream os(output);
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return llvm::createStringError(
        "the linker failed earlier in this process and cannot "
        "be used again: restart the program");
  lld::Result result =
      lld::lldMain(argv, os, os, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return llvm::createStringError("linking failed: " +
                                   StringRef(output).trim());
  return llvm::Error::success();
}

llvm::StringSet<> readLibrarySymbols() {
  llvm::StringSet<> names;
  for (StringRef image : {libcStub(), libmStub()}) {
    auto file = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef(image, "stub"));
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
    for (const llvm::object::ELFSymbolRef &symbol :
         elf->getDynamicSymbolIterators())
      if (auto name = symbol.getName())
        names.insert(*name);
      else
        llvm::consumeError(name.takeError());
  }
  return names;
}
} // namespace

bool cellgrad::isLibrarySymbol(StringRef name) {
  static const llvm::StringSet<> names = readLibrarySymbols();
  return names.contains(name);
}

llvm::Error cellgrad::linkSharedObject(StringRef object, StringRef soname,
                                       StringRef path) {
  Scratch scratch;
  std::vector<std::string> arguments{"-shared",
                                     "--threads=1",
                                     "--build-id=none",
                                     "--gc-sections",
                                     "--no-undefined",
                                     "--as-needed",
                                     "-Bsymbolic",
                                     "--hash-style=gnu",
                                     "--strip-all",
                                     "--nostdlib",
                                     "-z",
                                     "now",
                                     "-z",
                                     "relro",
                                     "-z",
                                     "noexecstack",
                                     "-z",
                                     "max-page-size=4096",
                                     "-soname",
                                     soname.str(),
                                     "-o",
                                     path.str()};
  for (auto [name, contents] :
       {std::pair{"model.o", object}, std::pair{"runtime.o", runtimeObject()},
        std::pair{"libm.so.6", libmStub()},
        std::pair{"libc.so.6", libcStub()}}) {
    auto file = scratch.add(name, contents);
    if (!file)
      return file.takeError();
    arguments.push_back(*file);
  }
  if (auto error = runLinker(arguments))
    return error;
  return sealArtifact(path);
}

llvm::Error cellgrad::linkRelocatable(StringRef object, StringRef path) {
  Scratch scratch;
  auto model = scratch.add("model.o", object);
  if (!model)
    return model.takeError();
  auto runtime = scratch.add("runtime.o", runtimeObject());
  if (!runtime)
    return runtime.takeError();
  std::string merged = scratch.reserve("merged.o");
  if (auto error = runLinker({"-r", "--threads=1", "--build-id=none", *model,
                              *runtime, "-o", merged}))
    return error;

  auto buffer = llvm::MemoryBuffer::getFile(merged);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + merged);
  auto binary = llvm::object::ObjectFile::createELFObjectFile(**buffer);
  if (!binary)
    return binary.takeError();
  llvm::objcopy::ConfigManager config;
  config.Common.InputFilename = merged;
  config.Common.OutputFilename = path;
  config.ELF.LocalizeHidden = true;
  std::error_code ec;
  llvm::raw_fd_ostream os(path, ec);
  if (ec)
    return llvm::createStringError(ec, "cannot write " + path);
  return llvm::objcopy::executeObjcopyOnBinary(config, **binary, os);
}
