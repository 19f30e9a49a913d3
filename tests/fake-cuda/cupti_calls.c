/*
 * What a call leaves: a record of the call itself, and who else is told of it.
 *
 * What the device did stands in cupti_device.c.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cupti_inside.h"

enum { CALLS = 1024 };

_Atomic(CUpti_TimestampCallbackFunc) records_clock;
_Atomic uint32_t records_thread_ids;
uint8_t enabled[KINDS], was_enabled[KINDS];

static uint8_t enabled_calls[2][CALLS]; /* of the runtime, of the driver; changes with the buffers' lock held */
static _Atomic uint32_t correlation;

#define RUNTIME(name) CUPTI_RUNTIME_TRACE_CBID_##name
#define DRIVER(name) CUPTI_DRIVER_TRACE_CBID_##name

/* What each call is to CUPTI. */
static const struct {
    uint32_t runtime, driver;
    const char *runtime_name, *driver_name;
} names[] = {
    [FAKE_LAUNCH] = {RUNTIME(cudaLaunchKernel_v7000), DRIVER(cuLaunchKernel), "cudaLaunchKernel", "cuLaunchKernel"},
    [FAKE_COPY] = {RUNTIME(cudaMemcpyAsync_v3020), DRIVER(cuMemcpyHtoDAsync_v2), "cudaMemcpyAsync", "cuMemcpyHtoDAsync_v2"},
    [FAKE_SET] = {RUNTIME(cudaMemsetAsync_v3020), DRIVER(cuMemsetD8Async), "cudaMemsetAsync", "cuMemsetD8Async"},
    [FAKE_GRAPH] = {RUNTIME(cudaGraphLaunch_v10000), DRIVER(cuGraphLaunch), "cudaGraphLaunch", "cuGraphLaunch"},
    [FAKE_STREAM_CREATE] = {RUNTIME(cudaStreamCreateWithPriority_v5050), DRIVER(cuStreamCreateWithPriority),
                            "cudaStreamCreateWithPriority", "cuStreamCreateWithPriority"},
    [FAKE_STREAM_SYNC] = {RUNTIME(cudaStreamSynchronize_v3020), DRIVER(cuStreamSynchronize), "cudaStreamSynchronize",
                          "cuStreamSynchronize"},
    [FAKE_CONTEXT_SYNC] = {RUNTIME(cudaDeviceSynchronize_v3020), DRIVER(cuCtxSynchronize), "cudaDeviceSynchronize",
                           "cuCtxSynchronize"},
    [FAKE_ALLOC] = {RUNTIME(cudaMalloc_v3020), DRIVER(cuMemAlloc_v2), "cudaMalloc", "cuMemAlloc_v2"},
    [FAKE_FREE] = {RUNTIME(cudaFree_v3020), DRIVER(cuMemFree_v2), "cudaFree", "cuMemFree_v2"},
    [FAKE_EVENT_RECORD] = {RUNTIME(cudaEventRecord_v3020), DRIVER(cuEventRecord), "cudaEventRecord", "cuEventRecord"},
    [FAKE_EVENT_WAIT] = {RUNTIME(cudaStreamWaitEvent_v3020), DRIVER(cuStreamWaitEvent), "cudaStreamWaitEvent",
                         "cuStreamWaitEvent"},
    [FAKE_CAPTURE] = {RUNTIME(cudaStreamBeginCapture_v10000), DRIVER(cuStreamBeginCapture_v2), "cudaStreamBeginCapture",
                      "cuStreamBeginCapture_v2"},
    [FAKE_CAPTURED] = {RUNTIME(cudaLaunchKernel_v7000), DRIVER(cuLaunchKernel), "cudaLaunchKernel", "cuLaunchKernel"},
    [FAKE_CAPTURE_END] = {RUNTIME(cudaStreamEndCapture_v10000), DRIVER(cuStreamEndCapture), "cudaStreamEndCapture",
                          "cuStreamEndCapture"},
    [FAKE_RESET] = {RUNTIME(cudaDeviceReset_v3020), DRIVER(cuDevicePrimaryCtxReset_v2), "cudaDeviceReset",
                    "cuDevicePrimaryCtxReset_v2"},
};

