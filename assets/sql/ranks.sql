-- Each step over all ranks: how much longer the slowest rank took than the median, and which rank that was;
-- of equally slow ones, the first by name. Times in ns.
WITH ordered AS (
    SELECT
        step,
        coalesce(worker, trace) AS name,
        duration_ns,
        device_idle_ns,
        row_number() OVER (PARTITION BY step ORDER BY duration_ns DESC, coalesce(worker, trace)) AS number
    FROM steps
)
SELECT
    step,
    count(*) AS ranks,
    min(duration_ns) AS shortest,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ns) AS median,
    max(duration_ns) AS longest,
    max(duration_ns) - percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ns) AS late,
    max(CASE WHEN number = 1 THEN name END) AS slowest,
    avg(device_idle_ns) AS device_idle
FROM ordered
GROUP BY step
ORDER BY step
