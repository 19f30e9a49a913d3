/* Loaded into a program by LD_PRELOAD: one call of one function of the C library fails, or does half of its work.
 *
 * FAULT_CALL    open, read, write, stat or thread
 * FAULT_NUMBER  which call of it, from 1
 * FAULT_HOW     the number of an error, or "short": half of the bytes
 * FAULT_MARK    path of a file that is made when the call comes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;

/* The error of this call, -1 if it is to be short, 0 if it is to be as ever. */
static int fault(const char *name) {
    const char *wanted = getenv("FAULT_CALL"), *number = getenv("FAULT_NUMBER"), *how = getenv("FAULT_HOW");
    if (!wanted || !number || !how || strcmp(wanted, name) != 0 || atomic_fetch_add(&calls, 1) + 1 != atol(number))
        return 0;
    const char *mark = getenv("FAULT_MARK");
    if (mark)
        syscall(SYS_close, (int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600));
    return strcmp(how, "short") == 0 ? -1 : atoi(how);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL_AS(call)                                                                                                                      \
    int found = fault(call);                                                                                                               \
    if (found > 0) {                                                                                                                       \
        errno = found;                                                                                                                     \
        return -1;                                                                                                                         \
    }
/* Half of the bytes, and one at least: none would be the end of the file. */
#define HALF(bytes) (found < 0 ? ((bytes) + 1) / 2 : (bytes))

#define OPEN(name)                                                                                                                         \
    int name(const char *path, int flags, ...) {                                                                                           \
        va_list rest;                                                                                                                      \
        va_start(rest, flags);                                                                                                             \
        mode_t mode = va_arg(rest, mode_t);                                                                                                \
        va_end(rest);                                                                                                                      \
        FAIL_AS("open")                                                                                                                    \
        REAL(name);                                                                                                                        \
        return real(path, flags, mode);                                                                                                    \
    }
OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    FAIL_AS("open")
    REAL(openat);
    return real(folder, path, flags, mode);
}

ssize_t read(int file, void *into, size_t bytes) {
    FAIL_AS("read")
    REAL(read);
    return real(file, into, HALF(bytes));
}

ssize_t pread64(int file, void *into, size_t bytes, off64_t at) {
    FAIL_AS("read")
    REAL(pread64);
    return real(file, into, HALF(bytes), at);
}

ssize_t write(int file, const void *from, size_t bytes) {
    FAIL_AS("write")
    REAL(write);
    return real(file, from, HALF(bytes));
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    FAIL_AS("write")
    if (found < 0)
        count = (count + 1) / 2;
    REAL(writev);
    return real(file, parts, count);
}

int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict into) {
    FAIL_AS("stat")
    REAL(statx);
    return real(folder, path, flags, mask, into);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int found = fault("thread");
    if (found > 0)
        return found;
    REAL(pthread_create);
    return real(thread, attributes, start, argument);
}
