/*
 * NVTX 3 from a client's side, without its headers: what it exports, and how it finds its tool.
 *
 * Tables have the sizes and slots of NVTX's own; slot 0 is none; what a tool leaves empty is not called.
 */
#ifndef NVTX_CLIENT_H
#define NVTX_CLIENT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef void (*nvtx_function)(void);

enum nvtx_module { CORE = 1, CUDA = 2, CUDART = 4, CORE2 = 5, MODULES };
enum nvtx_core {
    MARK = 2, START = 5, END = 7, PUSH_EX = 8, PUSH = 9, PUSH_WIDE = 10, POP = 11, NAME_CATEGORY = 12, NAME_THREAD = 14
};
enum nvtx_core2 {
    DOMAIN_MARK = 1, DOMAIN_START = 2, DOMAIN_END = 3, DOMAIN_PUSH = 4, DOMAIN_POP = 5, REGISTER = 10, CREATE = 12,
    DESTROY = 14
};
enum { NVTX_SLOTS = 16, NVTX_VERSION = 3, NAME_CUDA_STREAM = 3 };
enum { MESSAGE_TEXT = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

/* nvtxEventAttributes. */
struct nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};
_Static_assert(sizeof(struct nvtx_attributes) == 48, "as NVTX has it");

/* A library with NVTX of its own: its functions, and for each module where they stand. */
struct nvtx_client {
    nvtx_function functions[MODULES][NVTX_SLOTS];
    nvtx_function *places[MODULES][NVTX_SLOTS];
};

static struct nvtx_client *nvtx_asking;

static int nvtx_table(uint32_t module, nvtx_function ***out, unsigned *count) {
    static const unsigned sizes[MODULES] = {[CORE] = 16, [CUDA] = 9, [CUDART] = 7, [CORE2] = 16};
    if (module >= MODULES || !sizes[module]) {
        return 0;
    }
    for (unsigned i = 1; i < sizes[module]; i++) {
        nvtx_asking->places[module][i] = &nvtx_asking->functions[module][i];
    }
    *out = nvtx_asking->places[module];
    if (count) {
        *count = sizes[module];
    }
    return 1;
}

static const void *nvtx_export_table(uint32_t number) {
    static const struct {
        size_t size;
        int (*table)(uint32_t, nvtx_function ***, unsigned *);
    } callbacks = {sizeof callbacks, nvtx_table};
    return number == 1 ? &callbacks : NULL;
}

/* 1: there is a tool and it works; 0: there is none; -1: there is one and it does not. */
static int nvtx_connect(struct nvtx_client *client) {
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*initialize)(const void *(*)(uint32_t)) = NULL;
    if (!path) {
        return 0;
    }
    if (library) {
        *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    }
    nvtx_asking = client;
    if (initialize && initialize(nvtx_export_table)) {
        return 1;
    }
    if (library) {
        dlclose(library);
    }
    memset(client, 0, sizeof *client);
    return -1;
}

/* The function of a slot, or what stands for one that the tool left out. */
#define CALL(client, module, slot, type, otherwise, ...) \
    ((client)->functions[module][slot] ? ((type)(client)->functions[module][slot])(__VA_ARGS__) : otherwise)

typedef int (*nvtx_push)(const char *);
typedef int (*nvtx_pop)(void);
typedef void (*nvtx_name_number)(uint32_t, const char *);
typedef void (*nvtx_name_object)(void *, const char *);

#endif
