/*
 * A driver without a device: cuInit loads what CUDA_INJECTION64_PATH names, calls tell libcupti, nothing is computed.
 *
 * Knows nothing of records. Functions have the driver's own signatures, in plain C types.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"

enum { CUDA_SUCCESS = 0, CUDA_INVALID_VALUE = 1, CUDA_NOT_INITIALIZED = 3, CUDA_NO_DEVICE = 100, CUDA_INVALID_CONTEXT = 201,
       CUDA_NOT_FOUND = 500 };
enum { VERSION = 13000, HOOKS = 4, CONTEXTS = 8, STREAMS = 256 };

/* As CUDA_KERNEL_NODE_PARAMS begins, in all its versions. */
struct node {
    const char *function;
    uint32_t grid[3], block[3], shared;
};

/* Of several kernels, all are as the last one. */
struct graph {
    uint32_t number, nodes;
    struct node node;
};

static struct graph *_Atomic captured[STREAMS]; /* by stream: the graph that its work becomes */
static _Atomic(fake_hook) hooks[HOOKS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic pid_t owner; /* who called cuInit: a forked child has no CUDA */
static _Atomic int is_ready; /* cuInit is about to return, or has */
static _Atomic uint32_t streams, graphs;
static _Atomic uint64_t memory = 0x7f0000000000;
static _Thread_local void *contexts[CONTEXTS]; /* a stack: the last one is the thread's own */
static _Thread_local unsigned context_count;

/* As the runtime does it: a thread gets the device's primary context with its first call. */
static void bind(void) {
    if (!context_count) {
        contexts[context_count++] = FAKE_CONTEXT(0);
    }
}

void fake_cuda_attach(fake_hook hook) {
    for (int i = 0; i < HOOKS; i++) {
        fake_hook none = NULL;
        if (atomic_load(&hooks[i]) == hook || atomic_compare_exchange_strong(&hooks[i], &none, hook)) {
            /* Who comes later is told that the driver is ready. */
            if (atomic_load(&is_ready)) {
                hook(&(struct fake_call){.what = FAKE_INIT_FINISHED});
            }
            return;
        }
    }
    FAKE_WRONG("more than %d copies of libcupti", HOOKS);
}

static int tell(struct fake_call call) {
    if (atomic_load(&owner) != getpid()) {
        return CUDA_NOT_INITIALIZED;
    }
    if (call.what != FAKE_INIT_FINISHED && call.what != FAKE_CONTEXT_SYNC && call.what != FAKE_RESET) {
        bind();
    }
    for (int i = 0; i < HOOKS; i++) {
        fake_hook hook = atomic_load(&hooks[i]);
        if (hook) {
            hook(&call);
        }
    }
    return CUDA_SUCCESS;
}

/* As the driver: "none", a file that is not there and one without the function are passed over in silence. */
static void inject(void) {
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path && *path && strcmp(path, "none") != 0 ? dlopen(path, RTLD_NOW) : NULL;
    int (*initialize)(void) = NULL;
    if (library) {
        *(void **)&initialize = dlsym(library, "InitializeInjection");
    }
    if (initialize) {
        initialize();
    }
    atomic_store(&owner, getpid());
    atomic_store(&is_ready, 1);
    tell((struct fake_call){.what = FAKE_INIT_FINISHED});
}

int cuInit(unsigned int flags) {
    if (getenv("FAKE_CUDA_NO_DEVICE")) {
        return CUDA_NO_DEVICE;
    }
    pthread_once(&once, inject);
    return flags ? CUDA_INVALID_VALUE : atomic_load(&owner) == getpid() ? CUDA_SUCCESS : CUDA_NOT_INITIALIZED;
}

int cuDriverGetVersion(int *version) {
    *version = VERSION;
    return CUDA_SUCCESS;
}

int cuDeviceGetCount(int *count) {
    *count = 1;
    return atomic_load(&owner) == getpid() ? CUDA_SUCCESS : CUDA_NOT_INITIALIZED;
}

int cuCtxGetCurrent(void **context) {
    *context = atomic_load(&owner) == getpid() && context_count ? contexts[context_count - 1] : NULL;
    return CUDA_SUCCESS;
}

int cuCtxPushCurrent_v2(void *context) {
    if (context_count == CONTEXTS) {
        return CUDA_INVALID_VALUE;
    }
    contexts[context_count++] = context;
    return CUDA_SUCCESS;
}

int cuCtxPopCurrent_v2(void **context) {
    if (!context_count) {
        return CUDA_INVALID_CONTEXT;
    }
    *context = contexts[--context_count];
    return CUDA_SUCCESS;
}

int cuDeviceGet(int *device, int which) {
    *device = which;
    return CUDA_SUCCESS;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active) {
    *flags = 0;
    *is_active = device == 0;
    return CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = FAKE_CONTEXT(device);
    return CUDA_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
    (void)device;
    return CUDA_SUCCESS;
}

/* A function is its name. */
int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module;
    bind();
    *function = strdup(name);
    return *function ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}

