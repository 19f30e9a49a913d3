/*
 * A CUDA C++ program of the usual sort: the runtime's API, a kernel launched by <<<>>>, streams with priorities, memory from a
 * pool, managed memory, a graph drawn from a stream. It does all of it --rounds times (10), looks at the result, and tells in
 * one line of JSON what it did. Built by nvcc where there is one.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

constexpr int COUNT = 1 << 18, BLOCK = 256, NODES = 10, EACH = 20;

__global__ void add_one(int *place) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < COUNT) {
        place[at] += 1;
    }
}

static void must(cudaError_t result, const char *what) {
    if (result != cudaSuccess) {
        fprintf(stderr, "plain: %s: %s\n", what, cudaGetErrorString(result));
        exit(result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver ? 77 : 3);
    }
}
#define MUST(call) must(call, #call)

static void launch(int *place, cudaStream_t stream) {
    add_one<<<COUNT / BLOCK, BLOCK, 0, stream>>>(place);
    MUST(cudaGetLastError());
}

int main(int count, char **words) {
    int rounds = count == 3 && !strcmp(words[1], "--rounds") ? atoi(words[2]) : 10;
    int *memory, *managed, *host, low, high, found = 0;
    cudaStream_t normal, urgent;
    cudaGraph_t drawn;
    cudaGraphExec_t graph;
    MUST(cudaMalloc(&memory, COUNT * sizeof(int)));
    MUST(cudaDeviceGetStreamPriorityRange(&low, &high));
    MUST(cudaStreamCreateWithPriority(&normal, cudaStreamNonBlocking, low));
    MUST(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, high));
    MUST(cudaMallocHost(&host, COUNT * sizeof(int)));
    MUST(cudaMallocManaged(&managed, COUNT * sizeof(int)));
    managed[0] = 0;
    MUST(cudaMemsetAsync(memory, 0, COUNT * sizeof(int), normal));
    MUST(cudaStreamBeginCapture(normal, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < NODES; i++) {
        launch(memory, normal);
    }
    MUST(cudaStreamEndCapture(normal, &drawn));
    MUST(cudaGraphInstantiate(&graph, drawn, 0));
    MUST(cudaDeviceSynchronize());
    for (int round = 0; round < rounds; round++) {
        int *pool;
        for (int i = 0; i < EACH; i++) {
            launch(memory, normal);
        }
        MUST(cudaGraphLaunch(graph, normal));
        MUST(cudaStreamSynchronize(normal));
        launch(memory, urgent);
        launch(managed, urgent);
        MUST(cudaMallocAsync(&pool, COUNT * sizeof(int), urgent));
        MUST(cudaMemsetAsync(pool, 0, COUNT * sizeof(int), urgent));
        MUST(cudaMemcpyAsync(pool, host, COUNT * sizeof(int), cudaMemcpyHostToDevice, urgent));
        MUST(cudaFreeAsync(pool, urgent));
        MUST(cudaDeviceSynchronize());
        managed[0] += 1;
    }
    MUST(cudaMemcpy(&found, memory, sizeof found, cudaMemcpyDeviceToHost));
    if (found != rounds * (EACH + NODES + 1) || managed[0] != 2 * rounds) {
        fprintf(stderr, "plain: %d and %d were computed\n", found, managed[0]);
        return 3;
    }
    printf("{\"pid\": %d, \"kernels\": %d, \"graphs\": %d, \"copies\": %d, \"pinned\": %d, \"sets\": %d, \"pools\": %d}\n", getpid(),
           rounds * (EACH + NODES + 2), rounds, rounds + 1, rounds, rounds + 1, rounds);
    return 0;
}
