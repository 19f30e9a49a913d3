/*
 * A CUDA program without a CUDA toolkit: the driver is opened by name, its kernel stands here as text. It does what its options
 * say, looks whether the device has computed it, and tells in one line of JSON what it did.
 *
 *   --kernels N    launches on the first stream; --small N: as many on the second one, which has a high priority
 *   --pageable N   --pinned N    --device N    copies of 1 MiB: from the host, by memory of its two sorts; on the device
 *   --sets N       --pools N (memory taken and given back in a stream's order)    --managed N (kernels on managed memory)
 *   --touch        the host writes the managed memory before each round, so that it has to move
 *   --graphs N     replays of a graph of --nodes N kernels (10)
 *   --rounds N     do all of it so often (1), --sleep MS between
 *   --stuck        at the end, launch a kernel that never ends, and do not wait for it
 *   --unchecked    do not look at results: for drivers that compute nothing
 *
 * Streams and the thread are named by NVTX where it has a tool. Exit status 77: there is no driver or no device; 3: CUDA failed.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../fake-cuda/nvtx_client.h"

enum { BYTES = 1 << 20, COUNT = BYTES / 4, BLOCK = 256 };
enum { ATTACH_GLOBAL = 1, NON_BLOCKING = 1, HIGH = -5 };

/* Each number gets one more. */
static const char *const code =
    ".version 6.3\n.target sm_%d\n.address_size 64\n"
    ".visible .entry add_one(.param .u64 place, .param .u32 count)\n{\n"
    "  .reg .pred %%outside;\n  .reg .b32 %%r<6>;\n  .reg .b64 %%d<4>;\n"
    "  ld.param.u64 %%d1, [place];\n  ld.param.u32 %%r1, [count];\n"
    "  mov.u32 %%r2, %%ctaid.x;\n  mov.u32 %%r3, %%ntid.x;\n  mov.u32 %%r4, %%tid.x;\n"
    "  mad.lo.s32 %%r5, %%r2, %%r3, %%r4;\n  setp.ge.u32 %%outside, %%r5, %%r1;\n  @%%outside bra done;\n"
    "  cvta.to.global.u64 %%d2, %%d1;\n  mul.wide.u32 %%d3, %%r5, 4;\n  add.s64 %%d2, %%d2, %%d3;\n"
    "  ld.global.u32 %%r2, [%%d2];\n  add.s32 %%r2, %%r2, 1;\n  st.global.u32 [%%d2], %%r2;\n"
    "done:\n  ret;\n}\n"
    /* Reads the first number until it is one that it never becomes. */
    ".visible .entry forever(.param .u64 place, .param .u32 count)\n{\n"
    "  .reg .pred %%again;\n  .reg .b32 %%r<2>;\n  .reg .b64 %%d<3>;\n"
    "  ld.param.u64 %%d1, [place];\n  cvta.to.global.u64 %%d2, %%d1;\n"
    "again:\n  ld.volatile.global.u32 %%r1, [%%d2];\n  setp.ne.u32 %%again, %%r1, 0xffffffff;\n  @%%again bra again;\n"
    "  ret;\n}\n";

