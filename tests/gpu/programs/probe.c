/*
 * A recorder that only asks: an injection library that makes the calls of CUPTI that proftui's makes, in that order and in that
 * function, and writes each answer down with its time. It enables all kinds of records at once, disables none, and switches no single
 * calls off. It shares nothing with proftui.
 *
 *   PROBE_CUPTI        the libcupti to use; none: CUPTI is not loaded, only the device's memory is asked for
 *   PROBE_OUT          files are PROBE_OUT.<process>.log, JSON by the line, and .buffers
 *   PROBE_EARLY        registers the exit handler before CUPTI is loaded, whose own handlers then run first
 *   PROBE_ATTRIBUTES   attributes to set, by CUPTI's numbers: 8=1,2=3
 *
 * A file .buffers has the text "proftui cupti 1\n", CUPTI's API version and a zero, both as u32; then for each buffer its number of
 * records and of valid bytes, the offset of each record, all as u32, and the valid bytes. The recorder's tests read such files.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 20, KINDS = 128, KEPT = 8 << 20, RECORDS = SIZE / 16 };
enum { COPY = 1, SET = 2, KERNEL = 10, SYSTEM_THREADS = 1, ZEROED = 5, PER_THREAD = 9, DRIVER = 1 };

static void *cupti;
static FILE *written, *kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t kinds[KINDS], given, back, untimed, reversed;
static uint32_t offsets[RECORDS];
static volatile int is_over;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#define WRITE(...) (fprintf(written, __VA_ARGS__), fflush(written))

/* Calls a function of CUPTI and writes its answer down; -1 if it is missing. */
#define CALL(name, type, ...)                                                                        \
    __extension__({                                                                                  \
        int (*function) type = NULL;                                                                 \
        *(void **)&function = dlsym(cupti, #name);                                                   \
        uint64_t begun = now();                                                                      \
        int answer = function ? function(__VA_ARGS__) : -1;                                          \
        WRITE("{\"call\": \"" #name "\", \"answer\": %d, \"us\": %.1f}\n", answer, (double)(now() - begun) / 1e3); \
        answer;                                                                                      \
    })

static void requested(uint8_t **buffer, size_t *size, size_t *most) {
    pthread_mutex_lock(&lock);
    given++;
    pthread_mutex_unlock(&lock);
    *size = SIZE, *most = 0;
    *buffer = aligned_alloc(8, SIZE);
    memset(*buffer, 0, SIZE);
}

static void count(const uint8_t *record) {
    uint32_t kind;
    uint64_t start, end;
    memcpy(&kind, record, sizeof kind);
    kinds[kind < KINDS ? kind : KINDS - 1]++;
    if (kind == KERNEL || kind == COPY || kind == SET) {
        memcpy(&start, record + 16, sizeof start), memcpy(&end, record + 24, sizeof end);
        untimed += !start || !end;
        reversed += end && end < start;
    }
}

static void keep(const uint8_t *buffer, uint32_t records, uint32_t valid) {
    if (kept && ftell(kept) < KEPT) {
        fwrite(&records, sizeof records, 1, kept), fwrite(&valid, sizeof valid, 1, kept);
        fwrite(offsets, sizeof *offsets, records, kept), fwrite(buffer, 1, valid, kept);
        fflush(kept);
    }
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    int (*next)(uint8_t *, size_t, void **) = NULL;
    *(void **)&next = dlsym(cupti, "cuptiActivityGetNextRecord");
    void *record = NULL;
    uint32_t records = 0;
    size_t behind = 0;
    int answer;
    (void)context, (void)stream;
    pthread_mutex_lock(&lock);
    while ((answer = next(buffer, valid, &record)) == 0 && records < RECORDS) {
        offsets[records++] = (uint32_t)((uint8_t *)record - buffer);
        count(record);
    }
    for (size_t i = valid; i < size; i++) {
        behind += buffer[i] != 0;
    }
    back++;
    keep(buffer, records, (uint32_t)valid);
    WRITE("{\"buffer\": %lu, \"records\": %u, \"valid\": %zu, \"size\": %zu, \"last\": %d, \"behind\": %zu, \"main\": %d, \"over\": %d}\n",
         (unsigned long)back, records, valid, size, answer, behind, getpid() == (pid_t)syscall(SYS_gettid), is_over);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static void flush(uint32_t forced) {
    size_t dropped = 0;
    CALL(cuptiActivityFlushAll, (uint32_t), forced);
    CALL(cuptiActivityGetNumDroppedRecords, (void *, uint32_t, size_t *), NULL, 0, &dropped);
    pthread_mutex_lock(&lock);
    WRITE("{\"flush\": %u, \"given\": %lu, \"back\": %lu, \"dropped\": %zu, \"untimed\": %lu, \"reversed\": %lu, \"kinds\": {", forced,
         (unsigned long)given, (unsigned long)back, dropped, (unsigned long)untimed, (unsigned long)reversed);
    const char *comma = "";
    for (int kind = 0; kind < KINDS; kind++) {
        if (kinds[kind]) {
            WRITE("%s\"%d\": %lu", comma, kind, (unsigned long)kinds[kind]);
            comma = ", ";
        }
    }
    WRITE("}}\n");
    pthread_mutex_unlock(&lock);
}

/* What is free of the device's memory, where this thread has a context. */
static void write_memory(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*ask)(size_t *, size_t *) = NULL;
    size_t free_bytes = 0, all = 0;
    if (driver) {
        *(void **)&ask = dlsym(driver, "cuMemGetInfo_v2");
    }
    if (ask && ask(&free_bytes, &all) == 0) {
        WRITE("{\"free\": %zu, \"all\": %zu}\n", free_bytes, all);
    }
}

static void end(void) {
    WRITE("{\"exit\": \"begins\"}\n");
    write_memory();
    if (cupti) {
        flush(1);
    }
    is_over = 1;
    WRITE("{\"exit\": \"ends\"}\n");
}

static void *each_second(void *nothing) {
    for (;;) {
        sleep(1);
        if (is_over) {
            return nothing;
        }
        flush(0);
    }
}

static void called(void) {}

static void set_attributes(const char *text) {
    for (const char *at = text; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        int attribute = atoi(at);
        uint64_t value = strchr(at, '=') ? strtoull(strchr(at, '=') + 1, NULL, 0) : 0;
        size_t size = attribute == ZEROED || attribute >= 8 ? 1 : sizeof(size_t);
        WRITE("{\"set\": %d, \"value\": %lu}\n", attribute, (unsigned long)value);
        CALL(cuptiActivitySetAttribute, (int, size_t *, void *), attribute, &size, &value);
    }
}

static void write_attributes(void) {
    static const struct {
        int number;
        size_t size;
        const char *name;
    } attributes[] = {{0, 8, "bytes of a device buffer"},    {2, 8, "device buffers at most"}, {ZEROED, 1, "zeroed buffers"},
                      {6, 8, "device buffers at the start"}, {8, 1, "device buffers in host memory"}, {PER_THREAD, 1, "buffers per thread"}};
    int (*get)(int, size_t *, void *) = NULL;
    *(void **)&get = dlsym(cupti, "cuptiActivityGetAttribute");
    for (size_t i = 0; get && i < sizeof attributes / sizeof *attributes; i++) {
        uint64_t value = 0;
        size_t size = attributes[i].size;
        int answer = get(attributes[i].number, &size, &value);
        WRITE("{\"attribute\": %d, \"name\": \"%s\", \"answer\": %d, \"value\": %lu}\n", attributes[i].number, attributes[i].name, answer,
             (unsigned long)value);
    }
}

static void begin(uint32_t version) {
    /* Descriptions first; then kernels, calls, copies, memsets, overheads, memory, synchronizations, events. */
    static const int wanted[] = {8, 9, 37, 11, 10, 5, 4, 1, 22, 2, 17, 49, 38, 36};
    static const uint32_t captures[] = {495, 496, 539, 540, 720, 721, 783, 814, 846, 847, 497, 498, 815, 816};
    void *subscriber = NULL;
    pthread_t thread;
    uint32_t head[2] = {version, 0};
    fwrite("proftui cupti 1\n", 1, 16, kept), fwrite(head, sizeof head, 1, kept);
    CALL(cuptiSubscribe, (void **, void *, void *), &subscriber, (void *)called, NULL);
    CALL(cuptiSetThreadIdType, (int), SYSTEM_THREADS);
    write_attributes();
    set_attributes("9=0,2=41");
    set_attributes(getenv("PROBE_ATTRIBUTES"));
    CALL(cuptiActivityRegisterTimestampCallback, (void *), (void *)now);
    CALL(cuptiActivityRegisterCallbacks, (void *, void *), (void *)requested, (void *)completed);
    for (size_t i = 0; i < sizeof captures / sizeof *captures; i++) {
        CALL(cuptiEnableCallback, (uint32_t, void *, int, uint32_t), 1, subscriber, DRIVER, captures[i]);
    }
    /* Nodes of graphs that are created and copied; resets of a device. */
    static const uint32_t others[][2] = {{3, 13}, {3, 20}, {2, 164}, {1, 389}, {1, 545}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CALL(cuptiEnableCallback, (uint32_t, void *, int, uint32_t), 1, subscriber, (int)others[i][0], others[i][1]);
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        WRITE("{\"enable\": %d}\n", wanted[i]);
        CALL(cuptiActivityEnable, (int), wanted[i]);
    }
    if (pthread_create(&thread, NULL, each_second, NULL) == 0) {
        pthread_detach(thread);
    }
}

int InitializeInjection(void) {
    const char *path = getenv("PROBE_CUPTI"), *out = getenv("PROBE_OUT");
    char name[4096];
    uint32_t version = 0;
    snprintf(name, sizeof name, "%s.%d.log", out ? out : "probe", (int)getpid());
    written = fopen(name, "we");
    snprintf(name, sizeof name, "%s.%d.buffers", out ? out : "probe", (int)getpid());
    kept = path ? fopen(name, "we") : NULL;
    if (!written || (path && !kept)) {
        return 1;
    }
    int is_early = getenv("PROBE_EARLY") != NULL;
    if (is_early) {
        atexit(end);
    }
    cupti = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    WRITE("{\"cupti\": \"%s\", \"loaded\": %d}\n", path ? path : "", cupti != NULL);
    if (!is_early) {
        atexit(end);
    }
    if (cupti) {
        CALL(cuptiGetVersion, (uint32_t *), &version);
        WRITE("{\"version\": %u}\n", version);
        begin(version);
    }
    return 1;
}

__attribute__((destructor)) static void gone(void) {
    if (written) {
        WRITE("{\"destructor\": 1, \"given\": %lu, \"back\": %lu}\n", (unsigned long)given, (unsigned long)back);
    }
}
