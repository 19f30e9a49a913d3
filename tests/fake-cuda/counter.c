/*
 * A client of CUPTI that only counts: what records cost by themselves, for benches/capture/records.py to compare with.
 *
 * An injection library. It asks for the records that a capture asks for, goes through each buffer, and keeps nothing; when the
 * program ends it prints to stderr how many records there were. COUNTER_CUPTI names the libcupti to use.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 20, PER_THREAD = 9 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t records;
static struct node {
    struct node *next;
} *spare; /* buffers to be used again */
static uint32_t (*next_record)(uint8_t *, size_t, void **), (*flush)(uint32_t);

static void request(uint8_t **buffer, size_t *size, size_t *most) {
    pthread_mutex_lock(&lock);
    struct node *free = spare;
    spare = free ? free->next : NULL;
    pthread_mutex_unlock(&lock);
    *buffer = free ? (void *)free : malloc(SIZE);
    *size = SIZE, *most = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    (void)context, (void)stream, (void)size;
    uint64_t count = 0;
    for (void *record = NULL; next_record(buffer, valid, &record) == 0;) {
        count++;
    }
    struct node *free = (void *)buffer;
    pthread_mutex_lock(&lock);
    records += count;
    free->next = spare;
    spare = free;
    pthread_mutex_unlock(&lock);
}

static void end(void) {
    uint32_t answer = flush(1);
    fprintf(stderr, "counter flushed %u records %lu\n", answer, (unsigned long)records);
}

static void nothing(void) {}

int InitializeInjection(void) {
    /* Devices, contexts, streams, names; kernels, calls of the runtime and the driver, copies of both kinds, memsets, overheads. */
    static const uint32_t kinds[] = {8, 9, 37, 11, 10, 5, 4, 1, 22, 2, 17};
    const char *path = getenv("COUNTER_CUPTI");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL, *subscriber;
    uint32_t (*subscribe)(void **, void *, void *), (*callbacks)(void *, void *), (*enable)(uint32_t);
    uint32_t (*attribute)(uint32_t, size_t *, void *);
    if (!library) {
        fprintf(stderr, "counter cannot open %s\n", path ? path : "nothing");
        return 1;
    }
    *(void **)&subscribe = dlsym(library, "cuptiSubscribe"), *(void **)&enable = dlsym(library, "cuptiActivityEnable");
    *(void **)&callbacks = dlsym(library, "cuptiActivityRegisterCallbacks");
    *(void **)&attribute = dlsym(library, "cuptiActivitySetAttribute");
    *(void **)&flush = dlsym(library, "cuptiActivityFlushAll");
    *(void **)&next_record = dlsym(library, "cuptiActivityGetNextRecord");
    if (!subscribe || !callbacks || !enable || !attribute || !flush || !next_record || subscribe(&subscriber, (void *)nothing, NULL)) {
        fprintf(stderr, "counter cannot use %s\n", path);
        return 1;
    }
    attribute(PER_THREAD, &(size_t){1}, &(uint8_t){0});
    callbacks((void *)request, (void *)complete);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        enable(kinds[i]);
    }
    atexit(end);
    return 1;
}
