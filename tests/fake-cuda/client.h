/* A profiler of a program's own (client.c), by a few functions that C and Python call. */
#ifndef CLIENT_H
#define CLIENT_H

enum client_way {
    CLIENT_SUBSCRIBES, /* where that is refused, it records nothing of the device */
    CLIENT_REGISTERS,  /* its callbacks and its clock take the place of all others */
};

/* What it saw, up to now. */
struct seen {
    long kernels, calls;
    long foreign_buffers, foreign_kernels; /* delivered in buffers that are not its own */
    long strange_times, strange_threads;   /* not by the wall clock; not by pthread's number of the calling thread */
    long was_refused;
};

int client_prepare(const char *cupti, enum client_way way); /* looks for CUPTI the first time; 0 where it cannot be loaded */
void client_start(enum client_way way, int with_device); /* without: calls alone */
void client_stop(void);
struct seen client_seen(void);
int client_export(const char *path); /* writes a Chrome trace as Kineto does; 0 where that fails */

#endif
