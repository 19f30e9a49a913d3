/*
 * A client of NVTX 3 without its headers: it finds the tool by NVTX_INJECTION64_PATH, lets it fill the tables of
 * functions, and calls what is in them. What the tool leaves empty is not called, as in NVTX.
 *
 *   --ranges N    ranges pushed and popped, each with one within, by each thread (10)
 *   --threads N   (1)
 *   --clients N   libraries that have NVTX of their own: the tool is asked once by each (1)
 *   --open        leave the last ranges open at the end
 *
 * Tells in one line what it did. Exit status 0; 1 where a tool was named and does not work.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

typedef void (*function)(void);
typedef uint64_t range_id;

enum module { CORE = 1, CUDA = 2, CUDART = 4, CORE2 = 5, MODULES };
enum { SLOTS = 16, CLIENTS = 8, THREADS = 64 };
enum core { MARK = 2, START = 5, END = 7, PUSH_EX = 8, PUSH = 9, PUSH_WIDE = 10, POP = 11, NAME_CATEGORY = 12, NAME_THREAD = 14 };
enum core2 {
    DOMAIN_MARK = 1, DOMAIN_START = 2, DOMAIN_END = 3, DOMAIN_PUSH = 4, DOMAIN_POP = 5, REGISTER = 10, CREATE = 12,
    DESTROY = 14
};
enum { NAME_CUDA_STREAM = 3, MESSAGE_TEXT = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3, VERSION = 3 };

/* nvtxEventAttributes: 48 bytes since version 2. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};
_Static_assert(sizeof(struct attributes) == 48, "as NVTX has it");

struct callbacks {
    size_t size;
    int (*table)(uint32_t module, function ***out, unsigned *count);
};

/* A library with NVTX of its own: its functions, and for each module where they stand. Slot 0 is none. */
static struct client {
    function functions[MODULES][SLOTS];
    function *places[MODULES][SLOTS];
} clients[CLIENTS], *asking;
static const unsigned sizes[MODULES] = {[CORE] = 16, [CUDA] = 9, [CUDART] = 7, [CORE2] = 16};
static long ranges = 10, threads = 1, client_count = 1, leaves_open;
static range_id across; /* begun by the first thread, ended by the last */

static int table(uint32_t module, function ***out, unsigned *count) {
    if (module >= MODULES || !sizes[module]) {
        return 0;
    }
    for (unsigned i = 1; i < sizes[module]; i++) {
        asking->places[module][i] = &asking->functions[module][i];
    }
    *out = asking->places[module];
    if (count) {
        *count = sizes[module];
    }
    return 1;
}

static const void *export_table(uint32_t number) {
    static const struct callbacks callbacks = {sizeof callbacks, table};
    return number == 1 ? &callbacks : NULL;
}

