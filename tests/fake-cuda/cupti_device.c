/*
 * What a device did for a call, and what there is to tell of it: kernels, copies, sets, streams, its context.
 *
 * Knows how a device behaves in time: one thing after the other on a stream, each as long as the script says. Knows
 * nothing of threads and of who called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_inside.h"

enum { STREAMS = 256, GRAPHS = 1024, DEFAULT_STREAM = 7, FIRST_STREAM = 12 };

/* All of it changes with the buffers' lock held. */
static int told_device, told_context, told_default_stream, graphs_are_whole;
static uint64_t free_from[STREAMS]; /* when a stream has done what it was given */
static uint8_t unseen_graphs[GRAPHS]; /* by number: their kernels are not recorded */
static uint32_t kernels;
int device_has_context;

uint32_t device_stream(uint32_t stream) {
    return stream ? FIRST_STREAM + stream : DEFAULT_STREAM;
}

uint32_t device_of(uint32_t stream) {
    return stream % script()->devices;
}

uint32_t context_of(uint32_t stream) {
    return DEVICE_CONTEXT + device_of(stream);
}

static void stream_record(uint32_t stream, uint32_t priority, uint32_t number) {
    Stream *record = PLACE(Stream, CUPTI_ACTIVITY_KIND_STREAM, OF_DEVICE);
    if (record) {
        record->contextId = context_of(stream);
        record->streamId = device_stream(stream);
        record->priority = priority;
        record->flag = stream ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL;
        record->correlationId = number;
    }
}

static void device_record(uint32_t device) {
    Device *record = PLACE(Device, CUPTI_ACTIVITY_KIND_DEVICE, OF_DEVICE);
    if (record) {
        record->id = device;
        record->name = "Fake GPU";
        record->globalMemorySize = (uint64_t)80 << 30;
        record->globalMemoryBandwidth = 3350000000;
        record->numMultiprocessors = 132;
        record->numThreadsPerWarp = 32;
        record->coreClockRate = 1980000;
        record->computeCapabilityMajor = 9;
        memcpy(record->uuid.bytes, "fake-gpu-number0", sizeof record->uuid.bytes);
        record->uuid.bytes[15] = (char)('0' + device % 10);
    }
}

static void context_record(uint32_t device) {
    Context *record = PLACE(Context, CUPTI_ACTIVITY_KIND_CONTEXT, OF_DEVICE);
    if (record) {
        record->contextId = DEVICE_CONTEXT + device;
        record->deviceId = device;
        record->computeApiKind = CUPTI_ACTIVITY_COMPUTE_API_CUDA;
        record->nullStreamId = DEFAULT_STREAM;
    }
}

/* Each is told once, when there is a context and somebody wants to know: enabling a kind again brings nothing again. */
void device_context(void) {
    if (device_has_context && !told_device && enabled[CUPTI_ACTIVITY_KIND_DEVICE]) {
        told_device = 1;
        for (uint32_t device = 0; device < script()->devices; device++) {
            device_record(device);
        }
    }
    if (device_has_context && !told_context && enabled[CUPTI_ACTIVITY_KIND_CONTEXT]) {
        told_context = 1;
        for (uint32_t device = 0; device < script()->devices; device++) {
            context_record(device);
        }
    }
    if (device_has_context && !told_default_stream && enabled[CUPTI_ACTIVITY_KIND_STREAM]) {
        told_default_stream = 1;
        stream_record(0, 0, 0);
    }
}

/* One thing after the other; no earlier than it was asked for. */
static uint64_t run(const struct job *job, uint64_t *end) {
    uint64_t *free_at = &free_from[job->call->stream % STREAMS];
    uint64_t start = *free_at > job->start ? *free_at : job->start;
    *free_at = *end = start + script()->kernel_ns;
    return start;
}

