-- Idle time of devices, and of the streams of devices with several, by cause, as proftui summary --view idle
-- prints it. Times in ns.
SELECT
    idle.trace,
    idle.worker,
    concat(devices.title, CASE WHEN idle.lane IS NULL THEN '' ELSE concat(' · ', lanes.title) END) AS device,
    idle.cause,
    sum(idle.duration_ns) AS time,
    sum(idle.duration_ns)
        / sum(sum(idle.duration_ns)) OVER (PARTITION BY idle.trace, idle.device, idle.lane) AS idle_share,
    sum(idle.duration_ns) / max(devices.run_ns) AS part_share,
    count(DISTINCT idle.gap) AS gaps,
    max(idle.duration_ns) AS longest
FROM idle
JOIN devices ON devices.trace = idle.trace AND devices.device = idle.device
LEFT JOIN lanes ON lanes.trace = idle.trace AND lanes.lane = idle.lane
WHERE idle.in_run
GROUP BY idle.trace, idle.worker, idle.device, devices.title, idle.lane, lanes.title, idle.cause
ORDER BY idle.trace, idle.device, idle.lane NULLS FIRST, time DESC, cause
