//===- DriverStream.cpp - streams, events and graphs ----------------------===//

#include "Driver.h"

#include <algorithm>

using namespace emu;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

/// A call that waits for a stream ends its capture.
static Result refuseCapture(Entry &entry, Stream &stream) {
  if (!stream.capture)
    return Success;
  stream.capture->invalid = true;
  return entry.driver.fail(CaptureUnsupported,
                           "a stream that is captured is waited for");
}

CELL_DRIVER_API int cuStreamCreate(void **handle, unsigned flags) {
  CELL_ENTER();
  auto stream = std::make_shared<Stream>();
  stream->context = entry.context;
  stream->blocks = !(flags & 1); // CU_STREAM_NON_BLOCKING
  entry.context->streams.push_back(stream);
  entry.driver.streams[stream.get()] = stream;
  *handle = stream.get();
  return Success;
}

CELL_DRIVER_API int cuStreamCreateWithPriority(void **handle, unsigned flags,
                                               int) {
  return cuStreamCreate(handle, flags);
}

CELL_DRIVER_API int cuStreamDestroy_v2(void *handle) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream || stream == entry.context->legacy)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  entry.driver.runUpTo(*stream, entry.driver.tickets);
  auto &streams = stream->context->streams;
  streams.erase(std::remove(streams.begin(), streams.end(), stream),
                streams.end());
  entry.driver.streams.erase(handle);
  return Success;
}

CELL_DRIVER_API int cuStreamSynchronize(void *handle) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  if (Result refused = refuseCapture(entry, *stream))
    return refused;
  if (stream == entry.context->legacy) {
    // It is empty only when what comes before it has run.
    for (auto &other : entry.context->streams)
      if (other->blocks && !other->capture)
        entry.driver.runUpTo(*other, entry.driver.tickets);
  }
  entry.driver.runUpTo(*stream, entry.driver.tickets);
  return stream->context->error;
}

/// Runs one step, so that who asks again and again gets on.
CELL_DRIVER_API int cuStreamQuery(void *handle) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  if (Result refused = refuseCapture(entry, *stream))
    return refused;
  if (stream->queue.empty())
    return Success;
  entry.driver.runUpTo(*stream, stream->queue.front().ticket);
  Result error = stream->context->error;
  return error != Success ? error : NotReady;
}

CELL_DRIVER_API int cuStreamGetCtx(void *handle, void **context) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  *context = stream->context;
  return Success;
}

