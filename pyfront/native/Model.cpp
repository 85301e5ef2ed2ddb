//===- Model.cpp - compiled models in this process ------------------------===//

#include "pyfront/native/Model.h"

#include "passes/emit/Artifact.h"
#include "passes/emit/Target.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

using namespace cellgrad;
using namespace cellgrad::python;

namespace {
/// The files that are loaded, by the path given to dlopen: it takes a path it
/// knows for the library it knows, although another file may be there by now.
struct LoadedFile {
  dev_t device;
  ino_t inode;
};
std::mutex loadedMutex;
std::multimap<std::string, LoadedFile> loaded; // guarded by loadedMutex

/// Code and data reach each other by signed offsets of 32 bits.
constexpr off_t kMaxBytes = off_t(1) << 31;
} // namespace

Model::Model(const std::string &path) : file(path) {
  try {
    open();
    readSignature();
  } catch (const ModelError &error) {
    close();
    throw ModelError("cannot load '" + file + "': " + error.what());
  }
}

Model::~Model() { close(); }

void Model::close() {
  if (handle) {
    std::lock_guard<std::mutex> lock(loadedMutex);
    dlclose(handle);
    auto [begin, end] = loaded.equal_range(loadedPath);
    for (auto it = begin; it != end; ++it)
      if (it->second.device == device && it->second.inode == inode) {
        loaded.erase(it);
        break;
      }
  }
  if (descriptor >= 0)
    ::close(descriptor);
}

void *Model::symbol(const std::string &name) const {
  void *address = dlsym(handle, name.c_str());
  if (!address)
    throw ModelError("it has no function " + name +
                     "; compile the model again");
  return address;
}

std::string Model::statusMessage(int32_t status) const {
  auto words = reinterpret_cast<const char *(*)(int32_t)>(
      symbol("cg_" + spec.name + "_status_message"));
  return words(status);
}

void Model::open() {
  // A pipe is not waited for.
  descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    throw ModelError(std::strerror(errno));
  device = status.st_dev;
  inode = status.st_ino;
  if (!S_ISREG(status.st_mode))
    throw ModelError(
        std::string("it is a ") +
        (S_ISDIR(status.st_mode) ? "directory" : "device or pipe") +
        ", not a file");
  if (status.st_size > kMaxBytes)
    throw ModelError("it has " + std::to_string(status.st_size) +
                     " bytes, and models have 2 GiB at most");
  // Read, not mapped: the file may change under us, and a map of a shrunk file
  // faults.
  auto contents = llvm::MemoryBuffer::getOpenFile(
      descriptor, file, /*FileSize=*/-1, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!contents)
    throw ModelError(contents.getError().message());
  auto name = checkArtifact((*contents)->getBuffer());
  if (!name)
    throw ModelError(llvm::toString(name.takeError()));
  spec.name = *name;
  load();
}

void Model::load() {
  llvm::SmallString<128> absolute(file);
  if (auto error = llvm::sys::fs::make_absolute(absolute))
    throw ModelError(error.message());
  std::lock_guard<std::mutex> lock(loadedMutex);
  auto [begin, end] = loaded.equal_range(absolute.str().str());
  bool replaced = std::any_of(begin, end, [&](const auto &other) {
    return other.second.device != device || other.second.inode != inode;
  });
  // Where an older file of this path is still loaded, the open descriptor is
  // another path to the new one, as long as it stays open.
  loadedPath = replaced ? "/proc/self/fd/" + std::to_string(descriptor)
                        : absolute.str().str();
  handle = dlopen(loadedPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw ModelError(dlerror());
  loaded.emplace(loadedPath, LoadedFile{device, inode});
  if (!replaced) {
    ::close(descriptor);
    descriptor = -1;
  }
}

static const llvm::json::Array &getArray(const llvm::json::Object &object,
                                         llvm::StringRef key) {
  if (const auto *array = object.getArray(key))
    return *array;
  throw ModelError("its signature has no '" + key.str() + "'");
}

static std::string getString(const llvm::json::Object &object,
                             llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

static TensorSpec parseTensor(const llvm::json::Object &object) {
  TensorSpec spec;
  spec.name = getString(object, "name");
  spec.field = getString(object, "field");
  spec.role = getString(object, "role");
  spec.dtype = lookupDType(getString(object, "dtype"));
  if (!spec.dtype)
    throw ModelError("its signature has the unknown dtype '" +
                     getString(object, "dtype") + "'");
  for (const llvm::json::Value &extent : getArray(object, "shape"))
    spec.shape.push_back(extent.getAsInteger().value_or(0));
  if (auto donate = object.getInteger("donate"))
    spec.donate = *donate;
  if (auto donated = object.getInteger("donated_arg"))
    spec.donatedArg = *donated;
  return spec;
}

static EntrySpec parseEntry(const llvm::json::Object &object) {
  EntrySpec entry;
  entry.name = getString(object, "name");
  entry.symbol = getString(object, "symbol");
  entry.arenaBytes = object.getInteger("arena_bytes").value_or(0);
  entry.cancellable = object.getBoolean("cancellable").value_or(false);
  for (auto [key, list] :
       {std::pair{"args", &entry.args}, std::pair{"results", &entry.results}})
    for (const llvm::json::Value &value : getArray(object, key))
      if (const auto *tensor = value.getAsObject())
        list->push_back(parseTensor(*tensor));
  return entry;
}

static void checkTarget(const llvm::json::Object &signature) {
  const auto *target = signature.getObject("target");
  if (!target)
    return;
  std::vector<std::string> required;
  for (const llvm::json::Value &feature : getArray(*target, "features"))
    required.push_back(feature.getAsString().value_or("").str());
  std::vector<std::string> missing = missingFeatures(required);
  if (!missing.empty())
    throw ModelError(
        "it was compiled for " + getString(*target, "cpu") +
        ", and this processor lacks " + llvm::join(missing, ", ") +
        ": compile it for target 'native' here, or for 'x86-64-v2' to run on "
        "most machines");
}

void Model::readSignature() {
  auto version = reinterpret_cast<uint32_t (*)()>(
      symbol("cg_" + spec.name + "_abi_version"))();
  if (version != CELLGRAD_ABI_VERSION)
    throw ModelError("it has ABI version " + std::to_string(version) +
                     ", this cellgrad loads version " +
                     std::to_string(CELLGRAD_ABI_VERSION) +
                     ": compile the model again");
  json = reinterpret_cast<const char *(*)()>(
      symbol("cg_" + spec.name + "_signature"))();
  auto parsed = llvm::json::parse(json);
  const llvm::json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (!object) {
    if (!parsed)
      llvm::consumeError(parsed.takeError());
    throw ModelError("its signature is not JSON; compile the model again");
  }
  checkTarget(*object);
  for (const llvm::json::Value &value : getArray(*object, "entries"))
    if (const auto *entry = value.getAsObject())
      spec.entries.push_back(parseEntry(*entry));
}
