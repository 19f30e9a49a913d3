/* Counts what was made, delivered and called. Knows nothing of how. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cupti_inside.h"

enum { FUNCTIONS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t made[LEDGER_KINDS], delivered[LEDGER_KINDS], dropped, buffers;
static struct {
    const char *function;
    uint32_t count;
} calls[FUNCTIONS];

unsigned ledger_slot(uint32_t kind) {
    return kind < KINDS ? kind : KINDS;
}

uint32_t ledger_call(const char *function) {
    uint32_t before = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FUNCTIONS; i++) {
        if (!calls[i].function || strcmp(calls[i].function, function) == 0) {
            calls[i].function = function;
            before = calls[i].count++;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return before;
}

void ledger_made(uint32_t kind) {
    pthread_mutex_lock(&lock);
    made[ledger_slot(kind)]++;
    pthread_mutex_unlock(&lock);
}

void ledger_dropped(void) {
    pthread_mutex_lock(&lock);
    dropped++;
    pthread_mutex_unlock(&lock);
}

void ledger_delivered(const uint32_t counts[LEDGER_KINDS]) {
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        delivered[kind] += counts[kind];
    }
    buffers++;
    pthread_mutex_unlock(&lock);
    ledger_write();
}

void ledger_write(void) {
    const char *path = getenv("FAKE_CUDA_LEDGER");
    if (!path) {
        return;
    }
    char name[4096], text[16384];
    size_t at = 0;
    snprintf(name, sizeof name, "%s.%d", path, (int)getpid());
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        if (made[kind]) {
            at += (size_t)snprintf(text + at, sizeof text - at, "made %d %lu\ndelivered %d %lu\n", kind,
                                   (unsigned long)made[kind], kind, (unsigned long)delivered[kind]);
        }
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "dropped %lu\nbuffers %lu\n", (unsigned long)dropped,
                           (unsigned long)buffers);
    for (int i = 0; i < FUNCTIONS && calls[i].function; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "calls %s %u\n", calls[i].function, calls[i].count);
    }
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, text, at) != (ssize_t)at) {
        FAKE_WRONG("cannot write %s", name);
    }
    close(file);
    pthread_mutex_unlock(&lock);
}
