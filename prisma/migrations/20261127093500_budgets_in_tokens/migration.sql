-- Budgets in tokens. Every amount of a budget is in its unit, in the columns that were there: nano-dollars, or tokens of input and output. Additive.

ALTER TABLE "budget" ADD COLUMN "unit" TEXT NOT NULL DEFAULT 'usd' CHECK ("unit" IN ('usd', 'tokens'));

-- What usage counts in a budget of this unit.
CREATE FUNCTION "budget_amount"("unit" TEXT, "cost_nano_usd" NUMERIC, "tokens" NUMERIC) RETURNS NUMERIC
LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE "unit" WHEN 'tokens' THEN "tokens" ELSE "cost_nano_usd" END
$$;

-- As before, in the unit of each budget: whoever may call it stays so.
CREATE OR REPLACE FUNCTION "move_budget_sums"("key" TEXT, "joined" UUID[], "left" UUID[]) RETURNS VOID
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
            SELECT "budget_id", "account_id"::text AS "account", "models", "unit", "window_start" AS "first", "budget_id" = ANY ("joined") AS "joins",
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
        SELECT coalesce(sum(amount), 0) INTO moved FROM (
            SELECT budget_amount(part."unit", "cost_nano_usd", "input_tokens" + "output_tokens") AS amount FROM "usage_minute" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."first" AND "at" < part."whole"
            UNION ALL
            SELECT budget_amount(part."unit", "cost_nano_usd", "input_tokens" + "output_tokens") AS amount FROM "usage_minute" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."rest" AND "at" < part."last" AND part."rest" >= part."whole"
            UNION ALL
            SELECT budget_amount(part."unit", "cost_nano_usd", "input_tokens" + "output_tokens") AS amount FROM "usage_hour" WHERE "key_id" = "key" AND "account_id" = part."account" AND budget_counts(part."models", "model")
                AND "at" >= part."whole" AND "at" < part."rest"
        ) AS spent;
        -- Who leaves may have been what a request was refused for.
        UPDATE "budget_spent" SET "spent_nano_usd" = "spent_nano_usd" + CASE WHEN part."joins" THEN moved ELSE -moved END,
            "refused_under_nano_usd" = CASE WHEN part."joins" THEN "refused_under_nano_usd" END
        WHERE "budget_id" = part."budget_id" AND "window_start" = part."first";
    END LOOP;
END
$$;
