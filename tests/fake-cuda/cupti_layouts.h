/* Which structure a kind of record has in this generation, by NVIDIA's own headers. Knows nothing of what fills them. */
#ifndef CUPTI_LAYOUTS_H
#define CUPTI_LAYOUTS_H

#include <cupti.h>

#if CUPTI_API_VERSION == 18 /* CUDA 11.8 */
#define LAST_KIND CUPTI_ACTIVITY_KIND_JIT
typedef CUpti_ActivityKernel8 Kernel;
typedef CUpti_ActivityMemcpy5 Copy;
typedef CUpti_ActivityMemory3 Memory;
typedef CUpti_ActivityDevice4 Device;
typedef CUpti_ActivityContext Context;
typedef CUpti_ActivityOverhead Overhead;
typedef CUpti_ActivityGraphTrace GraphTrace;
#elif CUPTI_API_VERSION == 22 /* CUDA 12.4 */
#define LAST_KIND CUPTI_ACTIVITY_KIND_JIT
typedef CUpti_ActivityKernel9 Kernel;
typedef CUpti_ActivityMemcpy5 Copy;
typedef CUpti_ActivityMemory3 Memory;
typedef CUpti_ActivityDevice5 Device;
typedef CUpti_ActivityContext2 Context;
typedef CUpti_ActivityOverhead3 Overhead;
typedef CUpti_ActivityGraphTrace2 GraphTrace;
#elif CUPTI_API_VERSION == 28 /* CUDA 12.9 */
#define LAST_KIND CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS
typedef CUpti_ActivityKernel9 Kernel;
typedef CUpti_ActivityMemcpy6 Copy;
typedef CUpti_ActivityMemory4 Memory;
typedef CUpti_ActivityDevice5 Device;
typedef CUpti_ActivityContext3 Context;
typedef CUpti_ActivityOverhead3 Overhead;
typedef CUpti_ActivityGraphTrace2 GraphTrace;
#elif CUPTI_API_VERSION == 130001 /* CUDA 13.0 */
#define LAST_KIND CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS
typedef CUpti_ActivityKernel10 Kernel;
typedef CUpti_ActivityMemcpy6 Copy;
typedef CUpti_ActivityMemory4 Memory;
typedef CUpti_ActivityDevice5 Device;
typedef CUpti_ActivityContext3 Context;
typedef CUpti_ActivityOverhead3 Overhead;
typedef CUpti_ActivityGraphTrace2 GraphTrace;
#elif CUPTI_API_VERSION == 130500 /* CUDA 13.5 */
#define LAST_KIND CUPTI_ACTIVITY_KIND_GREEN_CONTEXT
typedef CUpti_ActivityKernel13 Kernel;
typedef CUpti_ActivityMemcpy7 Copy;
typedef CUpti_ActivityMemory4 Memory;
typedef CUpti_ActivityDevice6 Device;
typedef CUpti_ActivityContext4 Context;
typedef CUpti_ActivityOverhead3 Overhead;
typedef CUpti_ActivityGraphTrace2 GraphTrace;
#else
#error "a generation whose layouts are not listed here"
#endif

#if CUPTI_API_VERSION == 130500
typedef CUpti_ActivityMemset5 Set;
#else
typedef CUpti_ActivityMemset4 Set;
#endif

#if CUPTI_API_VERSION >= 28
typedef CUpti_ActivitySynchronization2 Synchronization;
#else
typedef CUpti_ActivitySynchronization Synchronization;
#endif

#if CUPTI_API_VERSION == 130500
typedef CUpti_ActivityCudaEvent3 Event;
#elif CUPTI_API_VERSION >= 26
typedef CUpti_ActivityCudaEvent2 Event;
#else
typedef CUpti_ActivityCudaEvent Event;
#endif

#if CUPTI_API_VERSION >= 28
typedef CUpti_ActivityUnifiedMemoryCounter3 Unified;
typedef CUpti_ActivityDeviceGraphTrace DeviceGraph;
#define HAS_DEVICE_GRAPHS 1
#else
typedef CUpti_ActivityUnifiedMemoryCounter2 Unified;
#define HAS_DEVICE_GRAPHS 0
#endif

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityMemoryPool3 Pool;
#else
typedef CUpti_ActivityMemoryPool2 Pool;
#endif

#if CUPTI_API_VERSION == 130500
typedef CUpti_ActivityGraphHostNode HostNode;
#define HAS_HOST_NODES 1
#else
#define HAS_HOST_NODES 0
#endif

typedef CUpti_ActivityCdpKernel NestedKernel;
typedef CUpti_ActivityAPI Api;
typedef CUpti_ActivityMemcpyPtoP4 PeerCopy;
typedef CUpti_ActivityStream Stream;

/* A kind of some day to come, and what it looks like. */
#define KIND_OF_TOMORROW 4000
struct tomorrow {
    uint32_t kind;
    uint32_t words[11];
};

/* 0 for what cannot be a record. */
static inline size_t size_of_kind(uint32_t kind) {
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_MEMCPY: return sizeof(Copy);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(PeerCopy);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(Set);
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return sizeof(Kernel);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME: return sizeof(Api);
    case CUPTI_ACTIVITY_KIND_DEVICE: return sizeof(Device);
    case CUPTI_ACTIVITY_KIND_CONTEXT: return sizeof(Context);
    case CUPTI_ACTIVITY_KIND_STREAM: return sizeof(Stream);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: return sizeof(Event);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(Overhead);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return sizeof(Synchronization);
    case CUPTI_ACTIVITY_KIND_MEMORY2: return sizeof(Memory);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return sizeof(GraphTrace);
    case CUPTI_ACTIVITY_KIND_CDP_KERNEL: return sizeof(NestedKernel);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: return sizeof(Unified);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL: return sizeof(Pool);
#if HAS_DEVICE_GRAPHS
    case CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE: return sizeof(DeviceGraph);
#endif
#if HAS_HOST_NODES
    case CUPTI_ACTIVITY_KIND_GRAPH_HOST_NODE: return sizeof(HostNode);
#endif
    case KIND_OF_TOMORROW: return sizeof(struct tomorrow);
    default: return 0;
    }
}

#endif
