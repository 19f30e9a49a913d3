/*
 * What libcupti exports, as NVIDIA's headers of this generation declare it; the linker hides what they do not.
 *
 * Every function passes by enter(): counted, answered by the script, refused where there is no driver or after a fork.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_inside.h"

enum { DOMAINS = 8, CALLBACKS = 1024, ATTRIBUTES = 64 };
enum { PER_THREAD_BUFFERS = 9 }; /* CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER: headers before CUDA 12 do not name it */
enum need { NOTHING, DRIVER };

static _Atomic pid_t home; /* the process that used us first */
static _Atomic int is_attached, is_torn_down;
static _Atomic(CUpti_CallbackFunc) subscriber;
static void *subscriber_data;
static _Atomic uint8_t callbacks[DOMAINS][CALLBACKS];
static _Atomic uint64_t attributes[ATTRIBUTES];

/* Where libcuda.so.1 is mapped, it tells us of calls from now on. */
static int attach(void) {
    if (atomic_load(&is_attached)) {
        return 1;
    }
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    fake_attach hook = NULL;
    if (driver) {
        *(void **)&hook = dlsym(driver, FAKE_ATTACH);
    }
    if (hook) {
        hook(records_of);
        atomic_store(&is_attached, 1);
    }
    return hook != NULL;
}

static CUptiResult enter(const char *function, enum need need) {
    const struct script *s = script();
    uint32_t before = ledger_call(function);
    pid_t none = 0, self = getpid();
    if (atomic_load(&is_torn_down)) {
        if (!s->refuses_after_teardown) {
            fprintf(stderr, "fake-cuda: %s after libcupti's exit handlers\n", function);
            raise(SIGSEGV);
        }
        return CUPTI_ERROR_UNKNOWN;
    }
    if (!atomic_compare_exchange_strong(&home, &none, self) && none != self) {
        if (!s->fork_call_fails) {
            FAKE_WRONG("%s in a forked child", function);
        }
        return CUPTI_ERROR_NOT_INITIALIZED;
    }
    for (uint32_t i = 0; i < s->answer_count; i++) {
        const struct answer *answer = &s->answers[i];
        int fits = strcmp(answer->function, "*") == 0 || strcmp(answer->function, function) == 0;
        if (fits && before >= answer->after) {
            return (CUptiResult)answer->result;
        }
    }
    /* Without a driver, 13.5 says nothing at all; older ones have their version, their clock and callbacks. */
    if ((need == DRIVER || CUPTI_API_VERSION >= 130500) && !attach()) {
        return CUPTI_API_VERSION >= 130000 ? CUPTI_ERROR_UNKNOWN : CUPTI_ERROR_NOT_INITIALIZED;
    }
    return CUPTI_SUCCESS;
}

#define ENTER(need)                                    \
    do {                                               \
        CUptiResult refused = enter(__func__, need);   \
        if (refused != CUPTI_SUCCESS) {                \
            return refused;                            \
        }                                              \
    } while (0)

#define WANT(condition)                                \
    do {                                               \
        if (!(condition)) {                            \
            return CUPTI_ERROR_INVALID_PARAMETER;      \
        }                                              \
    } while (0)

CUptiResult cuptiGetVersion(uint32_t *version) {
    ENTER(NOTHING);
    WANT(version);
    *version = script()->version ? script()->version : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
    static const struct {
        CUptiResult result;
        const char *text;
    } texts[] = {
#define TEXT(name) {name, #name}
        TEXT(CUPTI_SUCCESS), TEXT(CUPTI_ERROR_INVALID_PARAMETER), TEXT(CUPTI_ERROR_MAX_LIMIT_REACHED),
        TEXT(CUPTI_ERROR_NOT_INITIALIZED), TEXT(CUPTI_ERROR_INVALID_KIND), TEXT(CUPTI_ERROR_NOT_SUPPORTED),
        TEXT(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES), TEXT(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
        TEXT(CUPTI_ERROR_UNKNOWN),
    };
    ENTER(NOTHING);
    WANT(text);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].result == result) {
            *text = texts[i].text;
            return CUPTI_SUCCESS;
        }
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetTimestamp(uint64_t *timestamp) {
    ENTER(NOTHING);
    WANT(timestamp);
    *timestamp = now();
    return CUPTI_SUCCESS;
}

static uint32_t device_of_context(CUcontext context) {
    return device_of((uint32_t)((uintptr_t)context - FAKE_CONTEXTS));
}

