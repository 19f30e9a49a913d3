/*
 * The smallest client of CUPTI: it proves the fakes before anything else is tested with them.
 *
 * An injection library that reads records at the offsets which all versions share, not by NVIDIA's structures: so it
 * holds the fakes to those offsets, too. Tells what it counted in one line on stderr when the program ends.
 *
 *   SELFTEST_CUPTI      the libcupti to use
 *   SELFTEST_BUFFERS    how many buffers it gives before it gives none (all that are asked for)
 *   SELFTEST_PERIOD     cuptiActivityFlushPeriod
 *   SELFTEST_AWAIT      no flush at the end, but so many calls of the runtime, for 20 seconds at most
 *   SELFTEST_CLOCK      cuptiActivityRegisterTimestampCallback, by the monotonic clock
 *   SELFTEST_PAUSE      disables kernels when a device was waited for, and enables them when a graph is launched
 *   SELFTEST_THREADS    CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COPY = 1, SET = 2, DRIVER = 4, RUNTIME = 5, DEVICE = 8, CONTEXT = 9, KERNEL = 10, OVERHEAD = 17, PEER = 22,
       STREAM = 37, SYNC = 38, MEMORY = 49, KINDS = 64 };
enum { SIZE = 1 << 18, NUMBERS = 1 << 20, SYSTEM_THREADS = 1, ZEROED = 5 };
enum { RUNTIME_CALLS = 2, WAIT = 165, GRAPH = 311 }; /* a domain, and the numbers of two calls in it */

static struct {
    uint32_t (*version)(uint32_t *), (*subscribe)(void **, void *, void *), (*callbacks)(void *, void *);
    uint32_t (*clock)(uint64_t (*)(void)), (*threads)(uint32_t), (*enable)(uint32_t), (*flush)(uint32_t);
    uint32_t (*period)(uint32_t), (*dropped)(void *, uint32_t, size_t *), (*next)(uint8_t *, size_t, uint8_t **);
    uint32_t (*attribute)(uint32_t, size_t *, void *), (*disable)(uint32_t);
    uint32_t (*callback)(uint32_t, void *, uint32_t, uint32_t);
} cupti;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[KINDS], strange, unfinished, broken, wrong, nodes, late;
static uint64_t call_start[NUMBERS], kernel_start[NUMBERS]; /* by correlation */
static uint32_t threads[256];
static int thread_count, is_over;
static _Atomic long buffers_left = -1;
static pid_t self;

#define READ(type, record, offset) (*(type *)memcpy(&(type){0}, (record) + (offset), sizeof(type)))

static void request(uint8_t **buffer, size_t *size, size_t *most) {
    *most = 0;
    *size = SIZE;
    long left = atomic_load(&buffers_left);
    *buffer = left == 0 ? NULL : calloc(1, SIZE);
    if (left > 0) {
        atomic_fetch_sub(&buffers_left, 1);
    }
}

static void see_thread(uint32_t thread) {
    for (int i = 0; i < thread_count; i++) {
        if (threads[i] == thread) {
            return;
        }
    }
    if (thread_count < 256) {
        threads[thread_count++] = thread;
    }
}

