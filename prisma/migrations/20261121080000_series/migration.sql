-- Sums for charts: by provider and account too, how requests ended, and how long they took. Rows with the key '*' hold the sums of all keys.

-- Adds two histograms, bucket by bucket; the shorter one counts as filled up with zeros.
CREATE FUNCTION "add_counts"(INTEGER[], INTEGER[]) RETURNS INTEGER[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN cardinality($2) = 0 THEN $1
        WHEN cardinality($1) = 0 THEN $2
        ELSE (SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY i) FROM unnest($1, $2) WITH ORDINALITY AS pair (a, b, i))
    END
$$;

ALTER TABLE "usage_hour"
    ADD COLUMN "provider" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "account_id" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "failed" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "cancelled" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "cached_input" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "reasoning" BIGINT NOT NULL DEFAULT 0,
    ADD COLUMN "latency" INTEGER[] NOT NULL DEFAULT '{}',
    ADD COLUMN "first_token" INTEGER[] NOT NULL DEFAULT '{}',
    DROP CONSTRAINT "usage_hour_pkey",
    ADD CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("key_id", "at", "model", "provider");

CREATE INDEX "usage_hour_account_id_at_idx" ON "usage_hour"("account_id", "at");
CREATE INDEX "usage_hour_at_idx" ON "usage_hour" USING BRIN ("at") WITH (pages_per_range = 16, autosummarize = on);

-- Minutes are many, and nobody looks at old ones: they lie in months, which are dropped whole.
ALTER TABLE "usage_minute" RENAME TO "usage_minute_before";
ALTER TABLE "usage_minute_before" RENAME CONSTRAINT "usage_minute_pkey" TO "usage_minute_before_pkey";

CREATE TABLE "usage_minute" (
    "key_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,
    "provider" TEXT NOT NULL DEFAULT '',
    "account_id" TEXT NOT NULL DEFAULT '',
    "failed" BIGINT NOT NULL DEFAULT 0,
    "cancelled" BIGINT NOT NULL DEFAULT 0,
    "cached_input" BIGINT NOT NULL DEFAULT 0,
    "reasoning" BIGINT NOT NULL DEFAULT 0,
    "latency" INTEGER[] NOT NULL DEFAULT '{}',
    "first_token" INTEGER[] NOT NULL DEFAULT '{}',

    CONSTRAINT "usage_minute_pkey" PRIMARY KEY ("key_id", "at", "model", "provider")
) PARTITION BY RANGE ("at");

CREATE INDEX "usage_minute_account_id_at_idx" ON "usage_minute"("account_id", "at");
CREATE INDEX "usage_minute_at_idx" ON "usage_minute" USING BRIN ("at") WITH (pages_per_range = 16, autosummarize = on);
CREATE TABLE "usage_minute_default" PARTITION OF "usage_minute" DEFAULT;

INSERT INTO "usage_minute" ("key_id", "at", "model", "requests", "unpriced", "input_tokens", "output_tokens", "cost_nano_usd")
    SELECT "key_id", "at", "model", "requests", "unpriced", "input_tokens", "output_tokens", "cost_nano_usd" FROM "usage_minute_before";
DROP TABLE "usage_minute_before";

-- As add_usage_event_month and drop_usage_event_months did, for every table that lies in months. "column" is what it is partitioned by.
DROP FUNCTION "add_usage_event_month"(DATE);
DROP FUNCTION "drop_usage_event_months"(DATE);

-- Gives a month (its first day) a partition of its own, with the rows that came before it was there. False: it has one.
CREATE FUNCTION "add_month"("table" TEXT, "column" TEXT, "month" DATE) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT := "table" || to_char("month", '_YYYY_MM');
    "from" TIMESTAMPTZ := "month"::timestamp AT TIME ZONE 'UTC';
    "to" TIMESTAMPTZ := ("month" + INTERVAL '1 month')::timestamp AT TIME ZONE 'UTC';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('usage_event_partitions'));
    IF to_regclass("name") IS NOT NULL THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', "name", "table");
    EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
        "table" || '_default', "column", "from", "column", "to", "name");
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', "table", "name", "from", "to");
    RETURN TRUE;
END $$;

-- Drops the partitions of the months before this one (its first day), and returns their names.
CREATE FUNCTION "drop_months"("table" TEXT, "before" DATE) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('usage_event_partitions'));
    FOR "name" IN
        SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = to_regclass("table") ORDER BY 1
    LOOP
        IF "name" ~ ('^' || "table" || '_\d{4}_\d{2}$') AND to_date(right("name", 7), 'YYYY_MM') < "before" THEN
            EXECUTE format('DROP TABLE %I', "name");
            RETURN NEXT "name";
        END IF;
    END LOOP;
END $$;
