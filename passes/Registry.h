//===- Registry.h - dialects and passes every cellgrad tool knows ---------===//

#ifndef CELLGRAD_PASSES_REGISTRY_H
#define CELLGRAD_PASSES_REGISTRY_H

namespace mlir {
class DialectRegistry;
}

namespace cellgrad {
/// Adds the cell dialect, the upstream dialects it lowers through, and the
/// external interface models those lowerings need.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every cellgrad pass and named pipeline, and the upstream passes
/// they use, with the global pass registry, once per process.
void registerPasses();

/// Registers the named pipelines alone.
void registerPipelines();
} // namespace cellgrad

#endif
