//===- GraphBindings.cpp - the graph builder in Python --------------------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Graph.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace cellgrad::python {

using OptionalLoc = std::optional<SourceLocation>;
using ArgumentTuple =
    std::tuple<std::string, std::vector<int64_t>, std::string, std::string,
               std::optional<int64_t>, OptionalLoc>;

static std::vector<std::pair<std::string, AttributeValue>>
readAttributes(const std::optional<nb::dict> &attributes) {
  std::vector<std::pair<std::string, AttributeValue>> out;
  if (!attributes)
    return out;
  for (auto [key, value] : *attributes) {
    std::string name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::bool_>(value))
      out.emplace_back(name, nb::cast<bool>(value));
    else if (nb::isinstance<nb::int_>(value))
      out.emplace_back(name, nb::cast<int64_t>(value));
    else if (nb::isinstance<nb::float_>(value))
      out.emplace_back(name, nb::cast<double>(value));
    else if (nb::isinstance<nb::str>(value))
      out.emplace_back(name, nb::cast<std::string>(value));
    else
      out.emplace_back(name, nb::cast<std::vector<int64_t>>(value));
  }
  return out;
}

/// One value for ops with one result, a list otherwise.
static nb::object oneOrList(std::vector<GraphValue> values) {
  if (values.size() == 1)
    return nb::cast(std::move(values[0]));
  return nb::cast(std::move(values));
}