static void see(const uint8_t *record) {
    uint32_t kind = READ(uint32_t, record, 0);
    if (kind >= KINDS) {
        strange++;
        return;
    }
    counts[kind]++;
    if (kind == RUNTIME || kind == DRIVER) {
        see_thread(READ(uint32_t, record, 28));
        call_start[READ(uint32_t, record, 32) % NUMBERS] = READ(uint64_t, record, 8);
        wrong += READ(uint64_t, record, 16) < READ(uint64_t, record, 8) || READ(uint32_t, record, 24) != (uint32_t)self;
    } else if (kind == KERNEL) {
        uint64_t start = READ(uint64_t, record, 16), end = READ(uint64_t, record, 24);
        const char *name = READ(const char *, record, 104);
        unfinished += end == 0;
        wrong += (end && end < start) || !name || !*name || READ(int32_t, record, 52) == 0;
        wrong += READ(uint32_t, record, 48) == 0; /* the stream */
        nodes += READ(uint64_t, record, 144) != 0 && READ(uint32_t, record, 156) != 0;
        kernel_start[READ(uint32_t, record, 92) % NUMBERS] = start;
    } else if (kind == COPY || kind == PEER || kind == SET) {
        wrong += READ(uint64_t, record, 24) < READ(uint64_t, record, 16) || READ(uint64_t, record, 8) == 0;
    }
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    uint8_t *record = NULL;
    uint32_t result;
    while ((result = cupti.next(buffer, valid, &record)) == 0) {
        see(record);
    }
    broken += result != 12;
    late += is_over;
    if (is_over) {
        fprintf(stderr, "selftest late\n");
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* What comes by itself. */
static void await(uint64_t calls) {
    for (int i = 0; i < 2000; i++) {
        pthread_mutex_lock(&lock);
        uint64_t seen = counts[RUNTIME];
        pthread_mutex_unlock(&lock);
        if (seen >= calls) {
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static void tell(void) {
    size_t dropped = 0;
    uint32_t version = 0, flushed = 0;
    if (getpid() != self) {
        return;
    }
    if (getenv("SELFTEST_AWAIT")) {
        await(strtoul(getenv("SELFTEST_AWAIT"), NULL, 0));
    } else {
        flushed = cupti.flush(1);
    }
    cupti.dropped(NULL, 0, &dropped);
    cupti.version(&version);
    pthread_mutex_lock(&lock);
    is_over = 1;
    uint64_t loose = 0;
    for (int i = 0; i < NUMBERS; i++) {
        loose += kernel_start[i] && !call_start[i];
        wrong += kernel_start[i] && call_start[i] > kernel_start[i];
    }
    fprintf(stderr,
            "selftest version %u flushed %u runtime %lu driver %lu kernels %lu copies %lu sets %lu memory %lu syncs %lu "
            "overheads %lu devices %lu contexts %lu streams %lu nodes %lu unfinished %lu strange %lu broken %lu "
            "threads %d loose %lu wrong %lu dropped %zu\n",
            version, flushed, counts[RUNTIME], counts[DRIVER], counts[KERNEL], counts[COPY], counts[SET],
            counts[MEMORY], counts[SYNC], counts[OVERHEAD], counts[DEVICE], counts[CONTEXT], counts[STREAM], nodes,
            unfinished, strange, broken, thread_count, loose, wrong, dropped);
    pthread_mutex_unlock(&lock);
}

static uint64_t monotonic(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The first field of what it is given: 0 when a call begins, 1 when it has ended. */
static void callback(void *nothing, uint32_t domain, uint32_t call, const uint32_t *site) {
    (void)nothing;
    if (domain == RUNTIME_CALLS && call == WAIT && *site == 1) {
        cupti.disable(KERNEL);
    } else if (domain == RUNTIME_CALLS && call == GRAPH && *site == 0) {
        cupti.enable(KERNEL);
    }
}

static int find(void *library, const char *name, void *to) {
    *(void **)to = dlsym(library, name);
    if (!*(void **)to) {
        fprintf(stderr, "selftest missing %s\n", name);
    }
    return *(void **)to != NULL;
}

static void step(const char *what, uint32_t result) {
    if (result) {
        fprintf(stderr, "selftest %s %u\n", what, result);
    }
}

int InitializeInjection(void) {
    static const uint32_t kinds[] = {DEVICE, CONTEXT, STREAM, RUNTIME, DRIVER, KERNEL, COPY, SET, PEER, MEMORY, SYNC, OVERHEAD};
    const char *path = getenv("SELFTEST_CUPTI"), *buffers = getenv("SELFTEST_BUFFERS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL, *subscriber;
    int all = library != NULL;
    if (!library) {
        fprintf(stderr, "selftest cannot open %s\n", path ? path : "nothing");
        return 1;
    }
    all &= find(library, "cuptiGetVersion", &cupti.version) & find(library, "cuptiSubscribe", &cupti.subscribe);
    all &= find(library, "cuptiActivityRegisterCallbacks", &cupti.callbacks);
    all &= find(library, "cuptiActivityRegisterTimestampCallback", &cupti.clock);
    all &= find(library, "cuptiActivityEnable", &cupti.enable) & find(library, "cuptiActivityFlushAll", &cupti.flush);
    all &= find(library, "cuptiActivityFlushPeriod", &cupti.period);
    all &= find(library, "cuptiActivityGetNumDroppedRecords", &cupti.dropped);
    all &= find(library, "cuptiActivityGetNextRecord", &cupti.next);
    all &= find(library, "cuptiActivitySetAttribute", &cupti.attribute);
    all &= find(library, "cuptiActivityDisable", &cupti.disable) & find(library, "cuptiEnableCallback", &cupti.callback);
    find(library, "cuptiSetThreadIdType", &cupti.threads);
    uint32_t subscribed = all ? cupti.subscribe(&subscriber, (void *)callback, NULL) : 1;
    step("subscribe", subscribed);
    if (subscribed) {
        return 1;
    }
    self = getpid();
    atomic_store(&buffers_left, buffers ? strtol(buffers, NULL, 0) : -1);
    if (cupti.threads) {
        step("threads", cupti.threads(SYSTEM_THREADS));
    }
    if (getenv("SELFTEST_CLOCK")) {
        step("clock", cupti.clock(monotonic));
    }
    step("attribute", cupti.attribute(ZEROED, &(size_t){1}, &(uint8_t){1}));
    if (getenv("SELFTEST_THREADS")) {
        step("threads", cupti.attribute(9, &(size_t){1}, &(uint8_t){(uint8_t)strtoul(getenv("SELFTEST_THREADS"), NULL, 0)}));
    }
    step("callbacks", cupti.callbacks((void *)request, (void *)complete));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        step("enable", cupti.enable(kinds[i]));
    }
    if (getenv("SELFTEST_PAUSE")) {
        step("callback", cupti.callback(1, subscriber, RUNTIME_CALLS, WAIT));
        step("callback", cupti.callback(1, subscriber, RUNTIME_CALLS, GRAPH));
    }
    if (getenv("SELFTEST_PERIOD")) {
        step("period", cupti.period((uint32_t)strtoul(getenv("SELFTEST_PERIOD"), NULL, 0)));
    }
    atexit(tell);
    return 1;
}
