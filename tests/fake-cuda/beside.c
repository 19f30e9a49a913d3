/*
 * A CUDA program with a profiler of its own (client.c): launches without it, with it, and without it again.
 *
 *   beside CLIENT CUPTI WAY [N]     WAY: subscribes or registers; N launches each time (1000)
 *
 * Prints what its profiler saw, in one line. Exit status 7 where all went well, so that a changed status shows.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

#define FIND(library, name) *(void **)&(name) = dlsym(library, #name)

static int (*cuInit)(unsigned), (*cuCtxSynchronize)(void), (*cuModuleGetFunction)(void **, void *, const char *);
static int (*cuLaunchKernel)(const void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                             void **);
static int (*client_prepare_)(const char *, enum client_way);
static void (*client_start_)(enum client_way, int), (*client_stop_)(void);
static struct seen (*client_seen_)(void);

static void work(const void *kernel, long count) {
    for (long i = 0; i < count; i++) {
        if (cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL)) {
            exit(3);
        }
    }
    cuCtxSynchronize();
}

int main(int count, char **words) {
    if (count < 4) {
        return 2;
    }
    enum client_way way = strcmp(words[3], "registers") == 0 ? CLIENT_REGISTERS : CLIENT_SUBSCRIBES;
    long launches = count > 4 ? strtol(words[4], NULL, 0) : 1000;
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *client = dlopen(words[1], RTLD_NOW), *kernel = NULL;
    if (!cuda || !client) {
        fprintf(stderr, "beside: %s\n", dlerror());
        return 4;
    }
    FIND(cuda, cuInit), FIND(cuda, cuCtxSynchronize), FIND(cuda, cuModuleGetFunction), FIND(cuda, cuLaunchKernel);
    *(void **)&client_prepare_ = dlsym(client, "client_prepare"), *(void **)&client_start_ = dlsym(client, "client_start");
    *(void **)&client_stop_ = dlsym(client, "client_stop"), *(void **)&client_seen_ = dlsym(client, "client_seen");
    if (cuInit(0) || cuModuleGetFunction(&kernel, NULL, "kernel")) {
        return 3;
    }
    work(kernel, launches);
    if (!client_prepare_(words[2], way)) {
        return 4;
    }
    client_start_(way, 1);
    work(kernel, launches);
    client_stop_();
    work(kernel, launches);
    struct seen seen = client_seen_();
    printf("kernels %ld calls %ld foreign %ld in %ld times %ld threads %ld refused %ld\n", seen.kernels, seen.calls,
           seen.foreign_kernels, seen.foreign_buffers, seen.strange_times, seen.strange_threads, seen.was_refused);
    return 7;
}
