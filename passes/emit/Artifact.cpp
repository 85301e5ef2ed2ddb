//===- Artifact.cpp - whole and unaltered shared objects ------------------===//

#include "passes/emit/Artifact.h"
#include "passes/emit/Platform.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <optional>

using namespace cellgrad;
using llvm::StringRef;

namespace {
/// What follows the ELF file.
struct Seal {
  char magic[8];
  uint64_t size; ///< of the ELF file
  uint64_t hash; ///< of its bytes
};
constexpr char kMagic[8] = {'C', 'G', 'S', 'E', 'A', 'L', '0', '1'};

/// Whether the ELF header and all that it and the program headers point at lie
/// inside.
llvm::Error checkExtents(StringRef contents) {
  using namespace llvm::ELF;
  auto truncated = [] {
    return llvm::createStringError(
        "the file is truncated; compile the model again");
  };
  if (contents.size() < 4 || std::memcmp(contents.data(), ElfMagic, 4) != 0)
    return llvm::createStringError("it is not a shared object (no ELF header)");
  Elf64_Ehdr header;
  if (contents.size() < sizeof header)
    return truncated();
  std::memcpy(&header, contents.data(), sizeof header);
  const Platform &host = hostPlatform();
  const Platform *platform = platformOfElf(header.e_machine);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN ||
      !platform)
    return llvm::createStringError("it is not an " + host.name +
                                   " shared object");
  if (platform != &host)
    return llvm::createStringError(
        "it is not an " + host.name + " shared object, but one for " +
        platform->name + ": compile it for target 'native' to load it here");
  auto inside = [&](uint64_t offset, uint64_t size) {
    return offset <= contents.size() && size <= contents.size() - offset;
  };
  uint64_t segments = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      !inside(header.e_phoff, segments) ||
      !inside(header.e_shoff, uint64_t(header.e_shnum) * header.e_shentsize))
    return truncated();
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, contents.data() + header.e_phoff + i * sizeof segment,
                sizeof segment);
    if (!inside(segment.p_offset, segment.p_filesz))
      return truncated();
  }
  return llvm::Error::success();
}

llvm::Error checkSeal(StringRef contents) {
  Seal seal;
  if (contents.size() < sizeof seal)
    return llvm::Error::success();
  std::memcpy(&seal, contents.end() - sizeof seal, sizeof seal);
  if (std::memcmp(seal.magic, kMagic, sizeof kMagic) != 0)
    return llvm::Error::success(); // stripped or linked by other tools
  StringRef body = contents.drop_back(sizeof seal);
  if (seal.size != body.size() || seal.hash != llvm::xxh3_64bits(body))
    return llvm::createStringError("the file is corrupt (its checksum does not "
                                   "match); compile the model again");
  return llvm::Error::success();
}
} // namespace

void cellgrad::sealArtifact(std::string &contents) {
  Seal seal{{}, contents.size(), llvm::xxh3_64bits(contents)};
  std::memcpy(seal.magic, kMagic, sizeof kMagic);
  contents.append(reinterpret_cast<const char *>(&seal), sizeof seal);
}

llvm::Expected<std::string> cellgrad::checkArtifact(StringRef contents) {
  if (auto error = checkExtents(contents))
    return std::move(error);
  if (auto error = checkSeal(contents))
    return std::move(error);
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(contents, "model"));
  if (!file)
    return llvm::createStringError("the file is corrupt: " +
                                   llvm::toString(file.takeError()));
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(file->get());
  // The shortest name: "cg_m_abi_version" may stand beside an entry
  // "cg_m_f_abi_version".
  std::optional<StringRef> found;
  for (const llvm::object::ELFSymbolRef &symbol :
       elf->getDynamicSymbolIterators()) {
    auto name = symbol.getName();
    if (!name)
      return llvm::createStringError("the file is corrupt: " +
                                     llvm::toString(name.takeError()));
    StringRef model = *name;
    if (model.consume_front("cg_") && model.consume_back("_abi_version") &&
        (!found || model.size() < found->size()))
      found = model;
  }
  if (found)
    return found->str();
  return llvm::createStringError(
      "it is a shared object, but not a model compiled by cellgrad");
}
