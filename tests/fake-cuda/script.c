/* Reads the script; knows nothing of what its words do. */
#define _GNU_SOURCE
#include "script.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static struct script read_once = {
    .api = API_RUNTIME, .thread_buffers = -1, .null_buffer_drops = -1, .sees_graphs_between = -1, .kernel_ns = 1000, .devices = 1};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t number(const char *word, const char *value) {
    char *end = NULL;
    unsigned long parsed = value ? strtoul(value, &end, 0) : 0;
    if (!value || !*value || *end || parsed > UINT32_MAX) {
        FAKE_WRONG("script: %s wants a number, not %s", word, value ? value : "nothing");
    }
    return (uint32_t)parsed;
}

/* The place of a value among those that a word takes. */
static int choice(const char *word, const char *value, const char *const *values) {
    for (int i = 0; values[i]; i++) {
        if (value && strcmp(value, values[i]) == 0) {
            return i;
        }
    }
    FAKE_WRONG("script: %s does not take %s", word, value ? value : "nothing");
}
#define CHOICE(...) choice(word, a, (const char *const[]){__VA_ARGS__, NULL})

static void text(const char *word, char *to, size_t room, const char *value) {
    if (!value || strlen(value) >= room) {
        FAKE_WRONG("script: %s wants a shorter text", word);
    }
    strcpy(to, value);
}

/* Whether the lines that follow are for another libcupti. */
static int is_passed_over;

static void take(struct script *s, const char *word, const char *a, const char *b, const char *c) {
    if (strcmp(word, "only") == 0) {
        is_passed_over = !a || (strcmp(a, "all") != 0 && strcmp(a, GENERATION) != 0);
    } else if (is_passed_over) {
        return;
    } else if (strcmp(word, "version") == 0) {
        s->version = number(word, a);
    } else if (strcmp(word, "answer") == 0) {
        if (s->answer_count == ANSWERS) {
            FAKE_WRONG("script: more than %d answers", ANSWERS);
        }
        struct answer *answer = &s->answers[s->answer_count++];
        text(word, answer->function, sizeof answer->function, a);
        answer->result = number(word, b);
        answer->after = c ? number(word, c) : 0;
    } else if (strcmp(word, "refuse-kind") == 0) {
        s->refused[number(word, a) % KINDS] = number(word, b);
    } else if (strcmp(word, "other-subscriber") == 0) {
        text(word, s->other_subscriber, sizeof s->other_subscriber, a);
    } else if (strcmp(word, "delivery") == 0) {
        s->delivery = (enum delivery)CHOICE("worker", "launch", "flush");
    } else if (strcmp(word, "period") == 0) {
        s->period_partial = CHOICE("full", "partial");
    } else if (strcmp(word, "thread-buffers") == 0) {
        s->thread_buffers = CHOICE("off", "on");
    } else if (strcmp(word, "null-buffer") == 0) {
        s->null_buffer_drops = CHOICE("crash", "drop");
    } else if (strcmp(word, "graphs-between") == 0) {
        s->sees_graphs_between = CHOICE("lost", "seen");
    } else if (strcmp(word, "api") == 0) {
        s->api = (enum api)(1 + CHOICE("runtime", "driver", "both"));
    } else if (strcmp(word, "devices") == 0) {
        s->devices = number(word, a) ? number(word, a) : 1;
    } else if (strcmp(word, "empty-buffer") == 0) {
        s->empty_buffer = 1;
    } else if (strcmp(word, "kernel-ns") == 0) {
        s->kernel_ns = number(word, a);
    } else if (strcmp(word, "unknown-kind") == 0) {
        s->unknown_kind = number(word, a);
    } else if (strcmp(word, "broken-record") == 0) {
        s->broken_record = number(word, a);
    } else if (strcmp(word, "unfinished") == 0) {
        s->unfinished = number(word, a);
    } else if (strcmp(word, "untimed") == 0) {
        s->untimed = number(word, a);
    } else if (strcmp(word, "drop") == 0) {
        s->drop = number(word, a);
    } else if (strcmp(word, "correlation") == 0) {
        s->correlation = number(word, a);
    } else if (strcmp(word, "nested") == 0) {
        s->nested = number(word, a);
    } else if (strcmp(word, "nested-graphs") == 0) {
        s->nested_graphs = number(word, a);
    } else if (strcmp(word, "host-nodes") == 0) {
        s->host_nodes = number(word, a);
    } else if (strcmp(word, "managed") == 0) {
        s->managed = number(word, a);
    } else if (strcmp(word, "pools") == 0) {
        s->pools = 1;
    } else if (strcmp(word, "deliver-after-exit") == 0) {
        s->deliver_after_exit = 1;
    } else if (strcmp(word, "after-teardown") == 0) {
        s->refuses_after_teardown = CHOICE("crash", "refuse");
    } else if (strcmp(word, "sync") == 0) {
        s->syncs_forever = 1 + CHOICE("forever");
    } else if (strcmp(word, "flush-ms") == 0) {
        s->flush_ms = number(word, a);
    } else if (strcmp(word, "deliver-late") == 0) {
        s->deliver_late = number(word, a);
    } else if (strcmp(word, "fork-call") == 0) {
        s->fork_call_fails = CHOICE("abort", "error");
    } else {
        FAKE_WRONG("script: what is %s?", word);
    }
}

static void read_file(void) {
    const char *path = getenv("FAKE_CUDA_SCRIPT");
    FILE *file = path ? fopen(path, "re") : NULL;
    if (path && !file) {
        FAKE_WRONG("script: cannot read %s", path);
    }
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        char *rest = NULL;
        line[strcspn(line, "#\n")] = 0;
        const char *word = strtok_r(line, " \t", &rest);
        const char *a = strtok_r(NULL, " \t", &rest);
        const char *b = strtok_r(NULL, " \t", &rest);
        const char *c = strtok_r(NULL, " \t", &rest);
        if (word) {
            take(&read_once, word, a, b, c);
        }
    }
    if (file) {
        fclose(file);
    }
}

const struct script *script(void) {
    pthread_once(&once, read_file);
    return &read_once;
}
