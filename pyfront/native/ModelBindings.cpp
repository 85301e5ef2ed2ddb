//===- ModelBindings.cpp - compiled models in Python ----------------------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Cancel.h"
#include "pyfront/native/Ceilings.h"
#include "pyfront/native/Model.h"
#include "pyfront/native/Recorder.h"
#include "pyfront/native/Threads.h"

#include "passes/emit/Ptx.h"
#include "runtime/threads.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace cellgrad::python {
namespace {

nb::object parseJSON(const std::string &text) {
  return nb::module_::import_("json").attr("loads")(text);
}

Entry findEntry(std::shared_ptr<Model> model, const std::string &name) {
  std::string known;
  const auto &entries = model->model().entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == name)
      return Entry(std::move(model), i);
    known += (i ? ", " : "") + entries[i].name;
  }
  throw nb::key_error(
      ("'" + model->path() + "' has no entry '" + name + "': it has " + known)
          .c_str());
}

/// The class of Python for an exception of C++.
PyObject *pythonType(nb::exception_type type) {
  switch (type) {
  case nb::exception_type::type_error:
    return PyExc_TypeError;
  case nb::exception_type::index_error:
    return PyExc_IndexError;
  default:
    return PyExc_ValueError;
  }
}

/// entry(buffers, out=None), without nanobind's argument conversion.
PyObject *callEntry(PyObject *self, PyObject *args, PyObject *kwargs) {
  return withErrors([&] {
    Py_ssize_t count = NB_TUPLE_GET_SIZE(args);
    nb::handle out = Py_None;
    if (count == 2)
      out = NB_TUPLE_GET_ITEM(args, 1);
    else if (kwargs && count == 1 && NB_DICT_GET_SIZE(kwargs) == 1)
      out = PyDict_GetItemString(kwargs, "out");
    bool extra = kwargs && NB_DICT_GET_SIZE(kwargs) != 0 &&
                 (count != 1 || out.is_none());
    if (count < 1 || count > 2 || !out.is_valid() || extra)
      throw nb::type_error("an entry takes a list of tensors and out=None");
    return nb::inst_ptr<Entry>(self)->call(NB_TUPLE_GET_ITEM(args, 0), out);
  });
}

/// A call whose kernels are timed: its results, when it began and ended, what
/// the runs of each kernel took, and the first of them one by one.
nb::tuple recordCall(const Entry &entry, nb::handle buffers, size_t mostRuns) {
  Recorder recorder(mostRuns);
  nb::object results = entry.call(buffers, nb::none(), &recorder);
  nb::list totals, runs;
  for (const Recorder::Total &total : recorder.totals)
    totals.append(nb::make_tuple(total.runs, total.nanoseconds));
  for (const Recorder::Run &run : recorder.runs)
    runs.append(nb::make_tuple(run.kernel, run.begin, run.end));
  return nb::make_tuple(results, recorder.begin, recorder.end, totals, runs);
}

PyType_Slot entrySlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(callEntry)},
    {0, nullptr},
};
} // namespace

