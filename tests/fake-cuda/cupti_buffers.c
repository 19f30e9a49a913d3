/*
 * Buffers of the client: asked for when there is something to write, delivered when full, flushed or due.
 *
 * Knows nothing of what stands in a record. The client's request is called with the lock held, as it would be with
 * CUPTI's own; its completion never is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupti_inside.h"

enum { SLOTS = 1025 }; /* the device's buffer, and those of threads */

struct buffer {
    uint8_t *bytes;
    size_t size, valid, records, most;
    int unfinished; /* one of its records has not ended: it waits for a forced flush */
    uint32_t counts[LEDGER_KINDS];
    struct buffer *next;
};

_Atomic(CUpti_BuffersCallbackRequestFunc) buffers_request;
_Atomic(CUpti_BuffersCallbackCompleteFunc) buffers_complete;
_Atomic uint8_t buffers_zeroed, buffers_per_thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct buffer *open_buffers[SLOTS], *latest, *queue, **queue_end = &queue;
static int delivering, worker_runs, has_ended;
static uint32_t period; /* in milliseconds */
static struct timespec tick; /* when the next one ends */
static _Atomic size_t dropped;
static _Atomic unsigned threads;
static _Thread_local unsigned own_slot;
static _Thread_local int is_delivering;

void buffers_lock(void) {
    pthread_mutex_lock(&lock);
}

void buffers_unlock(void) {
    pthread_mutex_unlock(&lock);
}

void buffers_lose(void) {
    atomic_fetch_add(&dropped, 1);
    ledger_dropped();
}

size_t buffers_dropped(void) {
    return atomic_exchange(&dropped, 0);
}

static void close_slot(unsigned slot) {
    *queue_end = open_buffers[slot];
    queue_end = &open_buffers[slot]->next;
    open_buffers[slot] = NULL;
}

static int null_buffer_drops(void) {
    uint32_t version = script()->version ? script()->version : CUPTI_API_VERSION;
    return script()->null_buffer_drops >= 0 ? script()->null_buffer_drops : version >= 27;
}

static struct buffer *request(void) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    CUpti_BuffersCallbackRequestFunc asked = atomic_load(&buffers_request);
    if (!asked || !buffer) {
        free(buffer);
        return NULL;
    }
    asked(&buffer->bytes, &buffer->size, &buffer->most);
    if (!buffer->bytes) {
        if (!null_buffer_drops()) {
            FAKE_WRONG("no buffer was given: CUPTI below version 27 crashes");
        }
        free(buffer);
        return NULL;
    }
    if ((uintptr_t)buffer->bytes % 8 || buffer->size < 1024) {
        FAKE_WRONG("a buffer of %zu bytes at %p", buffer->size, (void *)buffer->bytes);
    }
    if (!atomic_load(&buffers_zeroed)) {
        memset(buffer->bytes, 0, buffer->size);
    } else if (buffer->bytes[0] || memcmp(buffer->bytes, buffer->bytes + 1, buffer->size - 1) != 0) {
        FAKE_WRONG("a buffer that was promised to be zeroed is not");
    }
    return buffer;
}

void *place(uint32_t kind, size_t size, enum owner owner) {
    unsigned slot = 0;
    if (owner == OF_THREAD && atomic_load(&buffers_per_thread)) {
        own_slot = own_slot ? own_slot : 1 + atomic_fetch_add(&threads, 1) % (SLOTS - 1);
        slot = own_slot;
    }
    if (has_ended) {
        return NULL;
    }
    ledger_made(kind);
    struct buffer *buffer = open_buffers[slot];
    if (buffer && (buffer->valid + size > buffer->size || (buffer->most && buffer->records == buffer->most))) {
        close_slot(slot);
        buffer = NULL;
    }
    if (!buffer) {
        buffer = open_buffers[slot] = request();
    }
    if (!buffer) {
        buffers_lose();
        return NULL;
    }
    void *record = buffer->bytes + buffer->valid;
    memcpy(record, &kind, sizeof kind);
    buffer->valid += size;
    buffer->records++;
    buffer->counts[ledger_slot(kind)]++;
    latest = buffer;
    return record;
}

void buffers_forget(void) {
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        struct buffer *buffer = open_buffers[slot];
        if (buffer) {
            memset(buffer->bytes, 0, buffer->valid);
            memset(buffer->counts, 0, sizeof buffer->counts);
            buffer->valid = buffer->records = 0;
        }
    }
}

void buffers_hold(void) {
    latest->unfinished = 1;
}

