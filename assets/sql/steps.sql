-- Steps, as proftui summary --view steps prints them: the time of each by phase, and what its devices did.
-- Times in ns.
SELECT
    trace,
    worker,
    step AS number,
    duration_ns AS time,
    dataloader_ns AS dataloader,
    forward_ns AS forward,
    backward_ns AS backward,
    optimization_ns AS optimization,
    other_ns AS other,
    device_busy_ns AS device_busy,
    device_idle_ns AS device_idle,
    computation_ns AS computation,
    overlap_ns AS overlap,
    communication_ns AS communication,
    device_other_ns AS device_other
FROM steps
ORDER BY trace, worker, start_ns, slice