int cuStreamCreateWithPriority(void **stream, unsigned int flags, int priority) {
    (void)flags;
    uint32_t number = atomic_fetch_add(&streams, 1) + 1;
    *stream = FAKE_STREAM(number);
    return tell((struct fake_call){
        .what = FAKE_STREAM_CREATE, .stream = number, .priority = (uint32_t)priority});
}

int cuStreamCreate(void **stream, unsigned int flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}

static uint32_t number(const void *stream) {
    return FAKE_NUMBER(stream);
}

int cuStreamGetCtx(void *stream, void **context) {
    *context = FAKE_CONTEXT(number(stream));
    return atomic_load(&owner) == getpid() ? CUDA_SUCCESS : CUDA_NOT_INITIALIZED;
}

static void add_node(struct graph *graph, const struct node *node) {
    graph->node = *node;
    tell((struct fake_call){.what = FAKE_NODE, .graph = graph->number, .node = ++graph->nodes});
}

static struct graph *new_graph(void) {
    struct graph *graph = calloc(1, sizeof *graph);
    graph->number = atomic_fetch_add(&graphs, 1) + 1;
    return graph;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
    (void)mode;
    atomic_store(&captured[number(stream) % STREAMS], new_graph());
    return tell((struct fake_call){.what = FAKE_CAPTURE, .stream = number(stream)});
}

int cuStreamEndCapture(void *stream, struct graph **graph) {
    *graph = atomic_exchange(&captured[number(stream) % STREAMS], NULL);
    return tell((struct fake_call){.what = FAKE_CAPTURE_END, .stream = number(stream)});
}

int cuEventCreate(void **event, unsigned int flags) {
    static _Atomic uintptr_t events;
    (void)flags;
    *event = (void *)(atomic_fetch_add(&events, 1) + 1);
    return CUDA_SUCCESS;
}

int cuEventRecord(void *event, void *stream) {
    return tell((struct fake_call){
        .what = FAKE_EVENT_RECORD, .event = (uint32_t)(uintptr_t)event, .stream = number(stream)});
}

int cuStreamWaitEvent(void *stream, void *event, unsigned int flags) {
    (void)flags;
    return tell((struct fake_call){
        .what = FAKE_EVENT_WAIT, .event = (uint32_t)(uintptr_t)event, .stream = number(stream)});
}

/* What of the device's work is not done is never done. */
int cuDevicePrimaryCtxReset_v2(int device) {
    (void)device;
    return tell((struct fake_call){.what = FAKE_RESET});
}

int cuLaunchKernel(const void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
    (void)arguments, (void)extra;
    struct graph *graph = atomic_load(&captured[number(stream) % STREAMS]);
    if (graph) {
        add_node(graph, &(struct node){.function = function, .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared});
        return tell((struct fake_call){.what = FAKE_CAPTURED, .kernel = function, .stream = number(stream)});
    }
    return tell((struct fake_call){.what = FAKE_LAUNCH, .kernel = function, .stream = number(stream),
                                   .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared});
}

