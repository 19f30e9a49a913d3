/*
 * A CUDA program without CUDA: it does what its options say and tells what it did in one line.
 *
 *   --threads N     of which each makes its share of all calls (1)
 *   --streams N     which threads use in turn (1: the default stream)
 *   --launches N    kernels, copies, sets, allocations, graphs: how many in all (0)
 *   --copies N      --sets N      --allocs N      --graphs N, of --nodes N kernels each (8)
 *   --capture       make graphs by capturing a stream, a range about each launch, if there is NVTX
 *   --events N      a record of an event on a stream, and a wait of another stream for it: how many in all (0)
 *   --cooperative   each launch is a cooperative one
 *   --instances N   make so many of each graph, and launch them in turn (1)
 *   --reset         reset the device at the end
 *   --new-graph     launch a graph of its own in each round after the first
 *   --rounds N      do all of it so often (1), --sleep MS between
 *   --rate N        launches a second and thread, at most
 *   --nvtx          names threads and streams, and pushes a range about each round of a thread
 *   --no-sync       do not wait for the device after a round
 *   --fork HOW      child: after cuInit, a child that calls CUDA, in vain; exec: then, too, another program, no calls;
 *                   early: before cuInit, a child that does all that its parent does then
 *   --preload FILE  open this library first, as frameworks do with libcupti
 *   --end HOW       return (usual), exit, quick_exit, _exit, kill (SIGKILL), abort or segv
 *
 * libcuda.so.1 is found as usual, by LD_LIBRARY_PATH. Exit status 0, 3 where CUDA failed, 4 where there is none.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nvtx_client.h"

static struct {
    int (*init)(unsigned), (*sync)(void), (*stream)(void **, unsigned), (*function)(void **, void *, const char *);
    int (*launch)(const void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    int (*to_device)(uint64_t, const void *, size_t, void *), (*to_host)(void *, uint64_t, size_t, void *);
    int (*set)(uint64_t, unsigned char, size_t, void *), (*alloc)(uint64_t *, size_t), (*free)(uint64_t);
    int (*graph)(void **, unsigned), (*node)(void **, void *, void *const *, size_t, const void *);
    int (*instance)(void **, void *, unsigned long long), (*replay)(const void *, void *);
    int (*event)(void **, unsigned), (*record)(void *, void *), (*wait)(void *, void *, unsigned);
    int (*together)(const void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **);
    int (*capture)(void *, int), (*captured)(void *, void **), (*reset)(int);
} cuda;

enum { KERNELS = 3, STREAMS = 64, THREADS = 1024, INSTANCES = 8 };
/* As compilers name them, and one as nobody should. */
static const char *const names[KERNELS] = {
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "kernel \"of\" \xc3\xa4\n\x1b[31m",
};
static void *kernels[KERNELS], *streams[STREAMS], *instances[INSTANCES], *event;
static long launches, copies, sets, allocs, graphs, nodes = 8, rate, threads = 1, stream_count = 1, instance_count = 1, events;
static int captures, are_together;
static volatile int failed;
static struct nvtx_client nvtx; /* does nothing unless it is asked for */
static long round_number;

static void must(int result) {
    if (result) {
        failed = result;
    }
}

static void find(void *library, const char *name, void *to) {
    *(void **)to = dlsym(library, name);
    if (!*(void **)to) {
        fprintf(stderr, "program: no %s\n", name);
        exit(4);
    }
}

static void open_cuda(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "program: %s\n", dlerror());
        exit(4);
    }
    find(library, "cuInit", &cuda.init), find(library, "cuCtxSynchronize", &cuda.sync);
    find(library, "cuStreamCreate", &cuda.stream), find(library, "cuModuleGetFunction", &cuda.function);
    find(library, "cuLaunchKernel", &cuda.launch), find(library, "cuMemcpyHtoDAsync_v2", &cuda.to_device);
    find(library, "cuMemcpyDtoHAsync_v2", &cuda.to_host), find(library, "cuMemsetD8Async", &cuda.set);
    find(library, "cuMemAlloc_v2", &cuda.alloc), find(library, "cuMemFree_v2", &cuda.free);
    find(library, "cuGraphCreate", &cuda.graph), find(library, "cuGraphAddKernelNode_v2", &cuda.node);
    find(library, "cuGraphInstantiateWithFlags", &cuda.instance), find(library, "cuGraphLaunch", &cuda.replay);
    find(library, "cuStreamBeginCapture_v2", &cuda.capture), find(library, "cuStreamEndCapture", &cuda.captured);
    find(library, "cuDevicePrimaryCtxReset_v2", &cuda.reset), find(library, "cuEventCreate", &cuda.event);
    find(library, "cuEventRecord", &cuda.record), find(library, "cuStreamWaitEvent", &cuda.wait);
    find(library, "cuLaunchCooperativeKernel", &cuda.together);
}

