//===- Files.cpp - files that appear whole, and together ------------------===//

#include "passes/emit/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace cellgrad;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {
/// While it lives, a file that outgrows its limit is an error of write() and
/// does not end the process.
class NoFileSizeSignal {
public:
  NoFileSizeSignal() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~NoFileSizeSignal() {
    const timespec now = {0, 0};
    if (!sigismember(&before, SIGXFSZ))
      while (sigtimedwait(&signals, nullptr, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t signals, before;
};

/// 0, or the errno of what went wrong.
int writeAll(int descriptor, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0)
      bytes = bytes.drop_front(written);
  }
  return 0;
}

llvm::Error cannotWrite(StringRef path, llvm::Error why) {
  return llvm::make_error<FileError>(path, std::move(why));
}

llvm::Error cannotWrite(StringRef path, int number, const char *why) {
  return cannotWrite(
      path, llvm::createStringError(
                std::error_code(number, std::generic_category()), why));
}

llvm::Error lastError() {
  return llvm::errorCodeToError(
      std::error_code(errno, std::generic_category()));
}

/// A new name beside `path`.
std::error_code createBeside(StringRef path, unsigned mode, int &descriptor,
                             std::string &name) {
  llvm::SmallString<128> model(llvm::sys::path::parent_path(path)), result;
  llvm::sys::path::append(model, ".cellgrad-%%%%%%%%%%%%");
  auto error = fs::createUniqueFile(model, descriptor, result, fs::OF_None,
                                    static_cast<fs::perms>(mode));
  name = result.str().str();
  return error;
}
} // namespace

char FileError::ID;

FileError::FileError(StringRef path, llvm::Error why)
    : path(path), code(llvm::inconvertibleErrorCode()) {
  llvm::handleAllErrors(std::move(why), [&](const llvm::ErrorInfoBase &info) {
    reason = info.message();
    code = info.convertToErrorCode();
  });
}

void FileError::log(llvm::raw_ostream &os) const {
  os << "cannot write '" << path << "': " << reason;
}

llvm::Error cellgrad::writeAndClose(int descriptor,
                                    llvm::ArrayRef<StringRef> pieces,
                                    bool durable) {
  NoFileSizeSignal guard;
  int failure = 0;
  for (StringRef piece : pieces)
    if (!failure)
      failure = writeAll(descriptor, piece);
  if (!failure && durable && ::fsync(descriptor) != 0 && errno != EINVAL)
    failure = errno;
  struct statvfs room;
  bool known = ::fstatvfs(descriptor, &room) == 0;
  if (::close(descriptor) != 0 && !failure && errno != EINTR)
    failure = errno;
  if (!failure)
    return llvm::Error::success();
  uint64_t size = 0;
  for (StringRef piece : pieces)
    size += piece.size();
  std::string free =
      known ? std::to_string(uint64_t(room.f_bavail) * room.f_frsize)
            : "an unknown number";
  std::error_code code(failure, std::generic_category());
  return llvm::createStringError(
      code, code.message() + " (it takes " + std::to_string(size) +
                " bytes, and " + free + " are free there)");
}

FileSet::~FileSet() {
  for (const File &file : files)
    for (const std::string &name : {file.part, file.old})
      if (!name.empty())
        ::unlink(name.c_str());
}

llvm::Error FileSet::add(StringRef path, llvm::ArrayRef<StringRef> pieces,
                         bool executable) {
  File file;
  file.path = path.str();
  // The file takes the place of what is there: not that of a device or a pipe.
  fs::file_status there;
  file.replaces = !fs::status(path, there);
  if (file.replaces && fs::is_directory(there))
    return cannotWrite(path, EISDIR,
                       "it is a directory; give the name of a file");
  if (file.replaces && !fs::is_regular_file(there))
    return cannotWrite(path, EINVAL,
                       "it is a device or a pipe; give the name of a file");
  int descriptor;
  if (auto error =
          createBeside(path, executable ? 0777 : 0666, descriptor, file.part))
    return cannotWrite(path, llvm::errorCodeToError(error));
  files.push_back(std::move(file));
  if (auto error = writeAndClose(descriptor, pieces, durable))
    return cannotWrite(path, std::move(error));
  return llvm::Error::success();
}

llvm::Error FileSet::commit() {
  // Second names for the old files, to put them back: all but that of the last
  // step, which happens or not.
  for (size_t i = 1; i < files.size(); ++i)
    if (std::string old = files[i].part + ".old";
        ::link(files[i].path.c_str(), old.c_str()) == 0)
      files[i].old = old;
  for (size_t i = files.size(); i-- > 0;) {
    File &file = files[i];
    if (::rename(file.part.c_str(), file.path.c_str()) != 0) {
      auto error = cannotWrite(file.path, lastError());
      for (File &done : llvm::drop_begin(files, i + 1))
        done.undo();
      return error;
    }
    file.part.clear();
  }
  return llvm::Error::success();
}

void FileSet::File::undo() {
  if (!replaces)
    ::unlink(path.c_str());
  else if (!old.empty() && ::rename(old.c_str(), path.c_str()) == 0)
    old.clear();
}

llvm::Error cellgrad::writeFile(StringRef path, StringRef text) {
  FileSet files(/*durable=*/false);
  if (auto error = files.add(path, text))
    return error;
  return files.commit();
}