typedef uint64_t address;
static struct {
    int (*init)(unsigned), (*count)(int *), (*device)(int *, int), (*retain)(void **, int), (*current)(void *);
    int (*module)(void **, const void *), (*function)(void **, void *, const char *), (*wait)(void);
    int (*stream)(void **, unsigned, int), (*alloc)(address *, size_t), (*host)(void **, size_t, unsigned);
    int (*managed)(address *, size_t, unsigned), (*take)(address *, size_t, void *), (*give)(address, void *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    int (*to_device)(address, const void *, size_t, void *), (*to_host)(void *, address, size_t, void *);
    int (*within)(address, address, size_t, void *), (*set)(address, unsigned char, size_t, void *);
    int (*graph)(void **, unsigned), (*node)(void **, void *, void *const *, size_t, const void *);
    int (*instance)(void **, void *, unsigned long long), (*replay)(void *, void *);
} cuda;
static long kernels, small, pageable, pinned, device, sets, pools, managed, graphs, nodes = 10, rounds = 1, pause_ms;
static int is_unchecked, is_stuck, is_touched;
static void *function, *forever, *fast, *normal, *graph, *pinned_memory;
static address memory, other, shared;
static struct nvtx_client nvtx;

static void must(int result, const char *what) {
    if (result) {
        fprintf(stderr, "native: %s: CUDA says %d\n", what, result);
        exit(3);
    }
}
#define MUST(call) must(cuda.call, #call)

static void open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "native: no driver: %s\n", dlerror());
        exit(77);
    }
    /* In the order of the table's members. */
    static const char *const names[] = {
        "cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuModuleLoadData",
        "cuModuleGetFunction", "cuCtxSynchronize", "cuStreamCreateWithPriority", "cuMemAlloc_v2", "cuMemHostAlloc",
        "cuMemAllocManaged", "cuMemAllocAsync", "cuMemFreeAsync", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD8Async", "cuGraphCreate", "cuGraphAddKernelNode_v2",
        "cuGraphInstantiateWithFlags", "cuGraphLaunch",
    };
    _Static_assert(sizeof names == sizeof cuda, "a name for each member");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(library, names[i]);
        if (!found) {
            fprintf(stderr, "native: the driver has no %s\n", names[i]);
            exit(77);
        }
        memcpy((char *)&cuda + i * sizeof found, &found, sizeof found);
    }
}

static void load_code(void) {
    /* The oldest first that drivers of today compile; then the oldest of all. */
    static const int targets[] = {75, 52};
    char text[2048];
    void *module = NULL;
    int result = 1;
    for (size_t i = 0; result && i < sizeof targets / sizeof *targets; i++) {
        snprintf(text, sizeof text, code, targets[i]);
        result = cuda.module(&module, text);
    }
    must(result, "the kernel's code");
    MUST(function(&function, module, "add_one")), MUST(function(&forever, module, "forever"));
}

static void *arguments[] = {&memory, &(uint32_t){COUNT}};

static void make_graph(void) {
    /* As CUDA_KERNEL_NODE_PARAMS_v2: the function, its grid, its blocks, shared memory, arguments, then what is not needed. */
    struct {
        void *function;
        unsigned grid[3], block[3], shared;
        void **arguments, **extra, *more[2];
    } kernel = {function, {COUNT / BLOCK, 1, 1}, {BLOCK, 1, 1}, 0, arguments, NULL, {NULL, NULL}};
    void *drawn, *last = NULL;
    MUST(graph(&drawn, 0));
    for (long i = 0; i < nodes; i++) {
        void *node;
        /* Each behind the one before: they change the same memory. */
        MUST(node(&node, drawn, &last, i > 0, &kernel));
        last = node;
    }
    MUST(instance(&graph, drawn, 0));
}

static void prepare(void) {
    int number, count = 0, ordinal;
    void *context;
    number = cuda.init(0);
    if (number || cuda.count(&count) || !count) {
        fprintf(stderr, "native: no device: the driver says %d\n", number);
        exit(77);
    }
    if (nvtx_connect(&nvtx) < 0) {
        fprintf(stderr, "native: the tool of NVTX does not work\n");
        exit(1);
    }
    MUST(device(&ordinal, 0)), MUST(retain(&context, ordinal)), MUST(current(context));
    load_code();
    MUST(stream(&normal, NON_BLOCKING, 0)), MUST(stream(&fast, NON_BLOCKING, HIGH));
    MUST(alloc(&memory, BYTES)), MUST(alloc(&other, BYTES)), MUST(host(&pinned_memory, BYTES, 0));
    CALL(&nvtx, CUDART, NAME_CUDA_STREAM, nvtx_name_object, (void)0, normal, "normal work");
    CALL(&nvtx, CUDART, NAME_CUDA_STREAM, nvtx_name_object, (void)0, fast, "urgent work");
    CALL(&nvtx, CORE, NAME_THREAD, nvtx_name_number, (void)0, (uint32_t)syscall(SYS_gettid), "the only thread");
    if (managed) {
        MUST(managed(&shared, BYTES, ATTACH_GLOBAL));
    }
    if (graphs) {
        make_graph();
    }
    MUST(set(memory, 0, BYTES, normal)), MUST(wait());
}

