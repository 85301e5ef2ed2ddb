//===- Graph.h - an MLIR module under construction from Python ------------===//

#ifndef CELLGRAD_PYFRONT_GRAPH_H
#define CELLGRAD_PYFRONT_GRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cellgrad::python {

/// An op or module that the dialect refuses, with its diagnostics as text.
struct GraphError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Element type by its Python name ("float32"), and the shape.
using TensorSpec = std::pair<std::string, std::vector<int64_t>>;

/// The Python line an op comes from and the path of the Cell it belongs to.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string name;
};

using AttributeValue =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

/// One context and one module. Values of a graph keep it alive.
class Graph : public std::enable_shared_from_this<Graph> {
public:
  explicit Graph(const std::string &name);
  /// A graph of the module that `text` says, or bytecode. Throws GraphError.
  static std::shared_ptr<Graph> parse(const std::string &text);

  mlir::MLIRContext *context() { return ctx.get(); }
  mlir::ModuleOp module() { return op.get(); }

  /// Puts the functions of another module, as text or bytecode, into this one,
  /// private and under names of their own. Gives the names they had and have.
  /// Throws GraphError.
  std::vector<std::pair<std::string, std::string>>
  include(const std::string &text);

  mlir::RankedTensorType type(const TensorSpec &spec);
  mlir::Location location(const std::optional<SourceLocation> &loc);

  /// Makes the graph, which was captured for `size` samples, a program for 1 to
  /// `max`. `others` are what was captured for other sizes: throws GraphError
  /// if one is not the same program. Gives the sizes that have programs of
  /// their own.
  std::vector<int64_t>
  openBatch(int64_t size, int64_t max, const std::vector<int64_t> &often,
            const std::vector<std::pair<int64_t, std::string>> &others);
  /// Adds what was captured for such a size, which may be another program.
  void addBatchProgram(const std::string &text);

  std::string text(bool locations);
  /// The module in MLIR's binary form, for readers of `version` and later.
  std::string bytecode(int64_t version);
  /// Throws GraphError with all diagnostics if the module is ill-formed.
  void verify();

  /// Takes a function out of the module. It lives as long as the graph, as its
  /// values in Python may.
  void drop(mlir::func::FuncOp func);

private:
  std::unique_ptr<mlir::MLIRContext> ctx;
  mlir::OwningOpRef<mlir::ModuleOp> op;
  std::vector<mlir::OwningOpRef<mlir::func::FuncOp>> dropped;
};

/// A tensor value of a graph.
struct GraphValue {
  std::shared_ptr<Graph> graph;
  mlir::Value value;

  std::string dtype() const;
  std::vector<int64_t> shape() const;
};

struct ArgumentSpec {
  TensorSpec type;
  std::string name;
  std::string role; // "input", "parameter", "state"
  std::optional<int64_t> donate;
  std::optional<SourceLocation> loc;
};

/// Appends ops to one function.
class FunctionBuilder {
public:
  FunctionBuilder(std::shared_ptr<Graph> graph, const std::string &name,
                  const std::vector<ArgumentSpec> &args, bool isPublic);

  std::string name() { return func.getName().str(); }
  std::vector<GraphValue> arguments();
  /// Appends an argument: values captured from around the function are met as
  /// it is built.
  GraphValue addArgument(const ArgumentSpec &spec);

  std::vector<GraphValue>
  create(const std::string &name, const std::vector<GraphValue> &operands,
         const std::vector<std::pair<std::string, AttributeValue>> &attributes,
         const std::optional<SourceLocation> &loc,
         const std::optional<TensorSpec> &result);

  /// A constant from row-major bytes: one element (a splat) or all of them.
  GraphValue constant(const void *data, size_t bytes, const TensorSpec &type,
                      const std::optional<SourceLocation> &loc);

  std::vector<GraphValue> vjp(const std::string &callee,
                              const std::vector<GraphValue> &args,
                              const std::vector<GraphValue> &cotangents,
                              const std::vector<int64_t> &of,
                              const std::vector<int64_t> &wrt,
                              const std::optional<SourceLocation> &loc);
  std::vector<GraphValue> jvp(const std::string &callee,
                              const std::vector<GraphValue> &args,
                              const std::vector<GraphValue> &tangents,
                              const std::vector<int64_t> &of,
                              const std::vector<int64_t> &wrt,
                              const std::optional<SourceLocation> &loc);
  std::vector<GraphValue> vmap(const std::string &callee,
                               const std::vector<GraphValue> &args,
                               const std::vector<int64_t> &inDims,
                               const std::vector<int64_t> &outDims,
                               const std::optional<SourceLocation> &loc);
  std::vector<GraphValue> call(const std::string &callee,
                               const std::vector<GraphValue> &args,
                               const std::optional<SourceLocation> &loc);
  /// An scf.if on the Bool `condition` over calls of two functions.
  std::vector<GraphValue> branch(const GraphValue &condition,
                                 const std::string &thenCallee,
                                 const std::vector<GraphValue> &thenArgs,
                                 const std::string &elseCallee,
                                 const std::vector<GraphValue> &elseArgs,
                                 const std::optional<SourceLocation> &loc);
  /// An scf.while: `test` and `body` take the carried values, then what they
  /// capture; `body` gives the carried values of the next trip.
  std::vector<GraphValue> loop(const std::string &test,
                               const std::vector<GraphValue> &testCaptures,
                               const std::string &body,
                               const std::vector<GraphValue> &bodyCaptures,
                               const std::vector<GraphValue> &initial,
                               const std::optional<SourceLocation> &loc);
  /// Calls of functions whose derivatives are not derived from their bodies:
  /// cell.custom and cell.recompute.
  std::vector<GraphValue> custom(const std::string &callee,
                                 const std::vector<GraphValue> &args,
                                 const std::vector<GraphValue> &captures,
                                 const std::string &rule, bool forward,
                                 const std::vector<GraphValue> &ruleCaptures,
                                 const std::optional<SourceLocation> &loc);
  std::vector<GraphValue> recompute(const std::string &callee,
                                    const std::vector<GraphValue> &args,
                                    const std::optional<SourceLocation> &loc);
  /// What used `before` uses `after`, but for the op that `after` is a result
  /// of, which moves up to stand before all of these. False, and nothing is
  /// changed, where one of them stands before an operand of that op.
  bool replace(const GraphValue &before, const GraphValue &after);
  /// Drops the function: an attempt to build it that is made again. No other
  /// function takes its values after that, as before.
  void discard();

  /// Ends the function; `names` are the results' names, empty for none, and
  /// `skipped` is the result that tells that the update was left out.
  void finish(const std::vector<GraphValue> &results,
              const std::vector<std::string> &names,
              const std::optional<SourceLocation> &loc,
              std::optional<size_t> skipped);

private:
  llvm::SmallVector<mlir::Value> unwrap(const std::vector<GraphValue> &values);
  std::vector<GraphValue> wrap(mlir::ValueRange values);
  mlir::func::FuncOp lookup(const std::string &callee);
  /// A call of `callee`, whose parameters must be of the types of `args`.
  mlir::ValueRange emitCall(const std::string &callee, mlir::ValueRange args,
                            mlir::Location loc);
  void requireOpen();

  std::shared_ptr<Graph> graph;
  mlir::func::FuncOp func;
  mlir::OpBuilder builder;
  bool finished = false;
};

} // namespace cellgrad::python

#endif