CUptiResult cuptiGetDeviceId(CUcontext context, uint32_t *device) {
    ENTER(DRIVER);
    WANT(context && device);
    *device = device_of_context(context);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext context, uint32_t *number) {
    ENTER(DRIVER);
    WANT(context && number);
    *number = DEVICE_CONTEXT + device_of_context(context);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread, uint32_t *number) {
    ENTER(DRIVER);
    WANT(number);
    (void)per_thread;
    uint32_t which = FAKE_NUMBER(stream);
    if (context && device_of_context(context) != device_of(which)) {
        return CUPTI_ERROR_INVALID_STREAM;
    }
    *number = device_stream(which);
    return CUPTI_SUCCESS;
}

/* The handle of a graph or of a node is its number. */
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *number) {
    ENTER(DRIVER);
    WANT(node && number);
    *number = (uintptr_t)node;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t *number) {
    ENTER(DRIVER);
    WANT(graph && number);
    *number = (uint32_t)(uintptr_t)graph;
    return CUPTI_SUCCESS;
}

/* The names of the calls that are made here, and of some that nobody keeps. */
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
    ENTER(NOTHING);
    WANT(name);
    *name = records_name(domain == CUPTI_CB_DOMAIN_DRIVER_API, cbid);
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* Callbacks. */

static CUptiResult subscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *data) {
    WANT(handle && callback);
    if (script()->other_subscriber[0] || atomic_load(&subscriber)) {
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    subscriber_data = data;
    atomic_store(&subscriber, callback);
    *handle = (CUpti_SubscriberHandle)&subscriber;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *data) {
    ENTER(DRIVER);
    return subscribe(handle, callback, data);
}

#if CUPTI_API_VERSION >= 130000
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback, void *data,
                              CUpti_SubscriberParams *parameters) {
    ENTER(DRIVER);
    WANT(parameters && parameters->structSize >= offsetof(CUpti_SubscriberParams, oldSubscriberSize) + sizeof(size_t));
    if (script()->other_subscriber[0] && parameters->oldSubscriberName) {
        snprintf(parameters->oldSubscriberName, parameters->oldSubscriberSize, "%s", script()->other_subscriber);
    }
    return subscribe(handle, callback, data);
}
#endif

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
    ENTER(DRIVER);
    WANT(handle);
    atomic_store(&subscriber, NULL);
    /* The next one begins with no callback enabled. */
    for (int i = 0; i < DOMAINS * CALLBACKS; i++) {
        atomic_store(&callbacks[0][0] + i, 0);
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
    ENTER(DRIVER);
    WANT(handle && (uint32_t)domain < DOMAINS && cbid < CALLBACKS);
    atomic_store(&callbacks[domain][cbid], enable != 0);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle, CUpti_CallbackDomain domain) {
    ENTER(DRIVER);
    WANT(handle && (uint32_t)domain < DOMAINS);
    for (int cbid = 0; cbid < CALLBACKS; cbid++) {
        atomic_store(&callbacks[domain][cbid], enable != 0);
    }
    return CUPTI_SUCCESS;
}

void tell_subscriber(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data) {
    CUpti_CallbackFunc callback = atomic_load(&subscriber);
    if (callback && atomic_load(&callbacks[domain][cbid])) {
        callback(subscriber_data, domain, cbid, data);
    }
}

/* Activities. */

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
    ENTER(NOTHING);
    WANT(request && complete);
    atomic_store(&buffers_per_thread, atomic_load(&attributes[PER_THREAD_BUFFERS]) != 0);
    atomic_store(&buffers_request, request);
    atomic_store(&buffers_complete, complete);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
    ENTER(DRIVER);
    WANT(clock);
    atomic_store(&records_clock, clock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
    ENTER(DRIVER);
    WANT(type == CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT || type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    atomic_store(&records_thread_ids, type);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    ENTER(DRIVER);
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL) {
        FAKE_WRONG("kernels by kind 3, which runs them one by one");
    }
    uint32_t refused = (uint32_t)kind < KINDS ? script()->refused[kind] : 0;
    return (CUptiResult)(refused ? (int)refused : records_enable(kind, 1));
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    ENTER(DRIVER);
    return (CUptiResult)records_enable(kind, 0);
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable) {
    ENTER(DRIVER);
    records_enable_call(CUPTI_ACTIVITY_KIND_RUNTIME, cbid, enable);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable) {
    ENTER(DRIVER);
    records_enable_call(CUPTI_ACTIVITY_KIND_DRIVER, cbid, enable);
    return CUPTI_SUCCESS;
}

