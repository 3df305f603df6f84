-- Who is near the limit of a budget that each end user or tag has alone: the name itself, to which threshold it has come, of which of these people were told, and under which limit. Additive.

ALTER TABLE "budget_name_spent"
    ADD COLUMN "name" TEXT,
    ADD COLUMN "reached_percent" SMALLINT NOT NULL DEFAULT 0,
    ADD COLUMN "told_percent" SMALLINT NOT NULL DEFAULT 0,
    ADD COLUMN "reached_under_nano_usd" BIGINT;

-- The highest of the thresholds, in percent of a limit, that so much has come to; 0: none.
CREATE FUNCTION "budget_threshold"("spent" NUMERIC, "limit_nano_usd" BIGINT) RETURNS SMALLINT
LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN "limit_nano_usd" <= 0 THEN 0
        WHEN "spent" >= "limit_nano_usd" THEN 100
        WHEN "spent" * 100 >= "limit_nano_usd"::numeric * 80 THEN 80
        WHEN "spent" * 100 >= "limit_nano_usd"::numeric * 50 THEN 50
        ELSE 0 END::smallint
$$;

-- Whether a mail is due that tells of names which came to a threshold of a budget, and when the last one was written.
CREATE TABLE "budget_name_mail" (
    "budget_id" UUID NOT NULL,
    "is_due" BOOLEAN NOT NULL,
    "mailed_at" TIMESTAMPTZ(3),

    CONSTRAINT "budget_name_mail_pkey" PRIMARY KEY ("budget_id")
);
ALTER TABLE "budget_name_mail" ADD CONSTRAINT "budget_name_mail_budget_id_fkey" FOREIGN KEY ("budget_id") REFERENCES "budget"("id") ON DELETE CASCADE ON UPDATE CASCADE;