PyObject *withErrors(llvm::function_ref<nb::object()> body) {
  try {
    return body().release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const nb::builtin_exception &error) {
    PyErr_SetString(pythonType(error.type()), error.what());
  } catch (const std::bad_alloc &error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void bindModel(nb::module_ &m) {
  nb::exception<ModelError> error(m, "ModelError", PyExc_RuntimeError);

  nb::class_<Entry>(
      m, "Entry", nb::type_slots(entrySlots),
      "entry(buffers, out=None) -> list of results. `buffers` is a list of "
      "TensorBuffer, or of contiguous objects with the buffer protocol or "
      "DLPack. Donated arguments are updated in place and returned.")
      .def_prop_ro("name", [](const Entry &e) { return e.spec().name; })
      .def_prop_ro("arena_bytes",
                   [](const Entry &e) { return e.spec().arenaBytes; })
      .def_prop_ro("model", [](const Entry &e) { return e.model(); })
      .def("record", recordCall, "buffers"_a, "most_runs"_a,
           "Calls the entry of a model with probes. Returns its results; when "
           "the call began and ended; of each kernel its runs and their "
           "nanoseconds; and the first `most_runs` runs: kernel, begin, end. "
           "Times are those of time.monotonic_ns.");

  nb::class_<Model>(m, "Model", "A compiled shared object in this process.")
      .def(nb::new_([](const std::string &path, std::optional<int32_t> device) {
             return std::make_shared<Model>(path, device);
           }),
           "path"_a, "device"_a = nb::none(),
           "Raises ModelError for a file that is no model for this machine.")
      .def_prop_ro("path", &Model::path)
      .def_prop_ro("name", &Model::name)
      .def_prop_ro(
          "weights",
          [](const Model &model) -> nb::object {
            if (!model.model().embedsWeights())
              return nb::none();
            auto get = reinterpret_cast<const void *(*)(uint64_t *)>(
                model.symbol(model.model().prefix() + "weights"));
            uint64_t size = 0;
            const void *bytes = get(&size);
            return nb::bytes(bytes, size);
          },
          "The bytes of the .safetensors file inside it, or None.")
      .def_prop_ro(
          "signature",
          [](const Model &model) { return parseJSON(model.signature()); })
      .def_prop_ro("entries",
                   [](const Model &model) {
                     std::vector<std::string> names;
                     for (const EntrySpec &entry : model.model().entries)
                       names.push_back(entry.name);
                     return names;
                   })
      .def("entry", findEntry, "name"_a,
           "The entry `name`; KeyError if there is none.");

  m.def(
      "machine_ceilings",
      [](int threads) {
        Ceilings found;
        {
          nb::gil_scoped_release release;
          found = measureCeilings(threads);
        }
        return nb::make_tuple(found.singles, found.doubles, found.bytes);
      },
      "threads"_a,
      "Measures what so many threads do a second at most: arithmetic "
      "operations in float32 and in float64, and bytes of memory.");

  m.def("set_print_hook", setPrintHook, "hook"_a.none(),
        "Called with (text, TensorBuffer or None) for what a model prints; "
        "None: stdout.");
  m.def("print_hook", printHook);
  m.def("set_host_hook", setHostHook, "hook"_a.none(),
        "Called with (tag, TensorBuffer or None, elements) for what a program "
        "hands over or asks for; returns a TensorBuffer for None.");
  setMainThread(nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident")));
  m.def(
      "set_call_limits",
      [](uint64_t trips, uint64_t stashBytes) {
        callLimits = {trips, stashBytes};
      },
      "trips"_a, "stash_bytes"_a,
      "What loops of unknown length may use in one call; 0: no limit.");
  nb::exception<DeviceError>(m, "DeviceError", PyExc_RuntimeError);
  m.def(
      "open_device",
      [](int32_t ordinal) {
        const Device &device = Device::get(ordinal);
        const GpuChip *chip = findChipFor(device.chip());
        return nb::make_tuple(device.name(),
                              "sm_" + std::to_string(device.chip()),
                              chip ? nb::cast(chip->name.str()) : nb::none());
      },
      "ordinal"_a,
      "The name of a CUDA device, its chip, and the chip to generate code for, "
      "None where the device is too old. DeviceError where there is no driver "
      "or no such device.");
  m.def(
      "has_device",
      [](int32_t ordinal) {
        try {
          Device::get(ordinal);
          return true;
        } catch (const DeviceError &) {
          return false;
        }
      },
      "ordinal"_a, "Whether there is a CUDA device of that number.");
  m.def(
      "gpu_chips",
      [] {
        std::vector<std::string> names;
        for (const GpuChip &chip : gpuChips())
          names.push_back(chip.name.str());
        return names;
      },
      "The chips that code is generated for, the oldest first.");
  m.def("device_transfers", [] {
    const Device::Transfers &t = Device::transfers();
    return nb::make_tuple(t.uploads, t.uploadedBytes, t.downloads,
                          t.downloadedBytes);
  });
  m.def("set_num_threads", setNumThreads, "count"_a);
  m.def("num_threads", numThreads,
        "How many threads calls compute on; ValueError for a "
        "CELLGRAD_NUM_THREADS that cannot be.");
  m.attr("MOST_THREADS") = CG_MOST_THREADS;
  m.def("cancel_calls", cancelCalls,
        "Ends the calls that run now, in all threads.");
  // A hook kept to the end would keep its module, and all in it, from going.
  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function([] { setPrintHook(nb::none()); }));
}

} // namespace cellgrad::python