static void *capture_graph(void) {
    void *stream, *drawn;
    must(cuda.stream(&stream, 1));
    must(cuda.capture(stream, 0));
    for (long i = 0; i < nodes; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer %ld", i);
        CALL(&nvtx, CORE, PUSH, nvtx_push, -2, name);
        must(cuda.launch(kernels[i % KERNELS], 4, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
        CALL(&nvtx, CORE, POP, nvtx_pop, -2);
    }
    must(cuda.captured(stream, &drawn));
    return drawn;
}

static void *draw_graph(void) {
    /* As CUDA_KERNEL_NODE_PARAMS: the function, its grid, its blocks, shared memory, arguments. */
    struct {
        void *function;
        unsigned grid[3], block[3], shared;
        void **arguments, **extra, *more[2];
    } kernel = {.grid = {4, 1, 1}, .block = {32, 1, 1}};
    void *drawn, *node;
    kernel.function = kernels[0];
    must(cuda.graph(&drawn, 0));
    for (long i = 0; i < nodes; i++) {
        must(cuda.node(&node, drawn, NULL, 0, &kernel));
    }
    return drawn;
}

static void make_graph(void) {
    void *drawn = captures ? capture_graph() : draw_graph();
    for (long i = 0; i < instance_count; i++) {
        must(cuda.instance(&instances[i], drawn, 0));
    }
}

static void prepare(void) {
    for (int i = 0; i < KERNELS; i++) {
        must(cuda.function(&kernels[i], NULL, names[i]));
    }
    for (int i = 1; i < stream_count; i++) {
        must(cuda.stream(&streams[i], 1));
        CALL(&nvtx, CUDART, NAME_CUDA_STREAM, nvtx_name_object, (void)0, streams[i], i == 1 ? "copies" : "compute");
    }
    must(cuda.event(&event, 0));
    make_graph();
}

static void sleep_ns(long ns) {
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
}

/* The part of all calls that this thread makes. */
static long share(long all, long thread) {
    return all / threads + (thread < all % threads);
}

static void work_on(long thread) {
    char host[16];
    uint64_t address = 0;
    for (long i = 0; i < share(launches, thread); i++) {
        void *kernel = kernels[i % KERNELS], *stream = streams[(thread + i) % stream_count];
        must(are_together ? cuda.together(kernel, 128, 2, 1, 256, 1, 1, 512, stream, NULL)
                          : cuda.launch(kernel, 128, 2, 1, 256, 1, 1, 512, stream, NULL, NULL));
        if (rate) {
            sleep_ns(1000000000 / rate);
        }
    }
    for (long i = 0; i < share(copies, thread); i++) {
        void *stream = streams[(thread + i) % stream_count];
        must(i % 2 ? cuda.to_host(host, 0, 4096, stream) : cuda.to_device(0, host, 4096, stream));
    }
    for (long i = 0; i < share(sets, thread); i++) {
        must(cuda.set(0, 0, 8192, streams[(thread + i) % stream_count]));
    }
    for (long i = 0; i < share(allocs, thread); i++) {
        must(cuda.alloc(&address, 1 << 20));
        must(cuda.free(address));
    }
    for (long i = 0; i < share(events, thread); i++) {
        must(cuda.record(event, streams[i % stream_count]));
        must(cuda.wait(streams[(i + 1) % stream_count], event, 0));
    }
    for (long i = 0; i < share(graphs, thread); i++) {
        must(cuda.replay(instances[i % instance_count], streams[(thread + i) % stream_count]));
    }
}

static void *work(void *argument) {
    long thread = (long)(intptr_t)argument;
    char name[64];
    snprintf(name, sizeof name, "worker %ld", thread);
    CALL(&nvtx, CORE, NAME_THREAD, nvtx_name_number, (void)0, (uint32_t)syscall(SYS_gettid), name);
    snprintf(name, sizeof name, "round %ld of worker %ld", round_number, thread);
    CALL(&nvtx, CORE, PUSH, nvtx_push, -2, name);
    work_on(thread);
    CALL(&nvtx, CORE, POP, nvtx_pop, -2);
    return NULL;
}

static void play(void) {
    pthread_t others[THREADS];
    for (long i = 1; i < threads; i++) {
        pthread_create(&others[i], NULL, work, (void *)(intptr_t)i);
    }
    work(NULL);
    for (long i = 1; i < threads; i++) {
        pthread_join(others[i], NULL);
    }
}

static int fork_child(const char *how) {
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        if (strcmp(how, "exec") == 0) {
            execlp("true", "true", (char *)NULL);
        }
        /* exit, not _exit: what the parent's libraries have registered runs here, too. */
        exit(cuda.launch(kernels[0], 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == 3 ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int end(const char *how) {
    fflush(stdout);
    if (strcmp(how, "exit") == 0) {
        exit(0);
    } else if (strcmp(how, "quick_exit") == 0) {
        quick_exit(0);
    } else if (strcmp(how, "_exit") == 0) {
        _exit(0);
    } else if (strcmp(how, "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "segv") == 0) {
        raise(SIGSEGV);
    }
    return 0;
}

int main(int count, char **words) {
    long rounds = 1, pause = 0, waits = 1, with_nvtx = 0, makes_graphs = 0, resets = 0;
    const char *how = "return", *forks = NULL;
    static const struct option options[] = {
        {"threads", 1, 0, 't'}, {"streams", 1, 0, 's'}, {"launches", 1, 0, 'l'}, {"copies", 1, 0, 'c'},
        {"sets", 1, 0, 'm'},    {"allocs", 1, 0, 'a'},  {"graphs", 1, 0, 'g'},   {"nodes", 1, 0, 'n'},
        {"rounds", 1, 0, 'r'},  {"sleep", 1, 0, 'p'},   {"rate", 1, 0, 'v'},     {"no-sync", 0, 0, 'w'},
        {"nvtx", 0, 0, 'x'},    {"fork", 1, 0, 'f'},    {"preload", 1, 0, 'o'}, {"end", 1, 0, 'e'},
        {"new-graph", 0, 0, 'h'}, {"capture", 0, 0, 'y'}, {"instances", 1, 0, 'i'}, {"reset", 0, 0, 'z'},
        {"events", 1, 0, 'j'}, {"cooperative", 0, 0, 'k'}, {0},
    };
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        long number = optarg ? strtol(optarg, NULL, 0) : 0;
        switch (option) {
        case 't': threads = number < 1 ? 1 : number > THREADS ? THREADS : number; break;
        case 's': stream_count = number < 1 ? 1 : number > STREAMS ? STREAMS : number; break;
        case 'l': launches = number; break;
        case 'c': copies = number; break;
        case 'm': sets = number; break;
        case 'a': allocs = number; break;
        case 'g': graphs = number; break;
        case 'n': nodes = number; break;
        case 'r': rounds = number; break;
        case 'p': pause = number; break;
        case 'v': rate = number; break;
        case 'w': waits = 0; break;
        case 'h': makes_graphs = 1; break;
        case 'y': captures = 1; break;
        case 'i': instance_count = number < 1 ? 1 : number > INSTANCES ? INSTANCES : number; break;
        case 'z': resets = 1; break;
        case 'j': events = number; break;
        case 'k': are_together = 1; break;
        case 'x': with_nvtx = 1; break;
        case 'f': forks = optarg; break;
        case 'e': how = optarg; break;
        case 'o':
            if (!dlopen(optarg, RTLD_NOW)) {
                fprintf(stderr, "program: %s\n", dlerror());
                return 4;
            }
            break;
        default: return 2;
        }
    }
    open_cuda();
    if (forks && strcmp(forks, "early") == 0) {
        pid_t child = fork();
        int status = 0;
        if (child > 0 && (waitpid(child, &status, 0) != child || status)) {
            return 3;
        }
        forks = NULL;
    }
    must(cuda.init(0));
    if (with_nvtx && nvtx_connect(&nvtx) < 0) {
        fprintf(stderr, "program: the tool of NVTX does not work\n");
        return 1;
    }
    prepare();
    if (forks && !fork_child(forks)) {
        fprintf(stderr, "program: the child went wrong\n");
        return 3;
    }
    for (; round_number < rounds; round_number++) {
        if (makes_graphs && round_number) {
            make_graph();
        }
        play();
        if (waits) {
            must(cuda.sync());
        }
        sleep_ns(pause * 1000000);
    }
    if (resets) {
        must(cuda.reset(0));
    }
    if (failed) {
        fprintf(stderr, "program: CUDA says %d\n", failed);
        return 3;
    }
    printf("launches %ld copies %ld sets %ld allocs %ld graphs %ld nodes %ld\n", rounds * launches, rounds * copies,
           rounds * sets, rounds * allocs, rounds * graphs, rounds * graphs * nodes);
    return end(how);
}
