/*
 * What native.c asks of a driver and the fake one of tests/fake-cuda does not have; compiled together with that one, for the
 * self-test alone. Computes nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);

int cuCtxSetCurrent(void *context) {
    return context ? 0 : 201;
}

int cuModuleLoadData(void **module, const void *image) {
    *module = (void *)(uintptr_t)image;
    return 0;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
    (void)flags;
    *memory = calloc(1, bytes);
    return *memory ? 0 : 2;
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags) {
    int result = cuMemAlloc_v2(address, bytes);
    (void)flags;
    /* The host may touch it. */
    *address = (uint64_t)(uintptr_t)calloc(1, bytes);
    return *address ? result : 2;
}

int cuMemAllocAsync(uint64_t *address, size_t bytes, void *stream) {
    (void)stream;
    return cuMemAlloc_v2(address, bytes);
}

int cuMemFreeAsync(uint64_t address, void *stream) {
    (void)stream;
    return cuMemFree_v2(address);
}
