/* The smallest tool of NVTX: it proves nvtx.c. Counts what arrives and tells in one line on stderr at the end. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);
typedef int (*find_table)(uint32_t module, function ***out, unsigned *count);
struct callbacks {
    size_t size;
    find_table table;
};
enum { CORE = 1, CUDART = 4, CORE2 = 5 };

static _Atomic long asked, pushed, popped, depth, deepest, domain_pushed, domain_popped, started, ended, marks, named;
static _Atomic long registered_seen;
static int registered; /* its address is the handle of every text */

static int push(const char *text) {
    pushed += text && *text;
    long now = atomic_fetch_add(&depth, 1);
    deepest = now + 1 > deepest ? now + 1 : deepest;
    return (int)now;
}
static int push_wide(const void *text) { return push(text ? "x" : NULL); }
static int push_ex(const void *attributes) { return push(attributes ? "x" : NULL); }
static int pop(void) {
    popped++;
    return (int)--depth;
}
static uint64_t start(const char *text) { return text ? (uint64_t)++started : 0; }
static void end(uint64_t id) { ended += id != 0; }
static void mark(const char *text) { marks += text != NULL; }
static void name_number(uint32_t number, const char *text) { named += number && text; }
static void name_object(void *object, const char *text) { named += object && text; }
static void *create(const char *name) { return name ? &asked : NULL; }
static void *register_text(void *domain, const char *text) { return domain && text ? &registered : NULL; }
static int domain_push(void *domain, const void *attributes) {
    const void *text = NULL;
    int32_t type = 0;
    (void)domain;
    memcpy(&type, (const char *)attributes + 32, sizeof type);
    memcpy(&text, (const char *)attributes + 40, sizeof text);
    registered_seen += type == 3 && text == &registered;
    return (int)domain_pushed++;
}
static int domain_pop(void *domain) { return (void)domain, (int)domain_popped++; }
static uint64_t domain_start(void *domain, const void *attributes) { return (void)domain, start(attributes); }
static void domain_end(void *domain, uint64_t id) { (void)domain, end(id); }
static void domain_mark(void *domain, const void *attributes) { (void)domain, mark(attributes); }

static void tell(void) {
    fprintf(stderr,
            "selftest nvtx asked %ld pushed %ld popped %ld deepest %ld domain-pushed %ld domain-popped %ld registered %ld "
            "started %ld ended %ld marks %ld named %ld\n",
            asked, pushed, popped, deepest, domain_pushed, domain_popped, registered_seen, started, ended, marks, named);
}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
    const struct callbacks *callbacks = export_table(1);
    function **core, **core2, **runtime;
    unsigned core_count = 0, core2_count = 0, runtime_count = 0;
    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->table(CORE, &core, &core_count) ||
        !callbacks->table(CORE2, &core2, &core2_count) || !callbacks->table(CUDART, &runtime, &runtime_count)) {
        return 0;
    }
    if (core_count != 16 || core2_count != 16 || runtime_count != 7 || core[0] || core2[0]) {
        fprintf(stderr, "selftest nvtx: tables of %u, %u and %u\n", core_count, core2_count, runtime_count);
        return 0;
    }
    *core[2] = (function)mark, *core[5] = (function)start, *core[7] = (function)end;
    *core[8] = (function)push_ex, *core[9] = (function)push, *core[10] = (function)push_wide;
    *core[11] = (function)pop;
    *core[12] = (function)name_number, *core[14] = (function)name_number;
    *core2[1] = (function)domain_mark, *core2[2] = (function)domain_start, *core2[3] = (function)domain_end;
    *core2[4] = (function)domain_push, *core2[5] = (function)domain_pop, *core2[10] = (function)register_text;
    *core2[12] = (function)create;
    *runtime[3] = (function)name_object;
    if (asked++ == 0) {
        atexit(tell);
    }
    return 1;
}
