-- Budgets of the last hours or days, such as 24h or 7d, which are kept in slices. Additive.

ALTER TABLE "budget" DROP CONSTRAINT "budget_window_check";
-- Rows that are there were held to less, so that none has to be read.
ALTER TABLE "budget" ADD CONSTRAINT "budget_window_check" CHECK ("window" IN ('total', 'hour', 'day', 'week', 'month') OR "window" ~ '^[1-9][0-9]{0,2}[hd]$') NOT VALID;

-- How long a rolling window is; null: it is none. A day has 24 hours, also where the clocks change.
CREATE FUNCTION "budget_rolls"("window" TEXT) RETURNS INTERVAL
LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "window" ~ '^[0-9]+h$' THEN rtrim("window", 'h')::int * interval '1 hour'
        WHEN "window" ~ '^[0-9]+d$' THEN rtrim("window", 'd')::int * interval '24 hours' END
$$;

-- When the window of a budget began that holds at a moment; of a rolling one, when the slice of it began: a sixtieth, so whole minutes, by the clock of UTC.
CREATE OR REPLACE FUNCTION "budget_window_start"("window" TEXT, "time_zone" TEXT, "created_at" TIMESTAMPTZ, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "window" = 'total' THEN date_trunc('minute', "created_at")
        WHEN budget_rolls("window") IS NOT NULL THEN date_bin(budget_rolls("window") / 60, "at", 'epoch'::timestamptz)
        ELSE date_trunc("window", "at", "time_zone") END
$$;

-- When that ends; null: never.
CREATE OR REPLACE FUNCTION "budget_window_end"("window" TEXT, "time_zone" TEXT, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "window" = 'total' THEN NULL
        WHEN budget_rolls("window") IS NOT NULL
            THEN date_bin(budget_rolls("window") / 60, "at", 'epoch'::timestamptz) + budget_rolls("window") / 60
        WHEN "window" = 'hour' THEN date_trunc('hour', "at", "time_zone") + interval '1 hour'
        ELSE (date_trunc("window", "at" AT TIME ZONE "time_zone") + ('1 ' || "window")::interval) AT TIME ZONE "time_zone" END
$$;

-- When what was spent in a slice of a rolling window counts no more.
CREATE FUNCTION "budget_slice_leaves"("window" TEXT, "slice" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT "slice" + budget_rolls("window") + budget_rolls("window") / 60
$$;
