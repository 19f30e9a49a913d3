/*
 * A text of PyTorch's library with Kineto in it, in the two ways that Kineto has had to come to CUPTI: what it says where there is none. It is
 * looked at, and never run.
 */
const char *kineto_says(void);

const char *kineto_says(void) {
#ifdef SUBSCRIBES
    return "CUPTI initialization failed - CUDA profiler activities will be missing";
#else
    return "CUPTI unavailable; continuing with CPU-only profiling";
#endif
}
