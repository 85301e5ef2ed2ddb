//===- Failure.cpp - what a user is told when the compiler fails ----------===//

#include "passes/Failure.h"
#include "passes/Reproducer.h"

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace cellgrad;

namespace {
/// Tells a report which pass runs.
class NotePasses : public PassInstrumentation {
public:
  explicit NotePasses(FailureReport &report) : report(report) {}
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) // adaptors that run a nested pipeline
      report.enter(pass->getArgument());
  }

private:
  FailureReport &report;
};

/// What this thread compiles, for errors that end the process.
thread_local FailureReport *running = nullptr;

void endWithWords(void *, const char *words, bool) {
  if (running)
    running->tellBeforeTheEnd(words);
  else
    llvm::errs() << "LLVM ERROR: " << words << "\n";
}

/// The rule that made what is at `location` ("vjp of cell.tanh"), if one did.
llvm::StringRef findRule(Location location) {
  llvm::StringRef rule;
  location->walk([&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    auto name = fused ? dyn_cast_if_present<StringAttr>(fused.getMetadata())
                      : StringAttr();
    if (!name)
      return WalkResult::advance();
    rule = name;
    return WalkResult::interrupt();
  });
  return rule;
}

/// What of the program stands at `location`: an op, or a function. Empty if
/// nothing does.
std::string findConstruct(ModuleOp program, Location location) {
  if (llvm::StringRef rule = findRule(location); !rule.empty())
    return ("the " + rule).str();
  FileLineColLoc position = findPosition(location);
  if (!position)
    return "";
  Operation *found = nullptr;
  program.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) || findPosition(op->getLoc()) != position)
      return;
    // An op of the dialect says more than what connects such ops.
    if (!found || (isa<CellDialect>(op->getDialect()) &&
                   !isa<CellDialect>(found->getDialect())))
      found = op;
  });
  if (!found)
    return "";
  if (auto func = dyn_cast<func::FuncOp>(found))
    return "the function '" + func.getSymName().str() + "'";
  return "'" + found->getName().getStringRef().str() + "'";
}

std::string sentence(const InternalFailure &failure) {
  std::string what = failure.construct.empty() ? "this" : failure.construct;
  return what + " could not be compiled: " + failure.stage +
         " failed. This is a fault of cellgrad, not of the program";
}

std::string whereabouts(const InternalFailure &failure) {
  if (failure.reproducer.empty())
    return "no reproducer could be written";
  return "please report it with " + failure.reproducer +
         ", which fails in the same way: " + failure.command;
}
} // namespace

FileLineColLoc cellgrad::findPosition(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

FailureReport::FailureReport(ModuleOp program, const CompileOptions &options)
    : program(program), options(options), stage("the compiler"),
      outer(running) {
  static bool installed =
      (llvm::install_fatal_error_handler(endWithWords), true);
  (void)installed;
  running = this;
  handler.emplace(program.getContext(), [this](Diagnostic &diagnostic) {
    held.push_back(std::move(diagnostic));
    return success();
  });
}

FailureReport::~FailureReport() { running = outer; }

void FailureReport::watch(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<NotePasses>(*this));
}

bool FailureReport::isRefused() {
  // Who names the passes looks at what they say.
  if (!options.pipeline.empty())
    return true;
  bool givenLower = !holdsCellOps(program);
  return llvm::any_of(held, [&](Diagnostic &diagnostic) {
    return isRefusal(diagnostic, Blame::Program) ||
           (givenLower && isRefusal(diagnostic, Blame::Form));
  });
}

InternalFailure FailureReport::describe(llvm::StringRef words,
                                        Location location) {
  InternalFailure failure;
  failure.stage = stage;
  failure.construct = findConstruct(program, location);
  failure.command = reproducerCommand(options);
  failure.reproducer = writeReproducer(program, options, failure, words);
  failure.command += " " + failure.reproducer;
  return failure;
}

LogicalResult FailureReport::finish(LogicalResult result,
                                    std::optional<InternalFailure> *failure) {
  handler.reset();
  DiagnosticEngine &engine = program.getContext()->getDiagEngine();
  auto isError = [](Diagnostic &diagnostic) {
    return diagnostic.getSeverity() == DiagnosticSeverity::Error;
  };
  bool ours = failed(result) && !isRefused();
  for (Diagnostic &diagnostic : held)
    if (!ours || !isError(diagnostic))
      engine.emit(std::move(diagnostic));
  if (!ours)
    return result;

  std::string words;
  llvm::raw_string_ostream os(words);
  std::optional<Location> location;
  for (Diagnostic &diagnostic : held) {
    if (!isError(diagnostic))
      continue;
    os << diagnostic.getLocation() << ": " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      os << "note: " << note << "\n";
    if (!location && findPosition(diagnostic.getLocation()))
      location = diagnostic.getLocation();
  }
  InternalFailure found = describe(words, location.value_or(program.getLoc()));
  InFlightDiagnostic error = emitError(location.value_or(program.getLoc()))
                             << sentence(found);
  error.attachNote() << whereabouts(found);
  if (failure)
    *failure = std::move(found);
  return error;
}

void FailureReport::tellBeforeTheEnd(const char *words) {
  InternalFailure found = describe(words, program.getLoc());
  llvm::errs() << "error: " << sentence(found)
               << "\nnote: " << whereabouts(found) << "\n";
}