/* 1: there is a tool and it works; 0: there is none; -1: there is one and it does not. */
static int connect_tool(struct client *client) {
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
    int (*initialize)(const void *(*)(uint32_t)) = NULL;
    if (!path) {
        return 0;
    }
    if (library) {
        *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    }
    asking = client;
    if (initialize && initialize(export_table)) {
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

typedef int (*push)(const char *);
typedef int (*push_wide)(const wchar_t *);
typedef int (*push_ex)(const struct attributes *);
typedef int (*pop)(void);
typedef range_id (*start)(const char *);
typedef void (*end)(range_id);
typedef void (*mark)(const char *);
typedef void (*name_number)(uint32_t, const char *);
typedef void (*name_object)(void *, const char *);
typedef void *(*create)(const char *);
typedef void *(*register_text)(void *, const char *);
typedef int (*domain_push)(void *, const struct attributes *);
typedef range_id (*domain_start)(void *, const struct attributes *);
typedef void (*domain_end)(void *, range_id);
typedef void (*domain_mark)(void *, const struct attributes *);
typedef int (*domain_pop)(void *);
typedef void (*destroy)(void *);

static struct attributes message(int type, const void *text) {
    return (struct attributes){.version = VERSION, .size = sizeof(struct attributes), .message_type = type, .message = text};
}

static void pushes(struct client *client) {
    char name[32];
    for (long i = 0; i < ranges; i++) {
        snprintf(name, sizeof name, "step %ld", i);
        CALL(client, CORE, PUSH, push, -2, name);
        memset(name, 'x', sizeof name - 1); /* the text is the tool's no longer than the call */
        struct attributes inner = message(MESSAGE_TEXT, "inner");
        CALL(client, CORE, PUSH_EX, push_ex, -2, &inner);
        CALL(client, CORE, POP, pop, -2);
        if (!leaves_open || i + 1 < ranges) {
            CALL(client, CORE, POP, pop, -2);
        }
    }
}

static void domains(struct client *client) {
    void *domain = CALL(client, CORE2, CREATE, create, NULL, "NCCL");
    void *text = CALL(client, CORE2, REGISTER, register_text, NULL, domain, "ncclAllReduce");
    struct attributes registered = message(MESSAGE_REGISTERED, text), wide = message(MESSAGE_WIDE, L"wide \x00e4");
    struct attributes plain = message(MESSAGE_TEXT, "in a domain");
    CALL(client, CORE2, DOMAIN_PUSH, domain_push, -2, domain, &registered);
    CALL(client, CORE, PUSH, push, -2, "default domain, within"); /* each domain has a stack of its own */
    CALL(client, CORE2, DOMAIN_POP, domain_pop, -2, domain);
    CALL(client, CORE, POP, pop, -2);
    range_id id = CALL(client, CORE2, DOMAIN_START, domain_start, 0, domain, &wide);
    CALL(client, CORE2, DOMAIN_MARK, domain_mark, (void)0, domain, &plain);
    CALL(client, CORE2, DOMAIN_END, domain_end, (void)0, domain, id);
    CALL(client, CORE2, DOMAIN_PUSH, domain_push, -2, NULL, &plain); /* no domain: the default one */
    CALL(client, CORE2, DOMAIN_POP, domain_pop, -2, NULL);
    CALL(client, CORE2, DESTROY, destroy, (void)0, domain);
}

static void names(struct client *client) {
    CALL(client, CORE, NAME_THREAD, name_number, (void)0, (uint32_t)syscall(SYS_gettid), "main of nvtx");
    CALL(client, CORE, NAME_CATEGORY, name_number, (void)0, 1, "a category");
    CALL(client, CUDART, NAME_CUDA_STREAM, name_object, (void)0, (void *)1, "compute");
    CALL(client, CORE, MARK, mark, (void)0, "a mark");
    CALL(client, CORE, PUSH_WIDE, push_wide, -2, L"pushed wide");
    CALL(client, CORE, POP, pop, -2);
}

static void *work(void *argument) {
    long thread = (long)(intptr_t)argument;
    pushes(&clients[thread % client_count]);
    return NULL;
}

int main(int count, char **words) {
    static const struct option options[] = {
        {"ranges", 1, 0, 'r'}, {"threads", 1, 0, 't'}, {"clients", 1, 0, 'c'}, {"open", 0, 0, 'o'}, {0}};
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        long number = optarg ? strtol(optarg, NULL, 0) : 0;
        switch (option) {
        case 'r': ranges = number; break;
        case 't': threads = number < 1 ? 1 : number > THREADS ? THREADS : number; break;
        case 'c': client_count = number < 1 ? 1 : number > CLIENTS ? CLIENTS : number; break;
        case 'o': leaves_open = 1; break;
        default: return 2;
        }
    }
    int tools = 0;
    for (long i = 0; i < client_count; i++) {
        int found = connect_tool(&clients[i]);
        if (found < 0) {
            fprintf(stderr, "nvtx: the tool does not work\n");
            return 1;
        }
        tools += found;
    }
    names(&clients[0]);
    domains(&clients[0]);
    pthread_t others[THREADS];
    across = CALL(&clients[0], CORE, START, start, 0, "across threads");
    for (long i = 1; i < threads; i++) {
        pthread_create(&others[i], NULL, work, (void *)(intptr_t)i);
    }
    work(NULL);
    for (long i = 1; i < threads; i++) {
        pthread_join(others[i], NULL);
    }
    CALL(&clients[0], CORE, END, end, (void)0, across);
    printf("tools %d pushed %ld domain-pushed 2 started 2 marks 2\n", tools, 2 * ranges * threads + 2);
    return 0;
}
