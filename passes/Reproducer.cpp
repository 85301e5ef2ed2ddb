//===- Reproducer.cpp - a program on which the compiler fails, as a file --===//

#include "passes/Reproducer.h"
#include "passes/emit/Names.h"
#include "passes/emit/Processor.h"

#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace cellgrad;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
constexpr size_t kKept = 16;
constexpr uint64_t kKeptBytes = 256 << 20;
constexpr llvm::StringLiteral kPrefix = "cellgrad-failure-";

std::string makeText(ModuleOp program, const CompileOptions &options,
                     const InternalFailure &failure, llvm::StringRef words) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// The compiler fails in " << failure.stage << " on this program:\n"
     << "//   " << failure.command << " FILE\n"
     << "// A smaller program that fails there:\n"
     << "//   cell-reduce FILE --test='" << failure.command
     << " --fails-in=" << failure.stage << "'\n";
  if (auto processor = resolveTarget(targetNames(options.emit.target).front()))
    os << "// Passes: " << pipelineFor(program, *processor->target, options)
       << "\n";
  else
    llvm::consumeError(processor.takeError());
  llvm::SmallVector<llvm::StringRef> lines;
  words.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    os << "// Said: " << line << "\n";
  program->print(os, OpPrintingFlags().enableDebugInfo(true, false));
  os << "\n";
  return text;
}

/// Writes a file that is not there yet, readable by its owner alone.
bool writeNew(llvm::StringRef file, llvm::StringRef text) {
  int descriptor;
  if (fs::openFileForWrite(file, descriptor, fs::CD_CreateNew, fs::OF_None,
                           0600))
    return false;
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  if (!os.has_error())
    return true;
  os.clear_error();
  (void)fs::remove(file);
  return false;
}

bool holds(llvm::StringRef file, llvm::StringRef text) {
  auto there = llvm::MemoryBuffer::getFile(file);
  return there && (*there)->getBuffer() == text;
}

/// Removes all but the newest reproducers of a folder; one always stays.
void trim(llvm::StringRef folder) {
  struct File {
    llvm::sys::TimePoint<> written;
    std::string path;
    uint64_t bytes;
  };
  std::vector<File> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    llvm::StringRef name = path::filename(it->path());
    if (!name.starts_with(kPrefix) || !name.ends_with(".mlir"))
      continue;
    if (auto status = it->status())
      found.push_back(
          {status->getLastModificationTime(), it->path(), status->getSize()});
  }
  llvm::sort(found, [](const File &a, const File &b) {
    return std::tie(a.written, a.path) > std::tie(b.written, b.path);
  });
  uint64_t total = 0;
  for (auto [i, file] : llvm::enumerate(found)) {
    total += file.bytes;
    if (i > 0 && (i >= kKept || total > kKeptBytes))
      (void)fs::remove(file.path);
  }
}

/// The path of the file in `folder`; empty if it cannot be written.
std::string writeInto(llvm::StringRef folder, llvm::StringRef stem,
                      llvm::StringRef text) {
  llvm::SmallString<128> file(folder);
  path::append(file, kPrefix + stem + "-" +
                         llvm::utohexstr(llvm::xxh3_64bits(text)) + ".mlir");
  // Of a name that is taken, only the same content is trusted.
  if (!writeNew(file, text) && !holds(file, text))
    return "";
  trim(folder);
  return file.str().str();
}
} // namespace

std::string cellgrad::reproducerCommand(const CompileOptions &options) {
  std::string command = "cellc --name=" + options.emit.model +
                        " --target=" + options.emit.target + " -O" +
                        std::to_string(options.emit.optLevel);
  if (options.cuda)
    command += " --device=cuda --chip=" + llvm::join(options.emit.chips, ",");
  if (options.emit.sanitizeAddress)
    command += " --sanitize=address";
  if (options.emit.sanitizeThread)
    command += " --sanitize=thread";
  if (options.emit.lines)
    command += " --lines";
  if (options.profile)
    command += " --profile";
  if (options.checkNans)
    command += " --check-nans";
  if (!options.verifyEach)
    command += " --verify-each=false";
  return command;
}

std::string cellgrad::writeReproducer(ModuleOp program,
                                      const CompileOptions &options,
                                      const InternalFailure &failure,
                                      llvm::StringRef words) {
  std::string text = makeText(program, options, failure, words);
  std::string stem = sanitizeIdentifier(options.emit.model);
  llvm::SmallString<128> folder(options.reproducers);
  if (folder.empty() && path::cache_directory(folder))
    path::append(folder, "cellgrad", "failures");
  if (!folder.empty() &&
      !fs::create_directories(folder, /*IgnoreExisting=*/true, fs::owner_all))
    if (std::string file = writeInto(folder, stem, text); !file.empty())
      return file;
  folder.clear();
  path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  return writeInto(folder, stem, text);
}
