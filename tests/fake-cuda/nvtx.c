/*
 * A client of NVTX 3: ranges, marks, domains and names, from as many threads and libraries as its options say.
 *
 *   --ranges N    ranges pushed and popped, each with one within, by each thread (10)
 *   --threads N   (1)
 *   --clients N   libraries that have NVTX of their own: the tool is asked once by each (1)
 *   --open        leave the last ranges open at the end
 *   --kill        is killed before the range across threads ends
 *
 * Tells in one line what it did. Exit status 0; 1 where a tool was named and does not work.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nvtx_client.h"

enum { CLIENTS = 8, THREADS = 64 };

static struct nvtx_client clients[CLIENTS];
static long ranges = 10, threads = 1, client_count = 1, leaves_open, is_killed;

typedef uint64_t range_id;
typedef int (*push_wide)(const wchar_t *);
typedef int (*push_ex)(const struct nvtx_attributes *);
typedef range_id (*start)(const char *);
typedef void (*end)(range_id);
typedef void (*mark)(const char *);
typedef void *(*create)(const char *);
typedef void *(*register_text)(void *, const char *);
typedef int (*domain_push)(void *, const struct nvtx_attributes *);
typedef range_id (*domain_start)(void *, const struct nvtx_attributes *);
typedef void (*domain_end)(void *, range_id);
typedef void (*domain_mark)(void *, const struct nvtx_attributes *);
typedef int (*domain_pop)(void *);
typedef void (*destroy)(void *);

static struct nvtx_attributes message(int type, const void *text) {
    return (struct nvtx_attributes){.version = NVTX_VERSION, .size = sizeof(struct nvtx_attributes), .message_type = type, .message = text};
}

static void pushes(struct nvtx_client *client) {
    char name[32];
    for (long i = 0; i < ranges; i++) {
        snprintf(name, sizeof name, "step %ld", i);
        CALL(client, CORE, PUSH, nvtx_push, -2, name);
        memset(name, 'x', sizeof name - 1); /* the text is the tool's no longer than the call */
        struct nvtx_attributes inner = message(MESSAGE_TEXT, "inner");
        CALL(client, CORE, PUSH_EX, push_ex, -2, &inner);
        CALL(client, CORE, POP, nvtx_pop, -2);
        if (!leaves_open || i + 1 < ranges) {
            CALL(client, CORE, POP, nvtx_pop, -2);
        }
    }
}

static void domains(struct nvtx_client *client) {
    void *domain = CALL(client, CORE2, CREATE, create, NULL, "NCCL");
    void *text = CALL(client, CORE2, REGISTER, register_text, NULL, domain, "ncclAllReduce");
    struct nvtx_attributes registered = message(MESSAGE_REGISTERED, text), wide = message(MESSAGE_WIDE, L"wide \x00e4");
    struct nvtx_attributes plain = message(MESSAGE_TEXT, "in a domain");
    CALL(client, CORE2, DOMAIN_PUSH, domain_push, -2, domain, &registered);
    CALL(client, CORE, PUSH, nvtx_push, -2, "default domain, within"); /* each domain has a stack of its own */
    CALL(client, CORE2, DOMAIN_POP, domain_pop, -2, domain);
    CALL(client, CORE, POP, nvtx_pop, -2);
    range_id id = CALL(client, CORE2, DOMAIN_START, domain_start, 0, domain, &wide);
    CALL(client, CORE2, DOMAIN_MARK, domain_mark, (void)0, domain, &plain);
    CALL(client, CORE2, DOMAIN_END, domain_end, (void)0, domain, id);
    CALL(client, CORE2, DOMAIN_PUSH, domain_push, -2, NULL, &plain); /* no domain: the default one */
    CALL(client, CORE2, DOMAIN_POP, domain_pop, -2, NULL);
    CALL(client, CORE2, DESTROY, destroy, (void)0, domain);
}

static void names(struct nvtx_client *client) {
    CALL(client, CORE, NAME_THREAD, nvtx_name_number, (void)0, (uint32_t)syscall(SYS_gettid), "main of nvtx");
    CALL(client, CORE, NAME_CATEGORY, nvtx_name_number, (void)0, 1, "a category");
    CALL(client, CUDART, NAME_CUDA_STREAM, nvtx_name_object, (void)0, (void *)1, "compute");
    CALL(client, CORE, MARK, mark, (void)0, "a mark");
    CALL(client, CORE, PUSH_WIDE, push_wide, -2, L"pushed wide");
    CALL(client, CORE, POP, nvtx_pop, -2);
}

static void *work(void *argument) {
    long thread = (long)(intptr_t)argument;
    pushes(&clients[thread % client_count]);
    return NULL;
}

int main(int count, char **words) {
    static const struct option options[] = {
        {"ranges", 1, 0, 'r'}, {"threads", 1, 0, 't'}, {"clients", 1, 0, 'c'}, {"open", 0, 0, 'o'}, {"kill", 0, 0, 'k'},
        {0}};
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        long number = optarg ? strtol(optarg, NULL, 0) : 0;
        switch (option) {
        case 'r': ranges = number; break;
        case 't': threads = number < 1 ? 1 : number > THREADS ? THREADS : number; break;
        case 'c': client_count = number < 1 ? 1 : number > CLIENTS ? CLIENTS : number; break;
        case 'o': leaves_open = 1; break;
        case 'k': is_killed = 1; break;
        default: return 2;
        }
    }
    int tools = 0;
    for (long i = 0; i < client_count; i++) {
        int found = nvtx_connect(&clients[i]);
        if (found < 0) {
            fprintf(stderr, "nvtx: the tool does not work\n");
            return 1;
        }
        tools += found;
    }
    names(&clients[0]);
    domains(&clients[0]);
    pthread_t others[THREADS];
    /* Begun by one thread; whoever is last ends it. */
    range_id across = CALL(&clients[0], CORE, START, start, 0, "across threads");
    for (long i = 1; i < threads; i++) {
        pthread_create(&others[i], NULL, work, (void *)(intptr_t)i);
    }
    work(NULL);
    for (long i = 1; i < threads; i++) {
        pthread_join(others[i], NULL);
    }
    if (is_killed) {
        raise(SIGKILL);
    }
    CALL(&clients[0], CORE, END, end, (void)0, across);
    printf("tools %d pushed %ld domain-pushed 2 started 2 marks 2\n", tools, 2 * ranges * threads + 2);
    return 0;
}