CELL_DRIVER_API int cuLaunchHostFunc(void *stream, void (*function)(void *),
                                     void *data) {
  CELL_ENTER();
  Operation operation;
  operation.run = [function, data] { function(data); };
  return entry.driver.enqueue(stream, std::move(operation));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuEventCreate(void **handle, unsigned flags) {
  CELL_ENTER();
  auto *event = new Event;
  event->timed = !(flags & 2); // CU_EVENT_DISABLE_TIMING
  *handle = event;
  return Success;
}

CELL_DRIVER_API int cuEventDestroy_v2(void *handle) {
  CELL_ENTER();
  delete static_cast<Event *>(handle);
  return Success;
}

CELL_DRIVER_API int cuEventRecord(void *handle, void *streamHandle) {
  CELL_ENTER();
  Driver &driver = entry.driver;
  auto stream = driver.streamOf(streamHandle);
  if (!handle || !stream)
    return driver.fail(InvalidHandle, "this is no event or no stream");
  auto record = std::make_shared<EventRecord>();
  record->stream = stream;
  static_cast<Event *>(handle)->last = record;
  if (stream->capture) {
    record->capture = stream->capture;
    record->captured = stream->capture->operations[stream.get()];
    return Success;
  }
  Operation operation;
  operation.run = [record] {
    record->done = true;
    record->milliseconds = clockMilliseconds();
  };
  Result result = driver.enqueue(stream, std::move(operation));
  record->ticket = driver.tickets;
  return result;
}

CELL_DRIVER_API int cuEventSynchronize(void *handle) {
  CELL_ENTER();
  auto record = static_cast<Event *>(handle)->last;
  if (!record)
    return Success;
  if (record->capture) {
    record->capture->invalid = true;
    return entry.driver.fail(CaptureUnsupported,
                             "an event that is captured is waited for");
  }
  entry.driver.runUpTo(*record->stream, record->ticket);
  return record->stream->context->error;
}

CELL_DRIVER_API int cuEventQuery(void *handle) {
  CELL_ENTER();
  auto record = static_cast<Event *>(handle)->last;
  if (!record || record->done)
    return Success;
  if (record->capture)
    return entry.driver.fail(CaptureUnsupported, "the event is captured");
  auto &queue = record->stream->queue;
  if (!queue.empty())
    entry.driver.runUpTo(*record->stream, queue.front().ticket);
  Result error = record->stream->context->error;
  return error != Success ? error : NotReady;
}

CELL_DRIVER_API int cuEventElapsedTime(float *milliseconds, void *from,
                                       void *to) {
  CELL_ENTER();
  auto *begin = static_cast<Event *>(from), *end = static_cast<Event *>(to);
  if (!begin || !end || !begin->timed || !end->timed || !begin->last ||
      !end->last)
    return entry.driver.fail(InvalidHandle,
                             "events that are not recorded or not timed");
  if (!begin->last->done || !end->last->done)
    return entry.driver.fail(NotReady, "an event has not been reached");
  *milliseconds =
      static_cast<float>(end->last->milliseconds - begin->last->milliseconds);
  return Success;
}

CELL_DRIVER_API int cuEventElapsedTime_v2(float *milliseconds, void *from,
                                          void *to) {
  return cuEventElapsedTime(milliseconds, from, to);
}

CELL_DRIVER_API int cuStreamWaitEvent(void *handle, void *event, unsigned) {
  CELL_ENTER();
  Driver &driver = entry.driver;
  auto stream = driver.streamOf(handle);
  if (!stream || !event)
    return driver.fail(InvalidHandle, "this is no event or no stream");
  auto record = static_cast<Event *>(event)->last;
  if (!record)
    return Success;
  if (record->capture) {
    // The stream joins the capture, and with it what it waits for.
    if (stream->capture && stream->capture != record->capture)
      return driver.fail(InvalidValue, "two captures would meet");
    auto &graph = record->capture;
    stream->capture = graph;
    if (stream != graph->origin)
      graph->forks[stream.get()] = stream;
    if (graph->operations[record->stream.get()] == record->captured &&
        record->stream != stream)
      graph->forks.erase(record->stream.get());
    return Success;
  }
  if (stream->capture) {
    stream->capture->invalid = true;
    return driver.fail(CaptureImplicit,
                       "a graph would depend on what is not in it");
  }
  if (record->done)
    return Success;
  return driver.enqueue(stream, Operation(), record);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CELL_DRIVER_API int cuStreamBeginCapture_v2(void *handle, int) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  if (stream == entry.context->legacy)
    return entry.driver.fail(CaptureUnsupported,
                             "the legacy stream cannot be captured");
  if (stream->capture)
    return entry.driver.fail(InvalidValue, "the stream is captured already");
  stream->capture = std::make_shared<Graph>();
  stream->capture->origin = stream;
  return Success;
}

/// Handles of graphs own them.
using GraphHandle = std::shared_ptr<Graph>;

CELL_DRIVER_API int cuStreamEndCapture(void *handle, void **graph) {
  CELL_ENTER();
  *graph = nullptr;
  auto stream = entry.driver.streamOf(handle);
  if (!stream || !stream->capture)
    return entry.driver.fail(InvalidValue, "the stream is not captured");
  GraphHandle captured = stream->capture;
  if (captured->origin != stream)
    return entry.driver.fail(CaptureUnmatched,
                             "the capture began in another stream");
  for (auto &other : entry.context->streams)
    if (other->capture == captured)
      other->capture = nullptr;
  bool isJoined = captured->forks.empty();
  captured->forks.clear();
  captured->origin = nullptr;
  if (captured->invalid)
    return entry.driver.fail(CaptureInvalidated,
                             "a call during the capture ended it");
  if (!isJoined)
    return entry.driver.fail(CaptureUnjoined,
                             "the stream has not waited for all others");
  *graph = new GraphHandle(captured);
  return Success;
}

CELL_DRIVER_API int cuStreamIsCapturing(void *handle, int *status) {
  CELL_ENTER();
  auto stream = entry.driver.streamOf(handle);
  if (!stream)
    return entry.driver.fail(InvalidHandle, "this is no stream");
  *status = !stream->capture ? 0 : stream->capture->invalid ? 2 : 1;
  return Success;
}

CELL_DRIVER_API int cuGraphGetNodes(void *graph, void **, size_t *count) {
  CELL_ENTER();
  *count = (*static_cast<GraphHandle *>(graph))->nodes.size();
  return Success;
}

CELL_DRIVER_API int cuGraphInstantiateWithFlags(void **exec, void *graph,
                                                unsigned long long) {
  CELL_ENTER();
  if (!graph)
    return entry.driver.fail(InvalidValue, "this is no graph");
  auto copy = std::make_shared<Graph>();
  copy->nodes = (*static_cast<GraphHandle *>(graph))->nodes;
  *exec = new GraphHandle(copy);
  ++entry.driver.counts["graph_instantiations"];
  return Success;
}

CELL_DRIVER_API int cuGraphLaunch(void *exec, void *stream) {
  CELL_ENTER();
  if (!exec)
    return entry.driver.fail(InvalidValue, "this is no graph");
  GraphHandle graph = *static_cast<GraphHandle *>(exec);
  Driver &driver = entry.driver;
  // An update takes effect for launches that follow it.
  auto nodes = std::make_shared<std::vector<Operation>>(graph->nodes);
  Context *context = entry.context;
  Operation operation;
  operation.run = [nodes, context, &driver] {
    ++driver.counts["graph_launches"];
    for (Operation &node : *nodes)
      if (context->error == Success)
        node.run();
  };
  return driver.enqueue(stream, std::move(operation));
}

CELL_DRIVER_API int cuGraphExecUpdate_v2(void *exec, void *graph,
                                         void *information) {
  CELL_ENTER();
  struct Information {
    int result;
    void *node, *from;
  };
  auto *words = static_cast<Information *>(information);
  Graph &target = **static_cast<GraphHandle *>(exec);
  const Graph &source = **static_cast<GraphHandle *>(graph);
  bool same = target.nodes.size() == source.nodes.size();
  for (size_t n = 0; same && n < source.nodes.size(); ++n)
    same = target.nodes[n].kind == source.nodes[n].kind;
  if (words)
    *words = {same ? 0 : 2, nullptr, nullptr}; // 2: the topology changed
  if (!same)
    return entry.driver.fail(GraphExecUpdateFailure,
                             "the graphs have other nodes");
  target.nodes = source.nodes;
  ++entry.driver.counts["graph_updates"];
  return Success;
}

CELL_DRIVER_API int cuGraphDestroy(void *graph) {
  CELL_ENTER(false);
  delete static_cast<GraphHandle *>(graph);
  return Success;
}

CELL_DRIVER_API int cuGraphExecDestroy(void *exec) {
  return cuGraphDestroy(exec);
}