/* As CUPTI has them: those of the runtime with the version that first had the function. */
const char *records_name(int is_driver, uint32_t cbid) {
#define NAME(kind, name) {kind(name), #name}
    static const struct {
        uint32_t cbid;
        const char *name;
    } runtime[] = {
        NAME(RUNTIME, cudaLaunchKernel_v7000), NAME(RUNTIME, cudaMemcpyAsync_v3020), NAME(RUNTIME, cudaMemsetAsync_v3020),
        NAME(RUNTIME, cudaGraphLaunch_v10000), NAME(RUNTIME, cudaStreamCreateWithPriority_v5050),
        NAME(RUNTIME, cudaStreamSynchronize_v3020), NAME(RUNTIME, cudaDeviceSynchronize_v3020),
        NAME(RUNTIME, cudaMalloc_v3020), NAME(RUNTIME, cudaFree_v3020), NAME(RUNTIME, cudaStreamBeginCapture_v10000),
        NAME(RUNTIME, cudaStreamEndCapture_v10000), NAME(RUNTIME, cudaDeviceReset_v3020),
        NAME(RUNTIME, cudaEventRecord_v3020), NAME(RUNTIME, cudaStreamWaitEvent_v3020), NAME(RUNTIME, cudaGetDevice_v3020),
    };
    if (is_driver) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (names[i].driver == cbid && names[i].driver_name) {
                return names[i].driver_name;
            }
        }
        return NULL;
    }
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++) {
        if (runtime[i].cbid == cbid) {
            return runtime[i].name;
        }
    }
    return NULL;
}

uint64_t now(void) {
    CUpti_TimestampCallbackFunc clock = atomic_load(&records_clock);
    if (clock) {
        return clock();
    }
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint32_t thread_number(void) {
    int is_system = atomic_load(&records_thread_ids) == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
    return is_system ? (uint32_t)syscall(SYS_gettid) : (uint32_t)(uintptr_t)pthread_self();
}

static void overhead_record(CUpti_ActivityOverheadKind kind, uint64_t start) {
    Overhead *record = PLACE(Overhead, CUPTI_ACTIVITY_KIND_OVERHEAD, OF_DEVICE);
    if (record) {
        record->overheadKind = kind;
        record->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
        record->objectId.pt.processId = (uint32_t)getpid();
        record->objectId.pt.threadId = thread_number();
        record->start = start;
        record->end = now();
    }
}

/* Until the device has done it; a second is as good as for ever, unless the script wants more. */
static void wait_for(uint64_t end) {
    while (script()->syncs_forever) {
        pause();
    }
    uint64_t begin = now(), time = begin;
    while (time < end && time - begin < 1000000000) {
        uint64_t left = end - time < 1000000000 ? end - time : 1000000000;
        nanosleep(&(struct timespec){.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)}, NULL);
        time = now();
    }
}

static void sync_record(const struct job *job) {
    Synchronization *record = PLACE(Synchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, OF_THREAD);
    if (record) {
        int is_whole = job->call->what == FAKE_CONTEXT_SYNC;
        record->type = is_whole ? CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE
                                : CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
        record->start = job->start;
        record->end = now();
        record->correlationId = job->number;
        record->contextId = DEVICE_CONTEXT;
        record->streamId = is_whole ? (uint32_t)CUPTI_SYNCHRONIZATION_INVALID_VALUE : device_stream(job->call->stream);
        record->cudaEventId = (uint32_t)CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    }
}

static void call_record(const struct job *job, int is_driver) {
    uint32_t cbid = is_driver ? names[job->call->what].driver : names[job->call->what].runtime;
    if (!(script()->api & (is_driver ? API_DRIVER : API_RUNTIME)) || !enabled_calls[is_driver][cbid]) {
        return;
    }
    Api *record = place(is_driver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME, sizeof *record, OF_THREAD);
    if (record) {
        record->cbid = cbid;
        record->start = job->start;
        record->end = now();
        record->processId = (uint32_t)getpid();
        record->threadId = thread_number();
        record->correlationId = job->number;
    }
}

