//===- Input.cpp - what tools read ----------------------------------------===//

#include "passes/Input.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

using llvm::MemoryBuffer;
using llvm::StringRef;

namespace {
/// As compiled models may have.
constexpr off_t kMaxBytes = off_t(1) << 31;

llvm::Error cannotRead(StringRef name, const llvm::Twine &why) {
  return llvm::createStringError("cannot read '" + name + "': " + why);
}

llvm::Error cannotRead(StringRef name, std::error_code error) {
  return cannotRead(name, error.message());
}

std::error_code lastError() { return {errno, std::generic_category()}; }

/// What a pipe or a terminal gives until its end.
llvm::Expected<std::unique_ptr<MemoryBuffer>> readStream(int descriptor,
                                                         StringRef name) {
  constexpr size_t chunk = 1 << 16;
  llvm::SmallVector<char, 0> text;
  while (true) {
    size_t before = text.size();
    text.resize_for_overwrite(before + chunk);
    ssize_t size = ::read(descriptor, text.data() + before, chunk);
    if (size < 0 && errno != EINTR)
      return cannotRead(name, lastError());
    text.truncate(before + (size > 0 ? size : 0));
    if (size == 0)
      return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(text),
                                                             name);
    if (text.size() > size_t(kMaxBytes))
      return cannotRead(name, "it has more than 2 GiB");
  }
}
} // namespace

llvm::Expected<std::unique_ptr<MemoryBuffer>>
cellgrad::readInput(StringRef path) {
  bool standard = path == "-";
  StringRef name = standard ? "<stdin>" : path;
  int descriptor =
      standard ? STDIN_FILENO
               : ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0)
    return cannotRead(name, lastError());
  llvm::scope_exit close([&] {
    if (!standard)
      ::close(descriptor);
  });
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return cannotRead(name, lastError());
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
      ::isatty(descriptor))
    return readStream(descriptor, name);
  if (!S_ISREG(status.st_mode))
    return cannotRead(name, S_ISDIR(status.st_mode)
                                ? "it is a directory; give the name of a file"
                                : "it is a device; give the name of a file");
  if (status.st_size > kMaxBytes)
    return cannotRead(name, "it has " + llvm::Twine(status.st_size) +
                                " bytes, and 2 GiB is the most");
  auto contents = MemoryBuffer::getOpenFile(descriptor, name, /*FileSize=*/-1);
  if (!contents)
    return cannotRead(name, contents.getError());
  return std::move(*contents);
}
