-- Kernels by name, as proftui summary --view kernel prints them. Times in ns.
SELECT
    name,
    count(*) AS calls,
    sum(counted_ns) AS total,
    sum(counted_ns) / sum(sum(counted_ns)) OVER () AS share,
    avg(duration_ns) AS average,
    min(duration_ns) AS min,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ns) AS p50,
    percentile_disc(0.99) WITHIN GROUP (ORDER BY duration_ns) AS p99,
    max(duration_ns) AS max
FROM slices
WHERE category = 'Kernel'
GROUP BY name
ORDER BY total DESC, name
