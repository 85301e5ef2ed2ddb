//===- Derivatives.cpp - buildVJP and buildJVP from derivative records ----===//

#include "dialect/tblgen/Expr.h"
#include "dialect/tblgen/Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using namespace cellgrad::tblgen;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;

namespace {

using OpTable = StringMap<const OpRecord *>;

/// Writes one rule as a sequence of C++ statements.
class RuleEmitter {
public:
  RuleEmitter(const OpRecord &rule, const OpTable &ops, raw_ostream &os)
      : rule(rule), ops(ops), os(os) {}

  /// Emits the statements of `text` and returns the variable that holds its
  /// value. `ct` is the C++ expression for the incoming cotangent or tangent.
  std::string emit(StringRef text, StringRef field, StringRef ct) {
    cotangent = ct;
    return emitValue(parseExpr(text, rule.def, field));
  }

private:
  [[noreturn]] void fail(const Twine &what) {
    PrintFatalError(rule.def.getLoc(), what);
  }

  std::string fresh() { return "v" + std::to_string(counter++); }

  std::string emitName(StringRef name) {
    if (name == "ct")
      return cotangent.str();
    if (name == "result")
      return "getResult()";
    bool tangent = name.consume_front("d_");
    for (int i = 0, e = rule.op.getNumOperands(); i < e; ++i) {
      if (rule.op.getOperand(i).name != name)
        continue;
      std::string operand = rule.op.getGetterName(name) + "()";
      if (!tangent)
        return operand;
      return "valueOrZero(builder, loc, tangents[" + std::to_string(i) + "], " +
             operand + ".getType())";
    }
    fail("the derivative names '" + name + "', which is no operand");
  }

  const Expr *findKey(const Expr &call, StringRef key) {
    for (const Expr &arg : call.args)
      if (arg.key == key)
        return &arg;
    return nullptr;
  }

  std::string emitAttribute(const Expr &call, const NamedAttribute &attr) {
    const Expr *given = findKey(call, attr.name);
    StringRef type = attr.attr.getAttrDefName();
    if (type == "anonymous" || attr.attr.hasDefaultValue())
      type = attr.attr.getBaseAttr().getAttrDefName();
    if (given && given->kind == Expr::Name && given->text != "true" &&
        given->text != "false")
      return rule.op.getGetterName(given->text) + "Attr()";
    std::string value;
    if (given && given->kind != Expr::Call)
      value = given->text;
    else if (!given && attr.attr.hasDefaultValue())
      value = attr.attr.getDefaultValue().str();
    else
      fail("cell." + call.text + " needs attribute '" + attr.name + "'");
    if (type == "BoolAttr")
      return "builder.getBoolAttr(" + value + ")";
    if (type == "I64Attr")
      return "builder.getI64IntegerAttr(" + value + ")";
    if (type == "DenseI64ArrayAttr")
      return "builder.getDenseI64ArrayAttr(" + value + ")";
    fail("attribute '" + attr.name + "' of cell." + call.text + " is " + type +
         ", which rules cannot pass");
  }

  std::string emitWhen(const Expr &call) {
    if (call.args.size() != 3 || call.args[0].kind != Expr::Name)
      fail("when(attribute, value, value) takes three arguments");
    std::string var = fresh();
    os << "    Value " << var << ";\n    if ("
       << rule.op.getGetterName(call.args[0].text) << "()) {\n";
    std::string a = emitValue(call.args[1]);
    os << "    " << var << " = " << a << ";\n    } else {\n";
    std::string b = emitValue(call.args[2]);
    os << "    " << var << " = " << b << ";\n    }\n";
    return var;
  }

  /// A call of the function of this name in Rules.h, on `count` values.
  std::string emitHelper(const Expr &call, size_t count) {
    if (call.args.size() != count)
      fail(call.text + " takes " + Twine(count) + " values");
    std::string values;
    for (const Expr &arg : call.args)
      values += ", " + emitValue(arg);
    std::string var = fresh();
    os << "    Value " << var << " = " << call.text << "(builder, loc" << values
       << ");\n";
    return var;
  }

  std::string emitValue(const Expr &e) {
    if (e.kind == Expr::Name)
      return emitName(e.text);
    if (e.kind == Expr::Number)
      return "splat(builder, loc, " + cotangent.str() + ".getType(), " +
             e.text + ")";
    if (e.kind == Expr::Cpp)
      fail("C++ stands only for an attribute");
    if (e.text == "when")
      return emitWhen(e);
    if (e.text == "quotient" || e.text == "half")
      return emitHelper(e, e.text == "half" ? 1 : 2);
    auto found = ops.find(e.text);
    if (found == ops.end())
      fail("the derivative calls '" + e.text + "', which is no cell op");
    const OpRecord &callee = *found->second;

    // Numbers take the type of the last value beside them, so values come
    // first.
    SmallVector<const Expr *> positional;
    for (const Expr &arg : e.args)
      if (arg.key.empty())
        positional.push_back(&arg);
    if (static_cast<int>(positional.size()) != callee.op.getNumOperands())
      fail("cell." + e.text + " takes " + Twine(callee.op.getNumOperands()) +
           " operands");
    SmallVector<std::string> values(positional.size());
    std::string typed = cotangent.str();
    for (auto [i, arg] : llvm::enumerate(positional))
      if (arg->kind != Expr::Number)
        typed = values[i] = emitValue(*arg);
    for (auto [i, arg] : llvm::enumerate(positional))
      if (arg->kind == Expr::Number) {
        values[i] = fresh();
        os << "    Value " << values[i] << " = splat(builder, loc, " << typed
           << ".getType(), " << arg->text << ");\n";
      }

    std::string var = fresh();
    os << "    Value " << var << " = " << callee.op.getCppClassName()
       << "::create(builder, loc";
    if (const Expr *like = findKey(e, "like"))
      os << ", " << emitValue(*like) << ".getType()";
    unsigned next = 0;
    for (int i = 0, n = callee.op.getNumArgs(); i < n; ++i) {
      auto arg = callee.op.getArg(i);
      if (isa<NamedTypeConstraint *>(arg))
        os << ", " << values[next++];
      else if (auto *attr = dyn_cast<NamedAttribute *>(arg))
        os << ", " << emitAttribute(e, *attr);
    }
    os << ");\n";
    return var;
  }

