/* A client of ITT, as a library that programs in Python call: it does what the part of ITT does that libraries carry.
   It loads the tool that INTEL_LIBITTNOTIFY64 names, has it fill in the functions, and tells through them. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    void **place;
    void *first, *none;
    int group;
} function;

typedef struct {
    unsigned char magic[8];
    unsigned long version[3];
    long states[3];
    pthread_mutex_t mutex;
    void *library, *error;
    const char **path;
    function *functions;
} client;

typedef struct {
    volatile int flags;
    const char *name;
} domain;

typedef struct {
    unsigned long long words[3];
} id;

static domain *(*domain_create)(const char *);
static void *(*handle_create)(const char *);
static void (*task_begin)(const domain *, id, id, void *);
static void (*task_end)(const domain *);
static void *other = (void *)1, *unknown = (void *)1;

static function functions[] = {
    {"__itt_domain_create", (void **)&domain_create, 0, 0, 0},
    {"__itt_string_handle_create", (void **)&handle_create, 0, 0, 0},
    {"__itt_task_begin", (void **)&task_begin, 0, 0, 0},
    {"__itt_task_end", (void **)&task_end, 0, 0, 0},
    {"__itt_thread_set_name", &other, 0, 0, 0},
    {"__itt_of_tomorrow", &unknown, 0, &functions, 0},
    {0, 0, 0, 0, 0},
};

static client this = {{0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30}, {3, 0, 0}, {0}, PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, functions};

/* 1: there is a tool, and what it has nothing for is as without one. `version` is that of the client. */
int itt_open(unsigned long version) {
    this.version[0] = version;
    this.library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_NOW);
    void (*init)(client *, int) = this.library ? (void (*)(client *, int))dlsym(this.library, "__itt_api_init") : 0;
    if (!init) return -1;
    init(&this, ~0);
    return task_begin && task_end && handle_create && domain_create && !other && unknown == (void *)&functions;
}

/* As the macros of ITT do it: nothing is called for a domain that is off. */
static domain *of(const char *name) { return domain_create(name); }

int itt_is_on(const char *name) { return of(name)->flags != 0; }

void itt_begin(const char *name, const char *text) {
    id none = {{0}};
    domain *in = of(name);
    if (in->flags) task_begin(in, none, none, handle_create(text));
}

/* Whatever the flags say. */
void itt_force(const char *name, const char *text) {
    id none = {{0}};
    task_begin(of(name), none, none, text ? handle_create(text) : 0);
}

void itt_end(const char *name) {
    domain *in = of(name);
    if (in->flags) task_end(in);
}

/* What libraries make themselves, before they come to a tool. */
void itt_early(const char *name, const char *text) {
    struct { int flags; const char *name; const void *rest[4]; } *in = calloc(1, sizeof *in);
    struct { const char *text; const void *rest[4]; } *handle = calloc(1, sizeof *handle);
    id none = {{0}};
    in->flags = 1, in->name = name, handle->text = text;
    task_begin((domain *)in, none, none, handle);
    task_end((domain *)in);
    free(handle);
}

int itt_same(const char *text) {
    const char *const *handle = handle_create(text);
    return handle == handle_create(text) && !strcmp(*handle, text);
}

static void *work(void *count) {
    for (long at = 0; at < (long)count; at++) {
        itt_begin("PyTorch", "aten::outer");
        itt_begin("PyTorch", "aten::inner");
        itt_end("PyTorch");
        itt_end("PyTorch");
    }
    return 0;
}

void itt_threads(int threads, long count) {
    pthread_t ids[64];
    for (int at = 0; at < threads; at++) pthread_create(&ids[at], 0, work, (void *)count);
    for (int at = 0; at < threads; at++) pthread_join(ids[at], 0);
}
