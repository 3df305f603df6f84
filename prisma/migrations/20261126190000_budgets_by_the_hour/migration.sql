-- Budgets by the hour. Additive.

ALTER TABLE "budget" DROP CONSTRAINT "budget_window_check";
-- Rows that are there were held to less, so that none has to be read.
ALTER TABLE "budget" ADD CONSTRAINT "budget_window_check" CHECK ("window" IN ('total', 'hour', 'day', 'week', 'month')) NOT VALID;

-- When it ends; null: never. By the clock of its time zone, where a day may have 23 or 25 hours; an hour is an hour also where the clock says it twice.
CREATE OR REPLACE FUNCTION "budget_window_end"("window" TEXT, "time_zone" TEXT, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE "window" WHEN 'total' THEN NULL
        WHEN 'hour' THEN date_trunc('hour', "at", "time_zone") + interval '1 hour'
        ELSE (date_trunc("window", "at" AT TIME ZONE "time_zone") + ('1 ' || "window")::interval) AT TIME ZONE "time_zone" END
$$;