static void kernel_record(const struct job *job, uint64_t node) {
    const struct fake_call *call = job->call;
    const struct script *s = script();
    uint64_t end, start = run(job, &end);
    if (!enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] || (node && unseen_graphs[call->graph % GRAPHS])) {
        return;
    }
    uint32_t count = ++kernels;
    if (count <= s->drop) {
        ledger_made(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        buffers_lose();
        return;
    }
    Kernel *record = PLACE(Kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, OF_DEVICE);
    if (record) {
        int is_finished = count > s->unfinished;
        record->name = call->kernel;
        record->start = count > s->untimed ? start : 0;
        record->end = record->start && is_finished ? end : 0;
        record->completed = record->end;
        record->deviceId = device_of(call->stream);
        record->contextId = context_of(call->stream);
        record->streamId = device_stream(call->stream);
        record->correlationId = job->number;
        record->gridId = count;
        record->gridX = (int32_t)call->grid[0], record->gridY = (int32_t)call->grid[1];
        record->gridZ = (int32_t)call->grid[2];
        record->blockX = (int32_t)call->block[0], record->blockY = (int32_t)call->block[1];
        record->blockZ = (int32_t)call->block[2];
        record->dynamicSharedMemory = (int32_t)call->shared;
        record->staticSharedMemory = 1024;
        record->registersPerThread = 40;
        record->graphId = node ? call->graph : 0;
        record->launchType = (uint8_t)(call->is_cooperative ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE
                                                            : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR);
        record->graphNodeId = node;
        if (!is_finished) {
            buffers_hold();
        }
    }
    seldom_kernels(job, start, end);
    if (s->unknown_kind && count % s->unknown_kind == 0) {
        struct tomorrow *unknown = place(KIND_OF_TOMORROW, sizeof *unknown, OF_DEVICE);
        if (unknown) {
            memset(unknown->words, 0xff, sizeof unknown->words);
        }
    }
    if (s->broken_record && count % s->broken_record == 0) {
        place(CUPTI_ACTIVITY_KIND_INVALID, 64, OF_DEVICE);
    }
}

static void graph_records(const struct job *job) {
    const struct fake_call *call = job->call;
    if (!graphs_are_whole) {
        for (uint32_t node = 1; node <= call->nodes; node++) {
            kernel_record(job, (uint64_t)call->graph << 32 | node);
        }
        uint64_t idle = free_from[call->stream % STREAMS];
        seldom_functions(job, idle, idle + script()->kernel_ns);
        return;
    }
    uint64_t end = 0, start = run(job, &end);
    seldom_graphs(job, start, end);
    seldom_functions(job, start, end);
    GraphTrace *record = PLACE(GraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, OF_DEVICE);
    if (record) {
        record->start = start;
        record->end = end;
        record->deviceId = device_of(call->stream);
        record->contextId = context_of(call->stream);
        record->streamId = device_stream(call->stream);
        record->correlationId = job->number;
        record->graphId = call->graph;
    }
}

static void copy_record(const struct job *job) {
    const struct fake_call *call = job->call;
    uint64_t end, start = run(job, &end);
    uint8_t to_host = call->copy == FAKE_TO_HOST, to_device = call->copy == FAKE_TO_DEVICE;
    uint8_t from_kind = to_device ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    uint8_t to_kind = to_host ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
/* The two structures have the same fields, at places of their own. */
#define FILL_COPY(record)                                    \
    do {                                                     \
        (record)->copyKind = (uint8_t)call->copy;            \
        (record)->srcKind = from_kind;                       \
        (record)->dstKind = to_kind;                         \
        (record)->flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;  \
        (record)->bytes = call->bytes;                       \
        (record)->start = start;                             \
        (record)->end = end;                                 \
        (record)->deviceId = device_of(call->stream);        \
        (record)->contextId = context_of(call->stream);      \
        (record)->streamId = device_stream(call->stream);    \
        (record)->correlationId = job->number;               \
    } while (0)
    if (call->copy == FAKE_TO_PEER) {
        PeerCopy *record = PLACE(PeerCopy, CUPTI_ACTIVITY_KIND_MEMCPY2, OF_DEVICE);
        if (record) {
            FILL_COPY(record);
            record->dstDeviceId = 1;
            record->dstContextId = DEVICE_CONTEXT + 1;
        }
        return;
    }
    Copy *record = PLACE(Copy, CUPTI_ACTIVITY_KIND_MEMCPY, OF_DEVICE);
    if (record) {
        FILL_COPY(record);
    }
}

