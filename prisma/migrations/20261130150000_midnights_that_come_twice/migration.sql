-- Where clocks go back over midnight (Havana, the Azores) it comes twice, and the second is the one that ends the day. In the hour between, the day at hand was one that had not begun, so that what was spent then counted in it or not, by chance. Additive.

-- The moment by which the calendar of a time zone says which window holds: an hour before, between the two midnights.
CREATE FUNCTION "budget_calendar_moment"("window" TEXT, "time_zone" TEXT, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN date_trunc("window", "at", "time_zone") > "at" THEN "at" - interval '1 hour' ELSE "at" END
$$;

CREATE OR REPLACE FUNCTION "budget_window_start"("window" TEXT, "time_zone" TEXT, "created_at" TIMESTAMPTZ, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "window" = 'total' THEN date_trunc('minute', "created_at")
        WHEN budget_rolls("window") IS NOT NULL THEN date_bin(budget_rolls("window") / 60, "at", 'epoch'::timestamptz)
        ELSE date_trunc("window", budget_calendar_moment("window", "time_zone", "at"), "time_zone") END
$$;

CREATE OR REPLACE FUNCTION "budget_window_end"("window" TEXT, "time_zone" TEXT, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "window" = 'total' THEN NULL
        WHEN budget_rolls("window") IS NOT NULL
            THEN date_bin(budget_rolls("window") / 60, "at", 'epoch'::timestamptz) + budget_rolls("window") / 60
        WHEN "window" = 'hour' THEN date_trunc('hour', "at", "time_zone") + interval '1 hour'
        ELSE (date_trunc("window", budget_calendar_moment("window", "time_zone", "at") AT TIME ZONE "time_zone") + ('1 ' || "window")::interval) AT TIME ZONE "time_zone" END
$$;