static void launch(address *place, void *stream) {
    void *these[] = {place, arguments[1]};
    MUST(launch(function, COUNT / BLOCK, 1, 1, BLOCK, 1, 1, 0, stream, these, NULL));
}

/* All of a round; each sort of work is waited for, since streams share the memory. */
static void play(char *plain) {
    CALL(&nvtx, CORE, PUSH, nvtx_push, -2, "a round");
    for (long i = 0; i < kernels; i++) launch(&memory, normal);
    MUST(wait());
    for (long i = 0; i < small; i++) launch(&memory, fast);
    MUST(wait());
    for (long i = 0; i < graphs; i++) MUST(replay(graph, normal));
    MUST(wait());
    if (is_touched && managed) memset((void *)(uintptr_t)shared, 0, BYTES);
    for (long i = 0; i < managed; i++) launch(&shared, normal);
    for (long i = 0; i < pageable; i++) MUST(to_device(other, plain, BYTES, normal));
    for (long i = 0; i < pinned; i++) MUST(to_device(other, pinned_memory, BYTES, normal));
    for (long i = 0; i < device; i++) MUST(within(other, memory, BYTES, normal));
    for (long i = 0; i < sets; i++) MUST(set(other, 1, BYTES, normal));
    for (long i = 0; i < pools; i++) {
        address taken;
        MUST(take(&taken, BYTES, normal)), MUST(give(taken, normal));
    }
    MUST(wait());
    CALL(&nvtx, CORE, POP, nvtx_pop, -2);
}

static int read_options(int count, char **words) {
    static const struct option options[] = {
        {"kernels", 1, 0, 'k'}, {"small", 1, 0, 's'},  {"pageable", 1, 0, 'g'},  {"pinned", 1, 0, 'i'}, {"device", 1, 0, 'd'},
        {"sets", 1, 0, 'm'},    {"pools", 1, 0, 'p'},  {"managed", 1, 0, 'u'},   {"graphs", 1, 0, 'r'}, {"nodes", 1, 0, 'n'},
        {"rounds", 1, 0, 'o'},  {"sleep", 1, 0, 'w'}, {"unchecked", 0, 0, 'x'}, {"stuck", 0, 0, 'f'},
        {"touch", 0, 0, 't'},   {0},
    };
    long *const places[128] = {['k'] = &kernels, ['s'] = &small, ['g'] = &pageable, ['i'] = &pinned, ['d'] = &device,
                               ['m'] = &sets, ['p'] = &pools, ['u'] = &managed, ['r'] = &graphs, ['n'] = &nodes,
                               ['o'] = &rounds, ['w'] = &pause_ms};
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        if (option == 'x') {
            is_unchecked = 1;
        } else if (option == 'f') {
            is_stuck = 1;
        } else if (option == 't') {
            is_touched = 1;
        } else if (option >= 0 && option < 128 && places[option]) {
            *places[option] = strtol(optarg, NULL, 0);
        } else {
            return 0;
        }
    }
    return optind == count;
}

int main(int count, char **words) {
    static char plain[BYTES];
    uint32_t found = 0;
    if (!read_options(count, words)) {
        return 2;
    }
    open_driver(), prepare();
    for (long i = 0; i < rounds; i++) {
        play(plain);
        nanosleep(&(struct timespec){pause_ms / 1000, pause_ms % 1000 * 1000000}, NULL);
    }
    MUST(to_host(&found, memory, sizeof found, normal)), MUST(wait());
    long added = rounds * (kernels + small + graphs * nodes);
    if (!is_unchecked && found != added) {
        fprintf(stderr, "native: %u was computed, not %ld\n", found, added);
        return 3;
    }
    /* What prepares and what looks at the result count, too. */
    printf("{\"pid\": %d, \"kernels\": %ld, \"graphs\": %ld, \"copies\": %ld, \"pinned\": %ld, \"sets\": %ld, \"pools\": %ld}\n",
           getpid(), added + rounds * managed, rounds * graphs, rounds * (pageable + pinned + device) + 1, rounds * pinned,
           rounds * sets + 1, rounds * pools);
    if (is_stuck) {
        void *these[] = {&memory, arguments[1]};
        MUST(launch(forever, 1, 1, 1, 1, 1, 1, 0, normal, these, NULL));
    }
    return 0;
}
