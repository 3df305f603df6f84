-- Projects of keys, and budgets of their keys together. Additive.

ALTER TABLE "api_key" ADD COLUMN "project" TEXT;
ALTER TABLE "budget" ADD COLUMN "project" TEXT CHECK ("project" IS NULL OR "key_ids" <> '{}');

-- Adds what a key spent to the sums of the budgets that it comes under, and takes it from those of budgets that it leaves, in windows that are not over (for a minute: clocks
-- differ). Of the others nothing is changed, and sums that are not made yet are made of the keys of then. Nobody makes or adds to one until the transaction is over, so that
-- each is of the keys of before or of those of after. One part after the other: each has its times as constants, as in open-window.ts.
CREATE FUNCTION "move_budget_sums"("key" TEXT, "joined" UUID[], "left" UUID[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    part RECORD;
    moved NUMERIC;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('tollgate.budget.sums'));
    FOR part IN
        SELECT timed.*, least("last", date_trunc('hour', "first" + "rest_of_hour", 'UTC')) AS "whole",
            greatest("first", date_trunc('hour', "last", 'UTC')) AS "rest"
        FROM (
            SELECT "budget_id", "account_id"::text AS "account", "models", "window_start" AS "first", "budget_id" = ANY ("joined") AS "joins",
                coalesce(budget_window_end("window", "time_zone", "window_start"), 'infinity') AS "last",
                -- Sums by minute are kept for three months: of a total that is older, the hour in which it began counts for who comes, and stays of who leaves.
                CASE WHEN "window_start" < now() - interval '62 days' AND "budget_id" = ANY ("joined") THEN interval '0'
                    ELSE interval '59 minutes 59.999 s' END AS "rest_of_hour"
            FROM "budget_spent" JOIN "budget" ON "id" = "budget_id"
            WHERE "budget_id" = ANY ("joined" || "left")
        ) AS timed
        WHERE "last" > now() - interval '1 minute'
            OR "budget_id" IN (SELECT "id" FROM "budget" WHERE budget_rolls("window") IS NOT NULL)
        ORDER BY "budget_id", "first"
    LOOP
        SELECT coalesce(sum("cost_nano_usd"), 0) INTO moved FROM (
            SELECT "cost_nano_usd" FROM "usage_minute" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."first" AND "at" < part."whole"
            UNION ALL
            SELECT "cost_nano_usd" FROM "usage_minute" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."rest" AND "at" < part."last" AND part."rest" >= part."whole"
            UNION ALL
            SELECT "cost_nano_usd" FROM "usage_hour" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."whole" AND "at" < part."rest"
        ) AS spent;
        -- Who leaves may have been what a request was refused for.
        UPDATE "budget_spent" SET "spent_nano_usd" = "spent_nano_usd" + CASE WHEN part."joins" THEN moved ELSE -moved END,
            "refused_under_nano_usd" = CASE WHEN part."joins" THEN "refused_under_nano_usd" END
        WHERE "budget_id" = part."budget_id" AND "window_start" = part."first";
    END LOOP;
END
$$;
REVOKE ALL ON FUNCTION "move_budget_sums"(TEXT, UUID[], UUID[]) FROM PUBLIC;
