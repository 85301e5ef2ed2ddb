//===- Files.h - files that appear whole, and together --------------------===//

#ifndef CELLGRAD_PASSES_EMIT_FILES_H
#define CELLGRAD_PASSES_EMIT_FILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace cellgrad {

/// A file that cannot be written: "cannot write 'm.so': No space left on device
/// (it takes 3 bytes, and 0 are free there)".
class FileError : public llvm::ErrorInfo<FileError> {
public:
  static char ID;

  /// `why` has the words, and the code if it has one.
  FileError(llvm::StringRef path, llvm::Error why);

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return code; }
  llvm::StringRef getPath() const { return path; }
  llvm::StringRef getReason() const { return reason; }

private:
  std::string path, reason;
  std::error_code code;
};

/// Writes `pieces` one after the other to the open file `descriptor` and closes
/// it; where `durable`, when they have reached the disk. Errors say what there
/// was to write and how much room there is, for a FileError.
llvm::Error writeAndClose(int descriptor,
                          llvm::ArrayRef<llvm::StringRef> pieces, bool durable);

/// Files that take the place of what is at their paths together, or not at all.
/// Until then they are hidden files in the same directories.
///
/// What cannot be done in one step is to rename several: a process that is
/// killed within commit() leaves some of them new and the others, the one added
/// first among them, old.
class FileSet {
public:
  /// Where `durable`, files reach the disk before they take their places.
  explicit FileSet(bool durable) : durable(durable) {}
  ~FileSet();
  FileSet(const FileSet &) = delete;
  FileSet &operator=(const FileSet &) = delete;

  /// Writes the file that is to appear at `path`. Errors are FileErrors.
  llvm::Error add(llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> pieces,
                  bool executable = false);

  /// Puts the files in place, the one added first as the last. After a
  /// FileError all is as it was (where the file system has no hard links, as
  /// far as files before the failing one did not exist).
  llvm::Error commit();

private:
  struct File {
    std::string path;
    std::string part; ///< its place until commit(), and empty afterwards
    std::string old;  ///< a second name of the file it replaces, or empty
    bool replaces = false;
    void undo();
  };

  bool durable;
  std::vector<File> files;
};

/// Writes one file.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

} // namespace cellgrad

#endif