static void tell_call(const struct job *job, uint64_t *kept, CUpti_ApiCallbackSite site) {
    enum fake_what what = job->call->what;
    int result = 0;
    for (int is_driver = 0; is_driver < 2; is_driver++) {
        CUpti_CallbackData data = {
            .callbackSite = site,
            .functionName = is_driver ? names[what].driver_name : names[what].runtime_name,
            .functionReturnValue = &result,
            .symbolName = job->call->kernel,
            .contextUid = DEVICE_CONTEXT,
            .correlationData = kept,
            .correlationId = job->number,
        };
        /* The runtime calls the driver for captures, too. */
        int is_capture = what == FAKE_CAPTURE || what == FAKE_CAPTURE_END;
        if (is_capture || script()->api & (is_driver ? API_DRIVER : API_RUNTIME)) {
            tell_subscriber(is_driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API,
                            is_driver ? names[what].driver : names[what].runtime, &data);
        }
    }
}

static void start_context(void) {
    CUpti_ResourceData data = {0};
    uint64_t start = now();
    buffers_lock();
    int is_new = !device_has_context;
    device_has_context = 1;
    if (is_new) {
        overhead_record(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, start);
    }
    device_context();
    buffers_unlock();
    if (is_new) {
        tell_subscriber(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
    }
}

static void wait_for_device(const struct job *job) {
    buffers_lock();
    uint64_t end = device_busy_until(job->call);
    buffers_unlock();
    wait_for(end);
    buffers_lock();
    sync_record(job);
    buffers_unlock();
}

static void tell_node(const struct fake_call *call) {
    int is_copy = call->what == FAKE_NODE_COPY;
    CUpti_GraphData graph = {
        .graph = FAKE_GRAPH_OF(call->graph),
        .originalGraph = is_copy ? FAKE_GRAPH_OF(call->original) : NULL,
        .node = FAKE_NODE_OF(call->graph, call->node),
        .originalNode = is_copy ? FAKE_NODE_OF(call->original, call->node) : NULL,
        .nodeType = CU_GRAPH_NODE_TYPE_KERNEL,
    };
    CUpti_ResourceData data = {.resourceDescriptor = &graph};
    tell_subscriber(CUPTI_CB_DOMAIN_RESOURCE,
                    is_copy ? CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &data);
}

static _Atomic int is_ready;

int records_are_ready(void) {
    return atomic_load(&is_ready);
}

void records_of(const struct fake_call *call) {
    uint64_t kept = 0;
    if (call->what == FAKE_INIT_FINISHED) {
        CUpti_ResourceData data = {0};
        atomic_store(&is_ready, 1);
        tell_subscriber(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, &data);
        return;
    }
    if (call->what == FAKE_NODE || call->what == FAKE_NODE_COPY) {
        tell_node(call);
        return;
    }
    if (call->what == FAKE_GRAPH_MADE) {
        buffers_lock();
        device_graph_made(call->graph);
        buffers_unlock();
        return;
    }
    start_context();
    struct job job = {call, script()->correlation + atomic_fetch_add(&correlation, 1) + 1, now()};
    tell_call(&job, &kept, CUPTI_API_ENTER);
    if (call->what == FAKE_STREAM_SYNC || call->what == FAKE_CONTEXT_SYNC) {
        wait_for_device(&job);
    }
    buffers_lock();
    if (call->what == FAKE_RESET) {
        buffers_forget();
    }
    device_did(&job);
    call_record(&job, 1);
    call_record(&job, 0);
    buffers_unlock();
    tell_call(&job, &kept, CUPTI_API_EXIT);
    buffers_filled();
}

int records_enable(uint32_t kind, int enable) {
    if (kind == CUPTI_ACTIVITY_KIND_INVALID || kind > LAST_KIND) {
        return CUPTI_ERROR_INVALID_KIND;
    }
    buffers_lock();
    enabled[kind] = (uint8_t)enable;
    was_enabled[kind] |= (uint8_t)enable;
    if (kind == CUPTI_ACTIVITY_KIND_RUNTIME || kind == CUPTI_ACTIVITY_KIND_DRIVER) {
        memset(enabled_calls[kind == CUPTI_ACTIVITY_KIND_DRIVER], enable, CALLS);
    }
    if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && enable) {
        device_graphs_are_whole();
    }
    device_context();
    buffers_unlock();
    return CUPTI_SUCCESS;
}

void records_enable_call(uint32_t kind, uint32_t cbid, int enable) {
    buffers_lock();
    enabled_calls[kind == CUPTI_ACTIVITY_KIND_DRIVER][cbid % CALLS] = (uint8_t)(enable != 0); /* all that are called are below */
    buffers_unlock();
}

void records_flushed(uint64_t start) {
    buffers_lock();
    overhead_record(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, start);
    buffers_unlock();
}
