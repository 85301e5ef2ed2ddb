//===- Verify.h - the check at the end of a stage -------------------------===//

#ifndef CELLGRAD_LOWER_TENSORS_VERIFY_H
#define CELLGRAD_LOWER_TENSORS_VERIFY_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace cellgrad {

/// `cell-verify` verifies the module: each pipeline of the lowering ends with
/// it. So a compiler that does not verify after every pass still stops at the
/// end of the stage that left ill-formed IR.
std::unique_ptr<mlir::Pass> createVerifyStage();

} // namespace cellgrad

#endif
