//===- Comm.cpp - communicators in Python ---------------------------------===//

#include "pyfront/native/Comm.h"
#include "pyfront/native/Bindings.h"
#include "pyfront/native/DeviceMemory.h"

#include "passes/emit/Text.h"
#include "runtime/comm/comm.h"

#include "llvm/Support/xxhash.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>

namespace nb = nanobind;
using namespace cellgrad::python;
using namespace nb::literals;

namespace {
struct Communicator {
  std::shared_ptr<cg_comm> comm;
  int32_t device = -1; ///< on which NCCL computes

  cg_comm &open() const {
    if (!comm)
      throw CommError("the communicator is closed");
    return *comm;
  }
};

Communicator own(cg_comm *comm) {
  if (!comm)
    throw CommError(cg_comm_error());
  return {std::shared_ptr<cg_comm>(comm, cg_comm_free)};
}

/// Guarded by the GIL. Lives as long as the process.
std::shared_ptr<cg_comm> &current = *new std::shared_ptr<cg_comm>;
} // namespace

std::shared_ptr<cg_comm> cellgrad::python::communicator() { return current; }

void cellgrad::python::bindComm(nb::module_ &m) {
  m.attr("VERSION") = compilerVersion().str();
  nb::exception<CommError>(m, "CommunicationError", PyExc_RuntimeError);
  nb::class_<Communicator>(m, "Communicator")
      .def_static(
          "shared",
          [](const std::string &name, int32_t rank, int32_t size,
             int64_t timeoutMs, double delay, double bytesPerUs) {
            cg_network network{delay, bytesPerUs};
            cg_comm *comm;
            {
              nb::gil_scoped_release release;
              comm =
                  cg_comm_shared(name.c_str(), rank, size, timeoutMs, &network);
            }
            return own(comm);
          },
          "name"_a, "rank"_a, "size"_a, "timeout_ms"_a, "delay_us"_a = 0.0,
          "bytes_per_us"_a = 0.0)
      .def_static(
          "mpi",
          [](std::optional<std::string> library,
             std::optional<int32_t> communicator, int64_t timeoutMs) {
            cg_comm *comm;
            {
              nb::gil_scoped_release release;
              comm = cg_comm_mpi(library ? library->c_str() : nullptr,
                                 communicator ? &*communicator : nullptr,
                                 timeoutMs);
            }
            return own(comm);
          },
          "library"_a.none(), "communicator"_a.none(), "timeout_ms"_a)
      .def(
          "use_nccl",
          [](Communicator &self, std::optional<std::string> library,
             int32_t device) {
            int32_t status = CG_OK;
            Device::get(device).with([&] {
              nb::gil_scoped_release release;
              status = cg_comm_nccl(&self.open(),
                                    library ? library->c_str() : nullptr);
            });
            if (status != CG_OK)
              throw CommError(cg_comm_error());
            self.device = device;
          },
          "library"_a.none(), "device"_a,
          "All ranks call it: collectives of memory of CUDA device number "
          "`device` are NCCL's from now on.")
      .def_prop_ro("rank", [](Communicator &self) { return self.open().rank; })
      .def_prop_ro("size", [](Communicator &self) { return self.open().size; })
      .def_prop_ro(
          "kind", [](Communicator &self) { return cg_comm_kind(&self.open()); })
      .def(
          "threads",
          [](Communicator &self, int32_t threads, bool share) {
            std::array<char, 1024> words{};
            cg_comm &comm = self.open();
            int32_t count;
            {
              nb::gil_scoped_release release;
              count = cg_comm_threads(&comm, threads, share, words.data(),
                                      words.size());
            }
            if (count == 0)
              throw CommError(comm.message(&comm));
            return nb::make_tuple(count, std::string(words.data()));
          },
          "threads"_a, "share"_a)
      .def(
          "agree",
          [](Communicator &self, const std::string &text) {
            cg_comm &comm = self.open();
            uint64_t hash = llvm::xxh3_64bits(text);
            int32_t status;
            {
              nb::gil_scoped_release release;
              status = comm.agree(&comm, hash);
            }
            if (status != CG_OK && status != CG_ERROR_COMM_MISMATCH)
              throw CommError(comm.message(&comm));
            return status == CG_OK;
          },
          "text"_a,
          "Whether all ranks give the same text. Else there is an error that "
          "stays.")
      .def(
          "use_thread",
          [](Communicator &self, bool use) {
            cg_comm_use_thread(&self.open(), use);
          },
          "use"_a)
      .def("poison", [](Communicator &self) { cg_comm_poison(&self.open()); })
      .def("times",
           [](Communicator &self) {
             int64_t performed, waited;
             cg_comm_times(&self.open(), &performed, &waited);
             return nb::make_tuple(performed, waited);
           })
      .def("abort", [](Communicator &self) { cg_comm_abort(&self.open()); })
      .def("close", [](Communicator &self) {
        nb::gil_scoped_release release;
        // What is enqueued there still has the communicator.
        if (self.comm && self.device >= 0)
          Device::get(self.device).finish();
        self.comm.reset();
      });
  m.def(
      "set_communicator",
      [](std::optional<Communicator> comm) {
        current = comm ? comm->comm : nullptr;
      },
      "comm"_a.none(),
      "The ranks that calls compute with from now on; None: this one alone.");
}
