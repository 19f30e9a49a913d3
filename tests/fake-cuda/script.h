/*
 * What goes otherwise than usual: the file that FAKE_CUDA_SCRIPT names, a word and its values a line, # for comments.
 *
 *   version N                     what cuptiGetVersion says
 *   answer FUNCTION RESULT [N]    that function of libcupti fails with RESULT, after N calls that succeed (0);
 *                                 * for every function; the first line that fits counts
 *   refuse-kind KIND RESULT       cuptiActivityEnable fails with RESULT for this kind
 *   other-subscriber NAME         somebody else has subscribed: 39, and cuptiSubscribe_v2 tells NAME
 *   delivery WHERE                who delivers a full buffer: worker (usual), a thread of libcupti's own; launch, the
 *                                 thread that filled it; flush, nobody before the next flush or period
 *   period WHICH                  what cuptiActivityFlushPeriod delivers: full (usual, as documented) or partial
 *                                 buffers, too
 *   thread-buffers on|off         calls are recorded in a buffer of their thread's (usual from 13 on), unless the client sets
 *                                 the attribute
 *   only GENERATION|all           the lines that follow are for the libcupti of this generation (12.9), or for all again
 *   graphs-between lost|seen      graphs that are made while kernels are disabled that were enabled before: their kernels are
 *                                 never recorded, and not counted as lost (usual for 13.0 and the first 13.1), or they are
 *   null-buffer crash|drop        no buffer was given: abort (usual below version 27), or drop and count the record
 *   api runtime|driver|both       which calls a program makes: of the runtime (usual), of the driver, or of the
 *                                 runtime which calls the driver
 *   devices N                     so many devices, each with a context; streams take turns on them (1)
 *   empty-buffer                  each forced flush delivers a buffer with nothing in it, too
 *   kernel-ns N                   how long a kernel, copy or set runs (1000)
 *   unknown-kind N                after every N kernels comes a record of a kind that nobody knows
 *   broken-record N               after every N kernels comes one behind which the buffer cannot be read
 *   unfinished N                  the first N kernels never end: their buffers come by forced flushes alone, end = 0
 *   untimed N                     of the first N kernels the times are not known: 0
 *   drop N                        the first N kernels are lost and counted as dropped
 *   correlation N                 correlation numbers begin behind N (0), and behind the highest one again with 0
 *   nested N                      each kernel launches N kernels of its own
 *   nested-graphs N               each graph launches N graphs of its own, if graphs are traced as a whole
 *   host-nodes N                  each graph has N functions on the host
 *   managed N                     allocations are of managed memory: each makes N events of each kind that is configured
 *   pools                         each allocation makes a memory pool, each release trims and destroys it
 *   deliver-after-exit            what is left is delivered at libcupti's teardown; at least one buffer is
 *   after-teardown crash|refuse   a call when libcupti's own exit handlers have run: SIGSEGV (usual), or 999
 *   sync forever                  waiting for a device never returns
 *   flush-ms N                    each flush takes so long before it delivers anything
 *   deliver-late N                what a flush delivers comes N ms after the flush has returned
 *   fork-call abort|error         any call in a forked child: abort (usual) or CUPTI_ERROR_NOT_INITIALIZED
 *
 * A word or value that is not known ends the program: a test with a slip of the pen must not pass.
 */
#ifndef SCRIPT_H
#define SCRIPT_H

#include <stdint.h>

enum { ANSWERS = 16, KINDS = 64 };

enum delivery { DELIVERY_WORKER, DELIVERY_LAUNCH, DELIVERY_FLUSH };
enum api { API_RUNTIME = 1, API_DRIVER = 2, API_BOTH = 3 };

struct answer {
    char function[64];
    uint32_t result;
    uint32_t after;
};

struct script {
    uint32_t version; /* 0: the generation's own */
    struct answer answers[ANSWERS];
    uint32_t answer_count;
    uint32_t refused[KINDS]; /* by kind; 0 for none */
    char other_subscriber[64];
    enum delivery delivery;
    enum api api;
    int period_partial;
    int thread_buffers; /* -1: as the generation does */
    int null_buffer_drops; /* -1: as the version does */
    int sees_graphs_between; /* -1: as the version does */
    int fork_call_fails;
    int deliver_after_exit;
    int refuses_after_teardown;
    int syncs_forever;
    uint32_t flush_ms;
    uint32_t deliver_late;
    int empty_buffer;
    uint32_t devices;
    uint32_t kernel_ns;
    uint32_t unknown_kind;
    uint32_t broken_record;
    uint32_t unfinished;
    uint32_t untimed;
    uint32_t drop;
    uint32_t correlation;
    uint32_t nested;
    uint32_t nested_graphs;
    uint32_t host_nodes;
    uint32_t managed;
    int pools;
};

/* Read once, on first use. */
const struct script *script(void);

#endif
