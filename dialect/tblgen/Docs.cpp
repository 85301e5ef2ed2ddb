//===- Docs.cpp - the table of ops in the documentation -------------------===//

#include "dialect/tblgen/Expr.h"
#include "dialect/tblgen/Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace cellgrad::tblgen;

namespace {

std::string derivativeOf(const OpRecord &r) {
  if (r.kind == "zero" || r.kind == "none")
    return (r.kind == "zero" ? "zero: " : "none: ") + r.why.str();
  if (r.kind == "custom")
    return "by hand, beside the verifier";
  std::string text;
  for (auto [i, rule] : llvm::enumerate(r.vjp)) {
    if (rule.empty())
      continue;
    if (!text.empty())
      text += "<br>";
    text += r.op.getOperand(i).name.str() + ": `" + rule.str() + "`";
  }
  return text;
}

/// What the adjoint reads of the forward pass: operands and results.
std::string residualsOf(const OpRecord &r) {
  StringSet<> names;
  for (StringRef name : r.reads)
    names.insert(name);
  for (StringRef rule : r.vjp)
    if (!rule.empty())
      parseExpr(rule, r.def, "vjp").collectNames(names);
  std::string text;
  auto add = [&](StringRef name) {
    if (names.contains(name))
      text += (text.empty() ? "" : ", ") + name.str();
  };
  for (auto &operand : r.op.getOperands())
    add(operand.name);
  for (auto &result : r.op.getResults())
    add(result.name);
  return text.empty() ? "-" : text;
}

/// Escapes what would end a table cell.
std::string cell(StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

bool emitDocs(const RecordKeeper &records, raw_ostream &os) {
  os << R"(# Ops of the cell dialect

Every op of the dialect with the rules of its derivatives. The table is generated from the
records in `dialect/*.td`: `make docs` copies it from a build, and a test compares the two. Rules
are in the language that `dialect/CellBase.td` describes: `ct` is the cotangent of the result,
`d_x` the tangent of operand `x`. *Residuals* are the values of the forward pass that the adjoint
reads.

| op | meaning | cotangent of each operand | residuals | JVP | where not differentiable | Python |
| --- | --- | --- | --- | --- | --- | --- |
)";
  for (const OpRecord &r : readOps(records)) {
    StringRef jvp = r.kind == "vjp"
                        ? (r.jvp.empty() ? "sum of the same terms" : r.jvp)
                        : r.kind;
    os << "| `" << r.op.getOperationName() << "` | " << cell(r.op.getSummary())
       << " | " << derivativeOf(r) << " | " << residualsOf(r) << " | " << jvp
       << " | " << (r.subgradient.empty() ? "" : r.subgradient) << " | "
       << (r.function.empty() ? "" : "`ops." + r.function.str() + "`")
       << " |\n";
  }
  return false;
}

mlir::GenRegistration docs("gen-cell-docs", "Markdown table of all ops",
                           emitDocs);

} // namespace
