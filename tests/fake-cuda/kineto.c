/*
 * What the dynamic loader is asked for by PyTorch's library with Kineto in it, in the two ways that Kineto has had. It is looked at, and
 * never run.
 */
int cuptiActivityRegisterCallbacks(void *, void *);
int cuptiSubscribe(void *, void *, void *);

int kineto_starts(void *one, void *other);

int kineto_starts(void *one, void *other) {
#ifdef SUBSCRIBES
    return cuptiSubscribe(one, other, 0) || cuptiActivityRegisterCallbacks(one, other);
#else
    return cuptiActivityRegisterCallbacks(one, other);
#endif
}
