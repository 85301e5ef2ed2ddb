//===- DriverState.cpp - contexts and the order of streams ----------------===//

#include "Driver.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

using namespace emu;

Driver &Driver::get() {
  // Never destroyed: libraries that end later may still call in.
  static auto *driver = new Driver;
  return *driver;
}

double emu::clockMilliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<Context *> &emu::contextStack() {
  static thread_local std::vector<Context *> stack;
  return stack;
}

Context *emu::currentContext() {
  return contextStack().empty() ? nullptr : contextStack().back();
}

Entry::Entry(bool needsContext) : driver(Driver::get()), lock(driver.mutex) {
  context = currentContext();
  if (!driver.initialized)
    result = driver.fail(NotInitialized, "cuInit has not been called");
  else if (needsContext && !context)
    result = driver.fail(InvalidContext, "no context is current");
  else if (needsContext && context->error != Success)
    result = context->error;
}

static uint64_t number(const char *variable, uint64_t otherwise) {
  const char *text = getenv(variable);
  return text ? strtoull(text, nullptr, 0) : otherwise;
}

Result Driver::initialize() {
  if (initialized)
    return Success;
  if (const char *name = getenv("CELL_EMU_CHIP"))
    chipName = name;
  size_t digits = chipName.find_first_of("0123456789");
  chip = digits == std::string::npos
             ? 0
             : static_cast<unsigned>(atoi(chipName.c_str() + digits));
  if (chip < 50 || chip > 200)
    return fail(InvalidValue,
                "CELL_EMU_CHIP is '" + chipName + "', expected one like sm_90");
  memoryLimit = number("CELL_EMU_MEMORY", 16ull << 30);
  uint64_t devices = number("CELL_EMU_DEVICES", 1);
  if (devices == 0)
    return fail(NoDevice, "CELL_EMU_DEVICES is 0");
  for (uint64_t n = 0; n < devices; ++n) {
    contexts.push_back(std::make_unique<Context>());
    Context &context = *contexts.back();
    context.device = static_cast<int>(n);
    context.legacy = std::make_shared<Stream>();
    context.legacy->context = &context;
    context.streams.push_back(context.legacy);
  }
  initialized = true;
  return Success;
}

Result Driver::fail(Result result, std::string why) {
  lastResult = result;
  lastError = std::move(why);
  return result;
}

void Driver::failContext(Context &context, Result result, std::string why) {
  if (context.error != Success)
    return;
  context.error = result;
  context.message = why;
  fail(result, std::move(why));
}

std::shared_ptr<Stream> Driver::streamOf(void *handle) {
  // 1 and 2 are CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return currentContext() ? currentContext()->legacy : nullptr;
  auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second;
}

Result Driver::enqueue(void *handle, Operation operation) {
  auto stream = streamOf(handle);
  if (!stream)
    return fail(InvalidHandle, "this is no stream");
  return enqueue(stream, std::move(operation));
}

Result Driver::enqueue(const std::shared_ptr<Stream> &stream,
                       Operation operation,
                       std::shared_ptr<EventRecord> after) {
  Context &context = *stream->context;
  if (stream->capture) {
    Graph &graph = *stream->capture;
    if (graph.invalid)
      return fail(CaptureInvalidated, "an earlier call ended the capture");
    if (operation.run)
      graph.nodes.push_back(std::move(operation));
    ++graph.operations[stream.get()];
    if (stream != graph.origin)
      graph.forks[stream.get()] = stream;
    return Success;
  }
  if (stream == context.legacy) {
    for (auto &other : context.streams) {
      if (!other->capture || !other->blocks)
        continue;
      other->capture->invalid = true;
      return fail(CaptureImplicit,
                  "the legacy stream would wait for one that is captured");
    }
  }
  stream->queue.push_back({++tickets, std::move(operation), std::move(after)});
  return Success;
}

void Driver::runUpTo(Stream &stream, uint64_t ticket) {
  Context &context = *stream.context;
  while (!stream.queue.empty() && stream.queue.front().ticket <= ticket) {
    Queued work = std::move(stream.queue.front());
    stream.queue.pop_front();
    // The legacy stream waits for all others, and they for it. Whatever is
    // waited for has a lower ticket, so this ends.
    if (&stream == context.legacy.get()) {
      auto others = context.streams;
      for (auto &other : others)
        if (other.get() != &stream && other->blocks)
          runUpTo(*other, work.ticket);
    } else if (stream.blocks) {
      runUpTo(*context.legacy, work.ticket);
    }
    if (work.after && !work.after->done)
      runUpTo(*work.after->stream, work.after->ticket);
    if (work.operation.run && context.error == Success)
      work.operation.run();
  }
}

void Driver::runAll(Context &context) {
  auto all = context.streams;
  for (auto &stream : all)
    runUpTo(*stream, tickets);
}

Result Driver::wait(Context &context) {
  runAll(context);
  return context.error;
}
