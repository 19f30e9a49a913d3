-- Operators by name, as proftui summary --view operator prints them: own time on the host, and the time of
-- the device work that counts for them. Times in ns.
WITH host AS (
    SELECT
        name,
        count(*) AS calls,
        sum(own_ns) AS own,
        sum(own_runtime_ns) AS own_runtime,
        sum(own_waiting_ns) AS own_waiting,
        sum(counted_ns) AS total,
        avg(duration_ns) AS average,
        min(duration_ns) AS min,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ns) AS p50,
        percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ns) AS p99,
        max(duration_ns) AS max
    FROM slices
    WHERE own_ns IS NOT NULL
    GROUP BY name
),
device AS (
    SELECT coalesce(operator, '(no operator)') AS name, sum(counted_ns) AS device_own
    FROM slices
    WHERE work IS NOT NULL
    GROUP BY coalesce(operator, '(no operator)')
)
SELECT
    coalesce(host.name, device.name) AS name,
    coalesce(calls, 0) AS calls,
    coalesce(own, 0) AS own,
    coalesce(own, 0) / sum(own) OVER () AS own_share,
    coalesce(own_runtime, 0) AS own_runtime,
    coalesce(own_waiting, 0) AS own_waiting,
    coalesce(device_own, 0) AS device_own,
    coalesce(device_own, 0) / sum(device_own) OVER () AS device_share,
    coalesce(total, 0) AS total,
    average,
    min,
    p50,
    p99,
    max
FROM host
FULL OUTER JOIN device ON host.name = device.name
ORDER BY greatest(coalesce(own - own_waiting, 0), coalesce(device_own, 0)) DESC, name
