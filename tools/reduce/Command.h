//===- Command.h - a command that ends in time ----------------------------===//

#ifndef CELLGRAD_REDUCE_COMMAND_H
#define CELLGRAD_REDUCE_COMMAND_H

#include "llvm/ADT/StringRef.h"

namespace cellgrad::reduce {

/// Whether `command` exits with status 0 in a shell, with `path` appended,
/// within `seconds`. After that it is ended, with all that it has started; so
/// it is when this program is interrupted.
bool succeeds(llvm::StringRef command, llvm::StringRef path, unsigned seconds);

} // namespace cellgrad::reduce

#endif