int cuLaunchCooperativeKernel(const void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *stream, void **arguments) {
    (void)arguments;
    return tell((struct fake_call){.what = FAKE_LAUNCH, .kernel = function, .stream = number(stream), .is_cooperative = 1,
                                   .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared});
}

static int copy(enum fake_copy kind, size_t bytes, const void *stream) {
    return tell((struct fake_call){.what = FAKE_COPY, .copy = kind, .bytes = bytes, .stream = number(stream)});
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
    (void)to, (void)from;
    return copy(FAKE_TO_DEVICE, bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
    (void)to, (void)from;
    return copy(FAKE_TO_HOST, bytes, stream);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    (void)to, (void)from;
    return copy(FAKE_ON_DEVICE, bytes, stream);
}

int cuMemcpyPeerAsync(uint64_t to, void *there, uint64_t from, void *here, size_t bytes, void *stream) {
    (void)to, (void)there, (void)from, (void)here;
    return copy(FAKE_TO_PEER, bytes, stream);
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
    (void)to, (void)value;
    return tell((struct fake_call){.what = FAKE_SET, .bytes = bytes, .stream = number(stream)});
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    *address = atomic_fetch_add(&memory, (bytes + 511) & ~(uint64_t)511);
    return tell((struct fake_call){.what = FAKE_ALLOC, .address = *address, .bytes = bytes});
}

int cuMemFree_v2(uint64_t address) {
    return tell((struct fake_call){.what = FAKE_FREE, .address = address});
}

int cuGraphCreate(struct graph **graph, unsigned int flags) {
    (void)flags;
    *graph = new_graph();
    return CUDA_SUCCESS;
}

int cuGraphAddKernelNode_v2(void **node, struct graph *graph, void *const *after, size_t count, const void *parameters) {
    (void)after, (void)count;
    struct node given;
    memcpy(&given, parameters, sizeof given);
    add_node(graph, &given);
    *node = FAKE_NODE_OF(graph->number, graph->nodes);
    return CUDA_SUCCESS;
}

int cuGraphInstantiateWithFlags(struct graph **instance, struct graph *graph, unsigned long long flags) {
    (void)flags;
    *instance = new_graph();
    (*instance)->nodes = graph->nodes;
    (*instance)->node = graph->node;
    for (uint32_t node = 1; node <= graph->nodes; node++) {
        tell((struct fake_call){
            .what = FAKE_NODE_COPY, .graph = (*instance)->number, .node = node, .original = graph->number});
    }
    return tell((struct fake_call){.what = FAKE_GRAPH_MADE, .graph = (*instance)->number});
}

int cuGraphLaunch(const struct graph *graph, void *stream) {
    const struct node *node = &graph->node;
    return tell((struct fake_call){.what = FAKE_GRAPH, .graph = graph->number, .nodes = graph->nodes,
                                   .kernel = node->function, .stream = number(stream), .shared = node->shared,
                                   .grid = {node->grid[0], node->grid[1], node->grid[2]},
                                   .block = {node->block[0], node->block[1], node->block[2]}});
}

int cuStreamSynchronize(void *stream) {
    return tell((struct fake_call){.what = FAKE_STREAM_SYNC, .stream = number(stream)});
}

int cuCtxSynchronize(void) {
    return !context_count ? CUDA_INVALID_CONTEXT : tell((struct fake_call){.what = FAKE_CONTEXT_SYNC});
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status) {
    (void)version, (void)flags;
    *function = dlsym(RTLD_DEFAULT, name);
    if (!*function) {
        void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        *function = self ? dlsym(self, name) : NULL;
    }
    if (status) {
        *status = *function ? 0 : 1;
    }
    return *function ? CUDA_SUCCESS : CUDA_NOT_FOUND;
}
