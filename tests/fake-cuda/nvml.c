/* A libnvidia-ml.so.1 of two devices that are always as busy and as full as the other time they were asked.
 *
 * Build: cc -shared -fPIC -o libnvidia-ml.so.1 nvml.c
 * FAKE_NVML_ASKED=FILE: FILE is made when a device was asked for the third time, so that whoever is sampled can wait for that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int answer;
enum { GOOD = 0, INVALID = 2, DEVICES = 2, MIB = 1 << 20 };

struct device { unsigned number; };
struct utilization { unsigned gpu, memory; };
struct memory { unsigned version; unsigned long long total, reserved, free, used; };

static struct device devices[DEVICES] = {{0}, {1}};
static unsigned asked;

answer nvmlInit_v2(void) { return GOOD; }
answer nvmlInitWithFlags(unsigned flags) { (void)flags; return GOOD; }
answer nvmlShutdown(void) { return GOOD; }
const char *nvmlErrorString(answer error) { return error == GOOD ? "good" : "bad"; }

answer nvmlSystemGetDriverVersion(char *text, unsigned length) {
    snprintf(text, length, "580.65.06");
    return GOOD;
}

answer nvmlSystemGetCudaDriverVersion_v2(int *version) {
    *version = 13000;
    return GOOD;
}

answer nvmlDeviceGetCount_v2(unsigned *count) {
    *count = DEVICES;
    return GOOD;
}

answer nvmlDeviceGetHandleByIndex_v2(unsigned number, struct device **device) {
    if (number >= DEVICES) return INVALID;
    *device = &devices[number];
    return GOOD;
}

answer nvmlDeviceGetName(struct device *device, char *text, unsigned length) {
    snprintf(text, length, "Fake %u", device->number);
    return GOOD;
}

answer nvmlDeviceGetUtilizationRates(struct device *device, struct utilization *use) {
    /* 40, 60, 40, ... percent of the first; nothing of the second. */
    use->gpu = device->number == 0 ? (asked % 2 ? 60 : 40) : 0;
    use->memory = 5;
    if (device->number == 0) asked++;
    return GOOD;
}

answer nvmlDeviceGetMemoryInfo_v2(struct device *device, struct memory *memory) {
    const char *file = getenv("FAKE_NVML_ASKED");
    memory->total = 1000ULL * MIB;
    memory->used = (device->number + 1) * 100ULL * MIB;
    memory->reserved = 0;
    memory->free = memory->total - memory->used;
    if (device->number == DEVICES - 1 && asked >= 3 && file) {
        FILE *made = fopen(file, "w");
        if (made) fclose(made);
    }
    return GOOD;
}