/* Of graphs that are traced as a whole; it has to be said before the driver is initialized. */
CUptiResult cuptiActivityEnableDeviceGraph(uint8_t enable) {
    ENTER(DRIVER);
    if (records_are_ready() && enable) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    atomic_store(&seldom_device_graphs, enable != 0);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *configs, uint32_t count) {
    ENTER(DRIVER);
    WANT(configs && count);
    if (!records_are_ready()) {
        return CUPTI_ERROR_NOT_INITIALIZED;
    }
    for (uint32_t i = 0; i < count; i++) {
        int kind = (int)configs[i].kind;
        WANT(kind >= CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD &&
             kind <= CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD);
        uint8_t bit = (uint8_t)(1 << (kind - 1));
        if (configs[i].enable) {
            atomic_fetch_or(&seldom_counters, bit);
        } else {
            atomic_fetch_and(&seldom_counters, (uint8_t)~bit);
        }
    }
    return CUPTI_SUCCESS;
}

/* Blackwell and newer have it; what we play has not. */
CUptiResult cuptiActivityEnableHWTrace(uint8_t enable) {
    ENTER(DRIVER);
    (void)enable;
    return CUPTI_ERROR_NOT_SUPPORTED;
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
    ENTER(DRIVER);
    (void)enable;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t enable) {
    ENTER(DRIVER);
    (void)enable;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size, void *value) {
    ENTER(DRIVER);
    uint64_t given = 0;
    WANT(size && value && *size && *size <= sizeof given && (uint32_t)attribute < ATTRIBUTES);
    WANT((uint32_t)attribute != PER_THREAD_BUFFERS || (*size == 1 && CUPTI_API_VERSION >= 22));
    memcpy(&given, value, *size);
    atomic_store(&attributes[attribute], given);
    if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) {
        atomic_store(&buffers_zeroed, given != 0);
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetAttribute(CUpti_ActivityAttribute attribute, size_t *size, void *value) {
    ENTER(DRIVER);
    WANT(size && value && *size && *size <= sizeof(uint64_t) && (uint32_t)attribute < ATTRIBUTES);
    uint64_t kept = atomic_load(&attributes[attribute]);
    memcpy(value, &kept, *size);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    ENTER(DRIVER);
    if (!atomic_load(&buffers_complete)) {
        return CUPTI_ERROR_INVALID_OPERATION;
    }
    uint64_t start = now();
    pause_ms(script()->flush_ms);
    buffers_deliver(flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED ? ALL : COMPLETE);
    records_flushed(start);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushPeriod(uint32_t milliseconds) {
    ENTER(DRIVER);
    buffers_period(milliseconds);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped) {
    ENTER(DRIVER);
    WANT(dropped);
    (void)context, (void)stream;
    *dropped = buffers_dropped();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record) {
    ENTER(DRIVER);
    WANT(buffer && record);
    uint32_t kind = 0;
    size_t at = 0;
    if (*record) {
        memcpy(&kind, *record, sizeof kind);
        at = (size_t)((uint8_t *)*record - buffer) + size_of_kind(kind);
    }
    if (at + sizeof kind > valid) {
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    }
    memcpy(&kind, buffer + at, sizeof kind);
    if (!size_of_kind(kind)) {
        return CUPTI_ERROR_INVALID_KIND;
    }
    *record = (CUpti_Activity *)(void *)(buffer + at);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize(void) {
    FAKE_WRONG("cuptiFinalize: it crashes programs that use graphs");
}

/* What was not flushed is lost, unless the script wants to see what then happens. */
static void tear_down(void) {
    if (atomic_load(&home) != getpid()) {
        return;
    }
    if (script()->deliver_after_exit && atomic_load(&buffers_complete)) {
        buffers_lock();
        place(KIND_OF_TOMORROW, sizeof(struct tomorrow), OF_DEVICE);
        buffers_unlock();
        buffers_deliver(ALL);
    }
    buffers_end();
    atomic_store(&is_torn_down, 1);
    ledger_write();
}

/* NVIDIA's registers its exit handlers when it is loaded: what was registered before runs when they are through. */
__attribute__((constructor)) static void begin(void) {
    int scripted = script()->thread_buffers;
    atomic_store(&attributes[PER_THREAD_BUFFERS], scripted >= 0 ? scripted : CUPTI_API_VERSION >= 130000);
    atexit(tear_down);
}