  const OpRecord &rule;
  const OpTable &ops;
  raw_ostream &os;
  StringRef cotangent;
  unsigned counter = 0;
};

void emitVJP(const OpRecord &r, const OpTable &ops, raw_ostream &os) {
  os << "LogicalResult " << r.op.getCppClassName()
     << "::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents, const "
        "llvm::SmallBitVector &wanted, MutableArrayRef<Value> "
        "operandCotangents) {\n";
  if (r.kind == "none") {
    os << "  return refuse(*this) << \"is not differentiable: \" << R\"("
       << r.why << ")\";\n}\n\n";
    return;
  }
  if (r.kind != "zero") {
    os << "  Value ct = cotangents[0];\n  if (!ct)\n    return success();\n"
       << "  [[maybe_unused]] Location loc = ruleLocation(*this, \"vjp\");\n";
    for (auto [i, text] : llvm::enumerate(r.vjp)) {
      if (text.empty())
        continue;
      os << "  if (wanted[" << i << "]) {\n";
      std::string v = RuleEmitter(r, ops, os).emit(text, "vjp", "ct");
      os << "    operandCotangents[" << i << "] = " << v << ";\n  }\n";
    }
  }
  os << "  return success();\n}\n\n";
}

/// The VJP's terms with tangents for cotangents, summed over the operands that
/// have one.
void emitTerms(const OpRecord &r, const OpTable &ops, raw_ostream &os) {
  os << "  Value sum;\n";
  for (auto [i, text] : llvm::enumerate(r.vjp)) {
    if (text.empty())
      continue;
    std::string tangent = "tangents[" + std::to_string(i) + "]";
    os << "  if (" << tangent << ") {\n";
    std::string v = RuleEmitter(r, ops, os).emit(text, "vjp", tangent);
    os << "    sum = accumulate(builder, loc, sum, " << v << ");\n  }\n";
  }
  os << "  resultTangents[0] = sum;\n";
}

void emitJVP(const OpRecord &r, const OpTable &ops, raw_ostream &os) {
  os << "LogicalResult " << r.op.getCppClassName()
     << "::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents, "
        "MutableArrayRef<Value> resultTangents) {\n";
  if (r.kind == "none") {
    os << "  return refuse(*this) << \"is not differentiable: \" << R\"("
       << r.why << ")\";\n}\n\n";
    return;
  }
  if (r.kind != "zero")
    os << "  if (allZero(tangents))\n    return success();\n"
       << "  [[maybe_unused]] Location loc = ruleLocation(*this, \"jvp\");\n";
  if (r.kind == "linear") {
    os << "  resultTangents[0] = linearJVP(builder, loc, *this, tangents);\n";
  } else if (r.kind == "multilinear") {
    os << "  resultTangents[0] = multilinearJVP(builder, loc, *this, "
          "tangents);\n";
  } else if (r.kind == "vjp" && !r.jvp.empty()) {
    // A rule for all operands together; terms where some have no tangent.
    std::string together;
    for (auto [i, text] : llvm::enumerate(r.vjp))
      if (!text.empty())
        together += (together.empty() ? "tangents[" : " && tangents[") +
                    std::to_string(i) + "]";
    bool joint = r.isElementwise() && r.op.getNumOperands() > 1;
    os << "  " << (joint ? "if (" + together + ") " : "") << "{\n";
    std::string v = RuleEmitter(r, ops, os).emit(r.jvp, "jvp", "getResult()");
    os << "    resultTangents[0] = " << v
       << (joint ? ";\n    return success();\n  }\n" : ";\n  }\n");
    if (joint)
      emitTerms(r, ops, os);
  } else if (r.kind == "vjp") {
    emitTerms(r, ops, os);
  }
  os << "  return success();\n}\n\n";
}

bool emitDerivatives(const RecordKeeper &records, raw_ostream &os) {
  os << "// Generated by cell-tblgen from the derivative records.\n\n";
  std::vector<OpRecord> all = readOps(records);
  OpTable ops;
  for (const OpRecord &r : all)
    ops[r.mnemonic()] = &r;
  for (const OpRecord &r : all) {
    os << "bool " << r.op.getCppClassName() << "::hasZeroDerivative() { return "
       << (r.kind == "zero" ? "true" : "false") << "; }\n\n";
    if (r.kind == "custom")
      continue;
    emitVJP(r, ops, os);
    emitJVP(r, ops, os);
  }
  return false;
}

mlir::GenRegistration derivatives("gen-cell-derivatives",
                                  "buildVJP and buildJVP of every op",
                                  emitDerivatives);

} // namespace