/* Takes what may be delivered out of the queue. With the lock held. */
static struct buffer *take(enum which which) {
    for (unsigned slot = 0; which != FULL && slot < SLOTS; slot++) {
        struct buffer *buffer = open_buffers[slot];
        if (buffer && buffer->records && (which == ALL || !buffer->unfinished)) {
            close_slot(slot);
        }
    }
    struct buffer *taken = NULL, **end = &taken;
    for (struct buffer **at = &queue; *at;) {
        struct buffer *buffer = *at;
        if (buffer->unfinished && which != ALL) {
            at = &buffer->next;
            continue;
        }
        *at = buffer->next;
        buffer->next = NULL;
        *end = buffer;
        end = &buffer->next;
    }
    for (queue_end = &queue; *queue_end;) {
        queue_end = &(*queue_end)->next;
    }
    return taken;
}

/* With the lock held, which is let go meanwhile. */
static void hand_over(struct buffer *taken) {
    delivering++;
    buffers_unlock();
    is_delivering = 1;
    while (taken) {
        struct buffer *buffer = taken;
        taken = buffer->next;
        CUpti_BuffersCallbackCompleteFunc complete = atomic_load(&buffers_complete);
        if (complete) {
            /* Counted first: who looks at the ledger of a killed process sees no less than the client got. */
            ledger_delivered(buffer->counts);
            complete(NULL, 0, buffer->bytes, buffer->size, buffer->valid);
        }
        free(buffer);
    }
    is_delivering = 0;
    buffers_lock();
    delivering--;
    pthread_cond_broadcast(&changed);
}

/* With the lock held. */
static void queue_empty(void) {
    struct buffer *buffer = request();
    if (buffer) {
        *queue_end = buffer;
        queue_end = &buffer->next;
    }
}

void pause_ms(uint32_t milliseconds) {
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
}

void buffers_end(void) {
    buffers_lock();
    has_ended = 1;
    while (delivering) {
        pthread_cond_wait(&changed, &lock);
    }
    buffers_unlock();
}

/* Signals are the program's business. */
static int start_thread(void *(*body)(void *), void *argument) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int is_started = pthread_create(&thread, NULL, body, argument) == 0 && pthread_detach(thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

static void *deliver_after_pause(void *taken) {
    pause_ms(script()->deliver_late);
    buffers_lock();
    if (!has_ended) {
        hand_over(taken);
    }
    buffers_unlock();
    return NULL;
}

void buffers_deliver(enum which which) {
    if (is_delivering) {
        FAKE_WRONG("a flush from a buffer's own callback");
    }
    buffers_lock();
    if (which == ALL && script()->empty_buffer) {
        queue_empty();
    }
    struct buffer *taken = take(which);
    if (script()->deliver_late && taken) {
        start_thread(deliver_after_pause, taken);
    } else {
        hand_over(taken);
    }
    while (delivering) {
        pthread_cond_wait(&changed, &lock);
    }
    buffers_unlock();
}

static int is_deliverable(void) {
    const struct buffer *buffer = queue;
    while (buffer && buffer->unfinished) {
        buffer = buffer->next;
    }
    return buffer != NULL;
}

/* With the lock held. */
static void next_tick(void) {
    clock_gettime(CLOCK_REALTIME, &tick);
    uint64_t end = (uint64_t)tick.tv_nsec + (uint64_t)period * 1000000;
    tick.tv_sec += (time_t)(end / 1000000000);
    tick.tv_nsec = (long)(end % 1000000000);
}

static void *work(void *nothing) {
    buffers_lock();
    while (!has_ended) {
        if (script()->delivery == DELIVERY_WORKER && is_deliverable()) {
            hand_over(take(FULL));
        } else if (!period) {
            pthread_cond_wait(&changed, &lock);
        } else if (pthread_cond_timedwait(&changed, &lock, &tick) == ETIMEDOUT) {
            hand_over(take(script()->period_partial ? COMPLETE : FULL));
            next_tick();
        }
    }
    buffers_unlock();
    return nothing;
}

/* With the lock held. */
static void start_worker(void) {
    worker_runs = worker_runs || start_thread(work, NULL);
}

void buffers_filled(void) {
    enum delivery delivery = script()->delivery;
    buffers_lock();
    int is_some = is_deliverable();
    if (is_some && delivery == DELIVERY_WORKER) {
        start_worker();
        pthread_cond_broadcast(&changed);
    } else if (is_some && delivery == DELIVERY_LAUNCH && !is_delivering) {
        hand_over(take(FULL));
    }
    buffers_unlock();
}

void buffers_period(uint32_t milliseconds) {
    buffers_lock();
    period = milliseconds;
    next_tick();
    start_worker();
    pthread_cond_broadcast(&changed);
    buffers_unlock();
}
