//===- Json.cpp - the records as JSON, for the fuzzer and other tests -----===//

#include "dialect/tblgen/Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace cellgrad::tblgen;

namespace {

/// The dtypes a type constraint of the dialect admits.
StringRef kindOf(StringRef constraint) {
  return StringSwitch<StringRef>(constraint)
      .Case("Cell_FloatTensor", "float")
      .Case("Cell_NumericTensor", "numeric")
      .Case("Cell_IntTensor", "int")
      .Case("Cell_BoolTensor", "bool")
      .Default("any");
}

bool hasTrait(const OpRecord &r, StringRef name) {
  return r.op.getTrait(name) != nullptr;
}

bool emitJson(const RecordKeeper &records, raw_ostream &os) {
  json::OStream out(os, 2);
  out.arrayBegin();
  for (const OpRecord &r : readOps(records)) {
    if (!r.isElementwise())
      continue;
    out.object([&] {
      out.attribute("op", r.op.getOperationName());
      out.attributeArray("operands", [&] {
        for (auto &operand : r.op.getOperands())
          out.value(kindOf(operand.constraint.getDefName()));
      });
      out.attribute("result",
                    kindOf(r.op.getResult(0).constraint.getDefName()));
      out.attribute("derivative", r.kind);
    });
  }
  out.arrayEnd();
  os << "\n";
  return false;
}

/// All ops, with what the record says of each.
bool emitRecords(const RecordKeeper &records, raw_ostream &os) {
  json::OStream out(os, 2);
  out.arrayBegin();
  for (const OpRecord &r : readOps(records)) {
    out.object([&] {
      out.attribute("op", r.op.getOperationName());
      out.attribute("summary", r.op.getSummary());
      out.attribute("elementwise", r.isElementwise());
      out.attributeArray("operands", [&] {
        for (auto &operand : r.op.getOperands())
          out.object([&] {
            out.attribute("name", operand.name);
            out.attribute("kind", kindOf(operand.constraint.getDefName()));
            out.attribute("variadic", operand.isVariadic());
          });
      });
      out.attribute("results", r.op.getNumResults());
      out.attribute("format", r.op.hasAssemblyFormat()
                                  ? r.op.getAssemblyFormat()
                                  : StringRef());
      out.attribute("derivative", r.kind);
      out.attributeArray("vjp", [&] {
        for (StringRef rule : r.vjp)
          out.value(rule);
      });
      out.attribute("jvp", r.jvp);
      out.attribute("why", r.why);
      out.attribute("subgradient", r.subgradient);
      out.attribute("batch", r.batch);
      out.attribute("python", r.function);
      out.attribute("class", r.className);
      out.attribute("singular", hasTrait(r, "::cellgrad::Singular"));
      out.attribute("discards", hasTrait(r, "::cellgrad::DiscardsElements"));
      out.attribute(
          "infers",
          hasTrait(r, "::mlir::InferTypeOpInterface::Trait") ||
              hasTrait(r, "::mlir::OpTrait::SameOperandsAndResultType"));
    });
  }
  out.arrayEnd();
  os << "\n";
  return false;
}

mlir::GenRegistration json("gen-cell-json",
                           "The elementwise ops and their types as JSON",
                           emitJson);
mlir::GenRegistration recordsJson("gen-cell-records", "All records as JSON",
                                  emitRecords);

} // namespace
