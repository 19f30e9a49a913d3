/*
 * A profiler of a program's own, as frameworks have them: a client of CUPTI in the same process, which records kernels and calls.
 *
 * In two ways, as Kineto has had them: it subscribes the first time, and never records anything of the device where that is refused; or
 * it registers callbacks for buffers, and a clock, without subscribing. It does that also when it is to record calls alone. Its buffers are not zeroed. It knows which buffers are its own: of others it
 * counts the kernels and leaves the memory alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "cupti_layouts.h"

enum { BUFFERS = 1024, SIZE = 1 << 20, MOST = 1 << 17 };

/* A kernel or a call, with what a trace states of it. */
struct event {
    uint64_t start, end;
    uint32_t correlation, stream, device, context, kind, function, thread;
    int32_t grid, block;
};

static void *library;
static CUpti_SubscriberHandle subscriber;
static int is_prepared;
static int is_of_host; /* it records nothing of the device, and calls nothing of CUPTI */
static uint8_t *own[BUFFERS];
static unsigned own_count;
static struct event events[MOST];
static struct seen seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME};

#define FUNCTION(name) ((__typeof__(&name))dlsym(library, #name))
#define CUPTI(name, ...)                                                                       \
    do {                                                                                       \
        CUptiResult answer = FUNCTION(name)(__VA_ARGS__);                                      \
        if (answer != CUPTI_SUCCESS) {                                                         \
            fprintf(stderr, "client: " #name " says %d\n", answer);                            \
        }                                                                                      \
    } while (0)

static uint64_t CUPTIAPI wall(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId function, const void *call) {
    (void)data, (void)domain, (void)function, (void)call;
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *most) {
    pthread_mutex_lock(&lock);
    if (own_count == BUFFERS || posix_memalign((void **)buffer, 8, SIZE) != 0) {
        abort();
    }
    memset(*buffer, 0xa5, SIZE);
    own[own_count++] = *buffer;
    *size = SIZE;
    *most = 0;
    pthread_mutex_unlock(&lock);
}

static void take(const CUpti_Activity *record) {
    struct event *event = &events[seen.kernels + seen.calls];
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const Kernel *kernel = (const Kernel *)(const void *)record;
        *event = (struct event){kernel->start, kernel->end, kernel->correlationId, kernel->streamId, kernel->deviceId,
                                kernel->contextId, record->kind, 0, 0, kernel->gridX, kernel->blockX};
        seen.kernels++;
    } else if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
        const Api *call = (const Api *)(const void *)record;
        *event = (struct event){.start = call->start, .end = call->end, .correlation = call->correlationId,
                                .kind = record->kind, .function = call->cbid, .thread = call->threadId};
        seen.calls++;
        seen.strange_threads += call->threadId != (uint32_t)(uintptr_t)pthread_self();
    } else {
        return;
    }
    uint64_t hour = 3600000000000, now = wall();
    seen.strange_times += event->start + hour < now || event->start > now + hour;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    int is_own = 0;
    for (unsigned i = 0; i < own_count; i++) {
        is_own |= own[i] == buffer;
    }
    seen.foreign_buffers += !is_own;
    CUpti_Activity *record = NULL;
    while (FUNCTION(cuptiActivityGetNextRecord)(buffer, valid, &record) == CUPTI_SUCCESS && seen.kernels + seen.calls < MOST) {
        if (is_own) {
            take(record);
        } else {
            seen.foreign_kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
        }
    }
    pthread_mutex_unlock(&lock);
}

int client_prepare(const char *cupti, enum client_way way) {
    if (is_prepared) {
        return 1;
    }
    is_prepared = 1;
    library = dlopen(cupti, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "client: %s\n", dlerror());
        return 0;
    }
    is_of_host = way == CLIENT_SUBSCRIBES
                 && FUNCTION(cuptiSubscribe)(&subscriber, (CUpti_CallbackFunc)called, NULL) != CUPTI_SUCCESS;
    seen.was_refused = is_of_host;
    return 1;
}

void client_start(enum client_way way, int with_device) {
    if (is_of_host) {
        return;
    }
    if (way == CLIENT_REGISTERS) {
        CUPTI(cuptiActivityRegisterTimestampCallback, wall);
    }
    CUPTI(cuptiActivityRegisterCallbacks, requested, completed);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (with_device || kinds[i] == CUPTI_ACTIVITY_KIND_RUNTIME) {
            CUPTI(cuptiActivityEnable, kinds[i]);
        }
    }
}

void client_stop(void) {
    if (is_of_host) {
        return;
    }
    CUPTI(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        CUPTI(cuptiActivityDisable, kinds[i]);
    }
}

struct seen client_seen(void) {
    return seen;
}

int client_export(const char *path) {
    FILE *file = fopen(path, "we");
    if (!file) {
        return 0;
    }
    uint64_t base = (wall() / 1000000000 - 1000) * 1000000000;
    fprintf(file, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0, \"name\": \"Client GPU\"}],\n");
    fprintf(file, "  \"baseTimeNanoseconds\": %lu,\n  \"displayTimeUnit\": \"ms\",\n  \"traceEvents\": [\n", (unsigned long)base);
    for (long i = 0; i < seen.kernels + seen.calls; i++) {
        const struct event *event = &events[i];
        uint64_t start = event->start - base, length = event->end - event->start;
        fprintf(file, "%s  {\"ph\": \"X\", ", i ? ",\n" : "");
        if (event->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
            /* It knows one thread, under the system's number. */
            fprintf(file, "\"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": %d, \"tid\": %ld,", getpid(),
                    syscall(SYS_gettid));
        } else {
            fprintf(file, "\"cat\": \"kernel\", \"name\": \"client_kernel\", \"pid\": %u, \"tid\": %u,", event->device, event->stream);
        }
        fprintf(file, " \"ts\": %lu.%03lu, \"dur\": %lu.%03lu, \"args\": {\"correlation\": %u", (unsigned long)(start / 1000),
                (unsigned long)(start % 1000), (unsigned long)(length / 1000), (unsigned long)(length % 1000), event->correlation);
        if (event->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
            fprintf(file, ", \"cbid\": %u}}", event->function);
        } else {
            fprintf(file, ", \"device\": %u, \"context\": %u, \"stream\": %u, \"registers per thread\": 32,"
                          " \"grid\": [%d, 1, 1], \"block\": [%d, 1, 1]}}",
                    event->device, event->context, event->stream, event->grid, event->block);
        }
    }
    fprintf(file, "\n  ]\n}\n");
    return fclose(file) == 0;
}
