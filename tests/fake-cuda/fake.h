/*
 * What the fake libcuda tells the fake libcupti: one call of the driver a time.
 *
 * No header of NVIDIA's, so that libcuda is built once for all generations.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdint.h>

enum fake_what {
    FAKE_INIT_FINISHED, /* cuInit is about to return; no call that is recorded */
    FAKE_GRAPH_MADE,    /* a graph can be launched from now on; no call that is recorded */
    FAKE_NODE,          /* a graph got a node; no call that is recorded */
    FAKE_NODE_COPY,     /* a graph got a copy of a node of another; no call that is recorded */
    FAKE_LAUNCH,
    FAKE_COPY,
    FAKE_SET,
    FAKE_GRAPH,
    FAKE_STREAM_CREATE,
    FAKE_STREAM_SYNC,
    FAKE_CONTEXT_SYNC,
    FAKE_ALLOC,
    FAKE_FREE,
    FAKE_CAPTURE,       /* a stream's work becomes a graph from now on */
    FAKE_CAPTURED,      /* a launch that becomes a node */
    FAKE_CAPTURE_END,
    FAKE_RESET,
    FAKE_EVENT_RECORD,
    FAKE_EVENT_WAIT,    /* a stream waits for an event */
};

enum fake_copy { FAKE_TO_DEVICE = 1, FAKE_TO_HOST = 2, FAKE_ON_DEVICE = 8, FAKE_TO_PEER = 10 };

struct fake_call {
    enum fake_what what;
    const char *kernel;     /* FAKE_LAUNCH, FAKE_GRAPH: the name */
    uint64_t bytes;         /* copies, sets, allocations */
    uint64_t address;       /* allocations */
    enum fake_copy copy;    /* FAKE_COPY */
    uint32_t stream;        /* its number, 0 for the default stream */
    uint32_t priority;      /* FAKE_STREAM_CREATE */
    uint32_t grid[3];       /* FAKE_LAUNCH, FAKE_GRAPH */
    uint32_t block[3];      /* the same */
    uint32_t shared;        /* the same: dynamic shared memory */
    uint32_t graph;         /* FAKE_GRAPH, FAKE_GRAPH_MADE, FAKE_NODE, FAKE_NODE_COPY: its number */
    uint32_t nodes;         /* FAKE_GRAPH: how many kernels it has */
    uint32_t node;          /* FAKE_NODE, FAKE_NODE_COPY: its number in the graph, from 1 */
    uint32_t event;         /* FAKE_EVENT_RECORD, FAKE_EVENT_WAIT: its number */
    int is_cooperative;     /* FAKE_LAUNCH */
    uint32_t original;      /* FAKE_NODE_COPY: the number of the other graph */
};

/* The handle of a stream, by its number; 0, 1 and 2 stand for the default stream, as CUDA has it. */
#define FAKE_STREAMS ((uintptr_t)0x5000)
#define FAKE_STREAM(number) ((void *)(FAKE_STREAMS + (number)))
#define FAKE_NUMBER(stream) ((uintptr_t)(stream) > FAKE_STREAMS ? (uint32_t)((uintptr_t)(stream) - FAKE_STREAMS) : 0u)

/* The handle of the context that a stream is of: libcupti knows which device that is. */
#define FAKE_CONTEXTS ((uintptr_t)0xc0000000)
#define FAKE_CONTEXT(stream) ((void *)(FAKE_CONTEXTS + (uint32_t)(stream)))

/* The handle of a graph, and of a node: libcupti knows the number of each. */
#define FAKE_GRAPH_OF(graph) ((void *)(uintptr_t)(graph))
#define FAKE_NODE_OF(graph, node) ((void *)((uintptr_t)(graph) << 32 | (node)))

typedef void (*fake_hook)(const struct fake_call *call);

/* Exported by libcuda; libcupti finds it where libcuda.so.1 is mapped. Several copies of libcupti may attach. */
typedef void (*fake_attach)(fake_hook hook);
#define FAKE_ATTACH "fake_cuda_attach"

/* Says on stderr what a client did that it must not do, and aborts: no test can overlook it. */
#define FAKE_WRONG(...)                               \
    do {                                              \
        fprintf(stderr, "fake-cuda: " __VA_ARGS__);   \
        fputc('\n', stderr);                          \
        abort();                                      \
    } while (0)

#endif
