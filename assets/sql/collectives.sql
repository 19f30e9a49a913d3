-- Communication of each device, and how much of it computation hides, as proftui summary --view distributed
-- prints it. Times in ns.
SELECT
    devices.trace,
    devices.worker,
    devices.title AS device,
    count(*) AS kernels,
    sum(collectives.counted_ns) AS communication,
    sum(collectives.hidden_ns) AS hidden,
    sum(collectives.counted_ns) - sum(collectives.hidden_ns) AS exposed,
    sum(collectives.hidden_ns) / sum(collectives.counted_ns) AS hidden_share
FROM collectives
JOIN devices ON devices.trace = collectives.trace AND devices.device = collectives.device
GROUP BY devices.trace, devices.worker, devices.device, devices.title
ORDER BY devices.trace, devices.device
