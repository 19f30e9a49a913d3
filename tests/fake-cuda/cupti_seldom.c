/*
 * What few programs have a device do, as the script says: kernels that launch kernels, graphs that launch graphs, functions of
 * graphs on the host, managed memory that migrates, memory pools.
 *
 * Knows nothing of time but what it is told.
 */
#include <string.h>
#include <unistd.h>

#include "cupti_inside.h"

enum { FUNCTIONS_THREAD = 5000000 /* no thread of a program has that number */, POOL_UNIT = 1 << 20 };

_Atomic uint8_t seldom_device_graphs, seldom_counters;

/* Kernels of a kernel: no call of the host has their correlation. */
void seldom_kernels(const struct job *job, uint64_t start, uint64_t end) {
    const struct fake_call *call = job->call;
    for (uint32_t i = 0; i < script()->nested; i++) {
        NestedKernel *record = place(CUPTI_ACTIVITY_KIND_CDP_KERNEL, sizeof *record, OF_DEVICE);
        if (record) {
            record->name = "nested";
            record->start = start + 1;
            record->end = end;
            record->deviceId = device_of(call->stream);
            record->contextId = context_of(call->stream);
            record->streamId = device_stream(call->stream);
            record->gridX = record->gridY = record->gridZ = 1;
            record->blockX = 64, record->blockY = record->blockZ = 1;
            record->registersPerThread = 16;
            record->gridId = -1 - (int64_t)i;
        }
    }
}

/* Graphs of a graph, where graphs are traced as a whole. */
void seldom_graphs(const struct job *job, uint64_t start, uint64_t end) {
#if HAS_DEVICE_GRAPHS
    const struct fake_call *call = job->call;
    int is_wanted = enabled[CUPTI_ACTIVITY_KIND_GRAPH_TRACE] && atomic_load(&seldom_device_graphs);
    for (uint32_t i = 0; is_wanted && i < script()->nested_graphs; i++) {
        DeviceGraph *record = place(CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE, sizeof *record, OF_DEVICE);
        if (record) {
            record->deviceId = device_of(call->stream);
            record->start = start + 1;
            record->end = end;
            record->graphId = 1000 + i;
            record->launcherGraphId = call->graph;
            record->deviceLaunchMode = CUPTI_DEVICE_GRAPH_LAUNCH_MODE_FIRE_AND_FORGET + i % 3;
            record->contextId = context_of(call->stream);
            record->streamId = device_stream(call->stream);
        }
    }
#else
    (void)job, (void)start, (void)end;
#endif
}

void seldom_functions(const struct job *job, uint64_t start, uint64_t end) {
#if HAS_HOST_NODES
    const struct fake_call *call = job->call;
    for (uint32_t i = 0; i < script()->host_nodes; i++) {
        HostNode *record = PLACE(HostNode, CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE, OF_DEVICE);
        if (record) {
            record->streamId = device_stream(call->stream);
            record->contextId = context_of(call->stream);
            record->deviceId = device_of(call->stream);
            record->correlationId = job->number;
            record->graphId = call->graph;
            record->graphNodeId = (uint64_t)call->graph << 32 | (call->nodes + i + 1);
            record->processId = (uint32_t)getpid();
            record->threadId = FUNCTIONS_THREAD;
            record->start = start;
            record->end = end;
        }
    }
#else
    (void)job, (void)start, (void)end;
#endif
}

/* An event of unified memory. An end that is not to be looked at is 1. */
static void unified(const struct job *job, CUpti_ActivityUnifiedMemoryCounterKind kind) {
    const struct fake_call *call = job->call;
    uint32_t device = device_of(call->stream), host = script()->devices;
    Unified *record = PLACE(Unified, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, OF_DEVICE);
    if (!record) {
        return;
    }
    record->counterKind = kind;
    record->value = call->bytes;
    record->start = job->start;
    record->end = job->start + 2000;
    record->address = call->address;
    record->srcId = host;
    record->dstId = device;
    record->processId = (uint32_t)getpid();
    switch (kind) {
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD:
        record->flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH:
        record->srcId = device, record->dstId = host;
        record->flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_COHERENCE;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD:
        record->srcId = script()->devices - 1;
        record->flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT:
        record->value = 0x401000, record->end = 1;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT:
        record->value = 3, record->srcId = device;
        record->flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_WRITE;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING:
        record->srcId = 1u << device, record->end = 1;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING:
        record->value = 0, record->srcId = device;
        break;
    case CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP:
        record->flags = CUPTI_ACTIVITY_UNIFIED_MEMORY_REMOTE_MAP_CAUSE_THRASHING, record->end = 1;
        break;
    default: break;
    }
}

static void pool(const struct job *job, CUpti_ActivityMemoryPoolOperationType operation, uint64_t size, uint64_t used) {
    Pool *record = PLACE(Pool, CUPTI_ACTIVITY_KIND_MEMORY_POOL, OF_THREAD);
    if (record) {
        record->memoryPoolOperationType = operation;
        record->memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
        record->correlationId = job->number;
        record->processId = (uint32_t)getpid();
        record->deviceId = device_of(job->call->stream);
        record->address = job->call->address;
        record->size = size;
        record->utilizedSize = used;
        record->releaseThreshold = POOL_UNIT;
        record->minBytesToKeep = operation == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED ? POOL_UNIT : 0;
        record->timestamp = now();
    }
}

/* Of each allocation all kinds of events that are configured, so often; and a pool that is trimmed and destroyed with the release. */
void seldom_memory(const struct job *job) {
    int is_release = job->call->what == FAKE_FREE;
    for (uint32_t i = 0; !is_release && i < script()->managed; i++) {
        for (int kind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
             kind <= CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD; kind++) {
            if (atomic_load(&seldom_counters) >> (kind - 1) & 1) {
                unified(job, (CUpti_ActivityUnifiedMemoryCounterKind)kind);
            }
        }
    }
    if (script()->pools && is_release) {
        pool(job, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED, POOL_UNIT, 0);
        pool(job, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED, POOL_UNIT, 0);
    } else if (script()->pools) {
        pool(job, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED, 2 * POOL_UNIT, POOL_UNIT);
    }
}