static void set_record(const struct job *job) {
    const struct fake_call *call = job->call;
    uint64_t end, start = run(job, &end);
    Set *record = PLACE(Set, CUPTI_ACTIVITY_KIND_MEMSET, OF_DEVICE);
    if (record) {
        record->bytes = call->bytes;
        record->start = start;
        record->end = end;
        record->deviceId = device_of(call->stream);
        record->contextId = context_of(call->stream);
        record->streamId = device_stream(call->stream);
        record->correlationId = job->number;
        record->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    }
}

static void event_record(const struct job *job) {
    Event *record = PLACE(Event, CUPTI_ACTIVITY_KIND_CUDA_EVENT, OF_THREAD);
    if (record) {
        record->correlationId = job->number;
        record->contextId = context_of(job->call->stream);
        record->streamId = device_stream(job->call->stream);
        record->eventId = job->call->event;
    }
}

static void event_wait_record(const struct job *job) {
    Synchronization *record = PLACE(Synchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, OF_THREAD);
    if (record) {
        record->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
        record->start = job->start;
        record->end = now();
        record->correlationId = job->number;
        record->contextId = context_of(job->call->stream);
        record->streamId = device_stream(job->call->stream);
        record->cudaEventId = job->call->event;
    }
}

static void memory_record(const struct job *job) {
    const struct fake_call *call = job->call;
    Memory *record = PLACE(Memory, CUPTI_ACTIVITY_KIND_MEMORY2, OF_THREAD);
    if (record) {
        int is_release = call->what == FAKE_FREE;
        record->memoryOperationType = is_release ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                                 : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
        record->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
        record->correlationId = job->number;
        record->address = call->address;
        record->bytes = call->bytes;
        record->timestamp = now();
        record->processId = (uint32_t)getpid();
        record->contextId = DEVICE_CONTEXT;
        record->streamId = DEFAULT_STREAM;
    }
}

uint64_t device_busy_until(const struct fake_call *call) {
    uint64_t end = 0;
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        int counts = call->what == FAKE_CONTEXT_SYNC || stream == call->stream % STREAMS;
        end = counts && free_from[stream] > end ? free_from[stream] : end;
    }
    return end;
}

void device_did(const struct job *job) {
    switch (job->call->what) {
    case FAKE_LAUNCH: kernel_record(job, 0); break;
    case FAKE_GRAPH: graph_records(job); break;
    case FAKE_COPY: copy_record(job); break;
    case FAKE_SET: set_record(job); break;
    case FAKE_ALLOC:
    case FAKE_FREE:
        memory_record(job);
        seldom_memory(job);
        break;
    case FAKE_EVENT_RECORD: event_record(job); break;
    case FAKE_EVENT_WAIT: event_wait_record(job); break;
    case FAKE_STREAM_CREATE: stream_record(job->call->stream, job->call->priority, job->number); break;
    default: break;
    }
}

/* 13.0 and the first 13.1 take a graph for their own only if it is made while kernels are enabled, or before they ever were. */
void device_graph_made(uint32_t graph) {
    uint32_t version = script()->version ? script()->version : CUPTI_API_VERSION;
    int sees = script()->sees_graphs_between >= 0 ? script()->sees_graphs_between : version < 130000 || version > 130100;
    int is_between = was_enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] && !enabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL];
    unseen_graphs[graph % GRAPHS] = (uint8_t)(is_between && !sees);
}

/* Once graphs are traced as a whole, their kernels are not seen again in this process. */
void device_graphs_are_whole(void) {
    graphs_are_whole = 1;
}
