/*
 * A client of NVTX that does what it is told, as a library: for tests, and to measure what a range costs (nvtx_cost.py).
 *
 *     cc -O2 -shared -fPIC -I tests/fake-cuda crates/agent/examples/nvtx.c -o nvtx.so
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

#include "nvtx_client.h"

static struct nvtx_client client;

typedef uint64_t (*start)(const char *);
typedef void (*end)(uint64_t);
typedef void *(*create)(const char *);
typedef void *(*register_text)(void *, const char *);
typedef int (*domain_push)(void *, const struct nvtx_attributes *);
typedef int (*domain_pop)(void *);

/* 1 where there is a tool and it works. */
int nvtx_open(void) { return nvtx_connect(&client); }

int nvtx_begin(const char *text) { return CALL(&client, CORE, PUSH, nvtx_push, -9, text); }
int nvtx_end(void) { return CALL(&client, CORE, POP, nvtx_pop, -9); }
uint64_t nvtx_start(const char *text) { return CALL(&client, CORE, START, start, 0, text); }
void nvtx_finish(uint64_t range) { CALL(&client, CORE, END, end, (void)0, range); }
void *nvtx_domain(const char *name) { return CALL(&client, CORE2, CREATE, create, NULL, name); }

int nvtx_domain_begin(void *domain, const char *text) {
    struct nvtx_attributes attributes = {
        .version = NVTX_VERSION, .size = sizeof attributes, .message_type = MESSAGE_TEXT, .message = text};
    return CALL(&client, CORE2, DOMAIN_PUSH, domain_push, -9, domain, &attributes);
}

int nvtx_domain_end(void *domain) { return CALL(&client, CORE2, DOMAIN_POP, domain_pop, -9, domain); }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* ns for each of so many ranges: 0 one text, 1 one of 64 texts in turn, all at one address, 2 a registered text in a domain,
 * 3 by number, 4 a text that never came before. */
double nvtx_cost(int what, long ranges) {
    static long made;
    char text[64] = "forward of the whole model", names[64][64];
    void *domain = nvtx_domain("a domain");
    struct nvtx_attributes attributes = {.version = NVTX_VERSION, .size = sizeof attributes, .message_type = MESSAGE_REGISTERED};
    attributes.message = CALL(&client, CORE2, REGISTER, register_text, NULL, domain, "registered");
    for (int i = 0; i < 64; i++) {
        snprintf(names[i], sizeof names[i], "layer %d of the model", i);
    }
    double began = now();
    for (long i = 0; i < ranges; i++) {
        switch (what) {
        case 1: memcpy(text, names[i % 64], sizeof text); break;
        case 4: snprintf(text, sizeof text, "text %ld", made++); break;
        case 2:
            CALL(&client, CORE2, DOMAIN_PUSH, domain_push, -9, domain, &attributes);
            CALL(&client, CORE2, DOMAIN_POP, domain_pop, -9, domain);
            continue;
        case 3: nvtx_finish(nvtx_start(text)); continue;
        default: break;
        }
        nvtx_begin(text);
        nvtx_end();
    }
    return (now() - began) / (double)ranges;
}
