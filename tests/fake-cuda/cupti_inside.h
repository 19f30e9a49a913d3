/*
 * The parts of the fake libcupti, and what they know of each other:
 *
 *   cupti_api.c      what is exported; may use all of them
 *   cupti_calls.c    records of calls; uses device and buffers
 *   cupti_device.c   records of what the device did for a call; uses buffers
 *   cupti_seldom.c   records of what few programs have a device do; uses buffers
 *   cupti_buffers.c  asks for buffers, fills them, delivers them
 *   cupti_ledger.c   counts what happened, for tests to compare with
 */
#ifndef CUPTI_INSIDE_H
#define CUPTI_INSIDE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_layouts.h"
#include "fake.h"
#include "script.h"

/* The ledger: FAKE_CUDA_LEDGER.<process> after each delivery and at the end. Lines: "made KIND N", "delivered KIND N",
 * "dropped N", "buffers N", "calls FUNCTION N". */
enum { LEDGER_KINDS = KINDS + 1 /* the last one is for kinds that nobody knows */ };
unsigned ledger_slot(uint32_t kind);
uint32_t ledger_call(const char *function); /* how many calls there were before this one */
void ledger_made(uint32_t kind);
void ledger_dropped(void);
void ledger_delivered(const uint32_t counts[LEDGER_KINDS]);
void ledger_write(void);

/* Buffers. Between lock and unlock, place() gives room for a record, or NULL where it is lost. */
enum which { FULL, COMPLETE, ALL };
extern _Atomic(CUpti_BuffersCallbackRequestFunc) buffers_request;
extern _Atomic(CUpti_BuffersCallbackCompleteFunc) buffers_complete;
extern _Atomic uint8_t buffers_zeroed;      /* the client promises zeroed buffers */
extern _Atomic uint8_t buffers_per_thread;
void buffers_lock(void);
void buffers_unlock(void);
enum owner { OF_DEVICE, OF_THREAD };
void *place(uint32_t kind, size_t size, enum owner owner);
void buffers_hold(void);                    /* the record placed last has not ended */
void buffers_forget(void);                  /* what has not been delivered is lost, and nobody counts it */
void buffers_lose(void);                    /* a record was lost */
size_t buffers_dropped(void);               /* since the last time it was asked */
void buffers_deliver(enum which which);     /* by this thread; returns when nobody is delivering any more */
void buffers_filled(void);                  /* after each call: full buffers go their usual way */
void buffers_period(uint32_t milliseconds);
void buffers_end(void);                     /* from now on nothing is recorded or delivered */
void pause_ms(uint32_t milliseconds);

/* Calls. */
extern _Atomic(CUpti_TimestampCallbackFunc) records_clock;
extern _Atomic uint32_t records_thread_ids; /* CUpti_ActivityThreadIdType */
uint64_t now(void);
int records_enable(uint32_t kind, int enable);
void records_enable_call(uint32_t kind, uint32_t cbid, int enable); /* one call of the runtime or the driver */
const char *records_name(int is_driver, uint32_t cbid); /* NULL for a number that nobody has */
void records_flushed(uint64_t start);
int records_are_ready(void);             /* the driver has been initialized */
void records_of(const struct fake_call *call);

/* Room for a record if its kind is enabled. With the buffers' lock held, as all below. */
extern uint8_t enabled[KINDS], was_enabled[KINDS]; /* now; ever */
#define PLACE(type, kind, owner) (enabled[kind] ? (type *)place(kind, sizeof(type), owner) : NULL)

/* The device. */
struct job {
    const struct fake_call *call;
    uint32_t number; /* the correlation of its records */
    uint64_t start;
};
enum { DEVICE_CONTEXT = 1 };
extern int device_has_context;
void device_context(void); /* tells of the context what has not been told */
void device_did(const struct job *job);
void device_graphs_are_whole(void);
void device_graph_made(uint32_t graph);
uint64_t device_busy_until(const struct fake_call *call);
uint32_t device_stream(uint32_t stream); /* its number in records */
uint32_t device_of(uint32_t stream);     /* the number of its device */
uint32_t context_of(uint32_t stream);    /* the number of its context */

/* What few programs have a device do, if the script says so. A time is that of a kernel or a graph. */
extern _Atomic uint8_t seldom_device_graphs; /* graphs that the device launches are recorded */
extern _Atomic uint8_t seldom_counters;      /* a bit for each kind of events of unified memory that is recorded */
void seldom_kernels(const struct job *job, uint64_t start, uint64_t end);
void seldom_graphs(const struct job *job, uint64_t start, uint64_t end);
void seldom_functions(const struct job *job, uint64_t start, uint64_t end);
void seldom_memory(const struct job *job);

/* The subscriber's callbacks, from cupti_api.c. */
void tell_subscriber(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *data);

#endif
