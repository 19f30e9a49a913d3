/* Runs a program of which one system call fails, whether the C library makes it or the program itself.
 *
 *   system CALL NUMBER ERROR MARK PROGRAM [ARGUMENT...]
 *
 * CALL    a name in `calls` below
 * NUMBER  which call of it, from 1; counted once Rust's runtime has set up the stack of its signal handler (sigaltstack): without what
 *         the dynamic loader and the runtime do before. Nor do calls of other processes count, nor the memory of that stack in any
 *         thread, without which the runtime aborts whatever the program does
 * ERROR   the number of the error
 * MARK    path of a file that is made when the call comes
 *
 * Ends as the program does, by a signal with 128 and its number; with 125 where the system has no notifications of seccomp.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif
#define UNAVAILABLE 125
#define MOST 8

/* The system calls of each name; the numbers that an architecture lacks are left out. */
struct call {
    const char *name;
    int numbers[MOST];
};
static const struct call calls[] = {
    {"mmap", {SYS_mmap, -1}},
    {"open", {SYS_openat,
#ifdef SYS_open
              SYS_open,
#endif
              -1}},
    {"read", {SYS_read, SYS_pread64, SYS_readv, -1}},
    {"write", {SYS_write, SYS_writev, SYS_pwrite64, -1}},
    {"stat", {SYS_statx, SYS_newfstatat, SYS_fstat, -1}},
    {"link", {SYS_linkat, -1}},
    {"rename", {SYS_renameat2,
#ifdef SYS_renameat
                SYS_renameat,
#endif
#ifdef SYS_rename
                SYS_rename,
#endif
                -1}},
    {"unlink", {SYS_unlinkat,
#ifdef SYS_unlink
                SYS_unlink,
#endif
                -1}},
    {"sync", {SYS_fsync, SYS_fdatasync, -1}},
    {"truncate", {SYS_ftruncate, -1}},
};

static void fail(const char *what) {
    perror(what);
    _exit(UNAVAILABLE);
}

/* Has the calls of the program that follows be notified to whoever holds the descriptor returned. */
static int notify(const int *numbers) {
    struct sock_filter filter[6 + 2 * MOST];
    int n = 0;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (const int *number = numbers; *number >= 0; number++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)*number, 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        fail("prctl");
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        fail("seccomp");
    return listener;
}

/* Answers every notified call, until no process is left that makes them. */
static void answer(int listener, int child, long number, int error, const char *mark) {
    int has_begun = 0;
    long count = 0;
    /* Threads that have asked for their signal stack, and set none yet: they have none, and next map one. */
    unsigned asking[1 << 10] = {0};
    for (;;) {
        struct pollfd ready = {.fd = listener, .events = POLLIN};
        if (poll(&ready, 1, -1) < 0 || !(ready.revents & POLLIN))
            return;
        struct seccomp_notif asked = {0};
        /* A call whose thread was killed meanwhile is gone. */
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
            continue;
        struct seccomp_notif_resp said = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        char thread[64];
        snprintf(thread, sizeof thread, "/proc/%d/task/%d", child, (int)asked.pid);
        unsigned *stackless = &asking[asked.pid % (sizeof asking / sizeof *asking)];
        if (asked.data.nr == SYS_sigaltstack) {
            *stackless = asked.data.args[0] ? 0 : asked.pid;
            has_begun = has_begun || asked.data.args[0];
        } else if (asked.data.nr == SYS_mmap && *stackless == asked.pid) {
            *stackless = 0;
        } else if (has_begun && access(thread, F_OK) == 0 && ++count == number) {
            close(open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
            said.flags = 0;
            said.error = -error;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &said);
    }
}

int main(int count, char **arguments) {
    if (count < 6)
        return 2;
    const int *wanted = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, arguments[1]) == 0)
            wanted = calls[i].numbers;
    if (!wanted)
        return 2;
    int numbers[MOST + 1] = {SYS_sigaltstack};
    memcpy(numbers + 1, wanted, MOST * sizeof *wanted);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        fail("pipe");
    /* The descriptors of both are the same until the program is executed: the listener is passed on by its number. */
    int child = (int)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
    if (child < 0)
        fail("clone");
    if (child == 0) {
        int number = dup(ends[1]);
        close(number);
        /* The lowest free descriptor is the listener's; it is told before the filter, which may have writing notified. */
        if (write(ends[1], &number, sizeof number) != sizeof number)
            fail("write");
        if (notify(numbers) != number)
            fail("listener");
        execv(arguments[5], arguments + 5);
        fail(arguments[5]);
    }
    int listener;
    if (read(ends[0], &listener, sizeof listener) != sizeof listener)
        fail("read");
    /* Until the filter is there, the descriptor is none, and polling returns at once. */
    struct pollfd there = {.fd = listener, .events = POLLIN};
    while (poll(&there, 1, 10) == 1 && there.revents & POLLNVAL) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : UNAVAILABLE;
    }
    answer(listener, child, atol(arguments[2]), atoi(arguments[3]), arguments[4]);
    int status;
    if (waitpid(child, &status, 0) != child)
        fail("waitpid");
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