void bindGraph(nb::module_ &m) {
  nb::exception<GraphError> error(m, "GraphError", PyExc_ValueError);

  nb::class_<SourceLocation>(m, "Loc", "A Python line and the path of a Cell.")
      .def(
          "__init__",
          [](SourceLocation *self, std::string file, int line, int column,
             std::string name) {
            new (self)
                SourceLocation{std::move(file), line, column, std::move(name)};
          },
          "file"_a, "line"_a, "column"_a = 0, "name"_a = "")
      .def_ro("file", &SourceLocation::file)
      .def_ro("line", &SourceLocation::line)
      .def_ro("column", &SourceLocation::column)
      .def_ro("name", &SourceLocation::name);

  nb::class_<GraphValue>(m, "Value", "A tensor value of a graph.")
      .def_prop_ro("dtype", &GraphValue::dtype)
      .def_prop_ro(
          "shape",
          [](const GraphValue &v) { return nb::tuple(nb::cast(v.shape())); })
      .def("__eq__", [](const GraphValue &a,
                        const GraphValue &b) { return a.value == b.value; })
      .def("__hash__", [](const GraphValue &v) {
        return static_cast<int64_t>(mlir::hash_value(v.value));
      });

  nb::class_<FunctionBuilder>(m, "FunctionBuilder",
                              "Appends ops to one function.")
      .def_prop_ro("name", &FunctionBuilder::name)
      .def_prop_ro("args", &FunctionBuilder::arguments)
      .def(
          "add_argument",
          [](FunctionBuilder &f, const std::string &dtype,
             const std::vector<int64_t> &shape, const std::string &name,
             const std::string &role, const OptionalLoc &loc,
             std::optional<int64_t> donate) {
            return f.addArgument({{dtype, shape}, name, role, donate, loc});
          },
          "dtype"_a, "shape"_a, "name"_a = "", "role"_a = "",
          "loc"_a = nb::none(), "donate"_a = nb::none(),
          "Appends an argument to the function.")
      .def(
          "create",
          [](FunctionBuilder &f, const std::string &op,
             const std::vector<GraphValue> &operands,
             const std::optional<nb::dict> &attributes, const OptionalLoc &loc,
             const std::optional<TensorSpec> &result) {
            return oneOrList(f.create(op, operands, readAttributes(attributes),
                                      loc, result));
          },
          "op"_a, "operands"_a, "attributes"_a = nb::none(),
          "loc"_a = nb::none(), "result"_a = nb::none(),
          "Appends op `op`. Attributes are bool, int, float, str or list of "
          "int; `result` "
          "is (dtype, shape) for ops whose type cannot be inferred. Raises "
          "GraphError, a "
          "ValueError, for an ill-formed op.")
      .def(
          "constant",
          [](FunctionBuilder &f, nb::bytes data, const std::string &dtype,
             const std::vector<int64_t> &shape, const OptionalLoc &loc) {
            return f.constant(data.data(), data.size(), {dtype, shape}, loc);
          },
          "data"_a, "dtype"_a, "shape"_a, "loc"_a = nb::none(),
          "A constant from row-major bytes: those of one element, for a splat, "
          "or of all.")
      .def("vjp", &FunctionBuilder::vjp, "callee"_a, "args"_a, "cotangents"_a,
           nb::kw_only(), "of"_a, "wrt"_a, "loc"_a = nb::none(),
           "Primal results of `callee`, then one cotangent for every entry of "
           "`wrt`.")
      .def("jvp", &FunctionBuilder::jvp, "callee"_a, "args"_a, "tangents"_a,
           nb::kw_only(), "of"_a, "wrt"_a, "loc"_a = nb::none(),
           "Primal results of `callee`, then one tangent for every entry of "
           "`of`.")
      .def("vmap", &FunctionBuilder::vmap, "callee"_a, "args"_a, nb::kw_only(),
           "in_dims"_a, "out_dims"_a, "loc"_a = nb::none(),
           "Results of `callee` on a batch. `in_dims` is the batch dimension "
           "of every "
           "argument, -1 for none; `out_dims` that of every result.")
      .def("call", &FunctionBuilder::call, "callee"_a, "args"_a,
           "loc"_a = nb::none())
      .def("if_", &FunctionBuilder::branch, "condition"_a, "then_callee"_a,
           "then_args"_a, "else_callee"_a, "else_args"_a, "loc"_a = nb::none(),
           "Calls one of two functions, as a Bool without dimensions says.")
      .def(
          "while_", &FunctionBuilder::loop, "test"_a, "test_captures"_a,
          "body"_a, "body_captures"_a, "initial"_a, "loc"_a = nb::none(),
          "Calls `body` while `test` gives true. Both take the carried values, "
          "then their captures.")
      .def("custom", &FunctionBuilder::custom, "callee"_a, "args"_a,
           "captures"_a, "rule"_a, nb::kw_only(), "forward"_a,
           "rule_captures"_a, "loc"_a = nb::none(),
           "Calls `callee`, whose derivative `rule` gives: its JVP if "
           "`forward`, else its VJP.")
      .def("recompute", &FunctionBuilder::recompute, "callee"_a, "args"_a,
           "loc"_a = nb::none(),
           "Calls `callee`, which reverse mode runs again for its adjoint.")
      .def("replace", &FunctionBuilder::replace, "before"_a, "after"_a,
           "What used `before` uses `after`, but for the op that gives it, "
           "which moves up to stand before all of these. False, and nothing "
           "is changed, where one of them stands before an operand of it.")
      .def("discard", &FunctionBuilder::discard, "Drops the function.")
      .def("ret", &FunctionBuilder::finish, "results"_a,
           "names"_a = std::vector<std::string>(), "loc"_a = nb::none(),
           "skipped"_a = nb::none(),
           "Returns from the function, which is finished by it. `skipped` is "
           "the result that tells that a training step left its update out.");

  nb::class_<Graph>(m, "Graph", "An MLIR module under construction.")
      .def(nb::new_([](const std::string &name) {
             return std::make_shared<Graph>(name);
           }),
           "name"_a = "graph")
      .def_static("parse", &Graph::parse, "text"_a,
                  "The graph of a module's text. Raises GraphError.")
      .def_static(
          "parse",
          [](nb::bytes data) {
            return Graph::parse(std::string(data.c_str(), data.size()));
          },
          "bytecode"_a, "The graph of a module's bytecode. Raises GraphError.")
      .def(
          "function",
          [](std::shared_ptr<Graph> g, const std::string &name,
             const std::vector<ArgumentTuple> &args, bool isPublic) {
            std::vector<ArgumentSpec> specs;
            for (const auto &[dtype, shape, argName, role, donate, loc] : args)
              specs.push_back({{dtype, shape}, argName, role, donate, loc});
            return FunctionBuilder(std::move(g), name, specs, isPublic);
          },
          "name"_a, "args"_a, "public"_a = false,
          "A new function; `args` are (dtype, shape, name, role, donate, loc).")
      .def(
          "include",
          [](Graph &g, nb::bytes data) {
            return g.include(std::string(data.c_str(), data.size()));
          },
          "bytecode"_a,
          "Puts the functions of another module into this one; gives the names "
          "they had and have. Raises GraphError.")
      .def("open_batch", &Graph::openBatch, "size"_a, "max"_a, "often"_a,
           "others"_a,
           "Makes the graph, captured for `size` samples, a program for 1 to "
           "`max`, with programs of their own for sizes that come `often`. "
           "`others` are texts of what was captured for other sizes. Gives the "
           "sizes that have programs of their own. "
           "Raises GraphError if one of `others` is another program.")
      .def("add_batch_program", &Graph::addBatchProgram, "text"_a,
           "Adds the text of what was captured for such a size. Raises "
           "GraphError.")
      .def("text", &Graph::text, "locations"_a = false)
      .def(
          "bytecode",
          [](Graph &g, int64_t version) {
            std::string data = g.bytecode(version);
            return nb::bytes(data.data(), data.size());
          },
          "version"_a, "The module as bytecode. Raises GraphError.")
      .def("verify", &Graph::verify);
}

} // namespace cellgrad::python
