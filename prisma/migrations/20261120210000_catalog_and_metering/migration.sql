-- btree_gist lets one exclusion constraint compare a text (=) and a range (&&). It is a trusted extension: the database's owner may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE "price" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "model" TEXT NOT NULL,
    "input_pico" BIGINT NOT NULL,
    "output_pico" BIGINT NOT NULL,
    "cached_input_pico" BIGINT,
    "cache_write_5m_pico" BIGINT,
    "cache_write_1h_pico" BIGINT,
    "reasoning_pico" BIGINT,
    "audio_input_pico" BIGINT,
    "audio_output_pico" BIGINT,
    "per_request_pico" BIGINT,
    "long_context" JSONB NOT NULL DEFAULT '[]',
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "valid_to" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "price_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "price_interval" CHECK ("valid_to" IS NULL OR "valid_to" > "valid_from"),
    -- At any moment a model has at most one price. Deferred, so that one transaction may end a price and begin the next in any order.
    CONSTRAINT "price_no_overlap" EXCLUDE USING gist ("model" WITH =, tstzrange("valid_from", "valid_to") WITH &&) DEFERRABLE INITIALLY DEFERRED
);

CREATE UNIQUE INDEX "price_model_valid_from_key" ON "price"("model", "valid_from");

CREATE TABLE "catalog_revision" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "revision" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "catalog_revision_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "catalog_revision_one_row" CHECK ("id" = 1)
);

INSERT INTO "catalog_revision" DEFAULT VALUES;

-- A price cannot change unnoticed: whoever rates events compares the revision inside the transaction that stores them.
CREATE FUNCTION "count_price_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "catalog_revision" SET "revision" = "revision" + 1;
    RETURN NULL;
END $$;

CREATE TRIGGER "price_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "price"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();

CREATE TABLE "usage_event" (
    "id" UUID NOT NULL,
    "born_at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "requested_model" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "stream" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "estimated" BOOLEAN NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cached_input" BIGINT NOT NULL,
    "cache_write_5m" BIGINT NOT NULL,
    "cache_write_1h" BIGINT NOT NULL,
    "reasoning" BIGINT NOT NULL,
    "audio_input" BIGINT NOT NULL,
    "audio_output" BIGINT NOT NULL,
    "attempts" JSONB NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "first_token_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "lease" TEXT,
    "reported_by" TEXT NOT NULL,
    "price_id" UUID,
    "cost_nano_usd" BIGINT,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "usage_event_pkey" PRIMARY KEY ("id","born_at"),
    -- The partition key is a function of the id (the 48 bits of a UUIDv7 that hold epoch milliseconds), so the primary key makes the id
    -- alone unique over all partitions, whatever times two reporters of one event tell.
    CONSTRAINT "usage_event_born_with_id" CHECK (
        "born_at" = TIMESTAMPTZ 'epoch'
            + ('x' || substr(replace("id"::text, '-', ''), 1, 12))::bit(48)::bigint * INTERVAL '1 millisecond'
    ),
    CONSTRAINT "usage_event_priced_or_not" CHECK (("price_id" IS NULL) = ("cost_nano_usd" IS NULL))
) PARTITION BY RANGE ("born_at");

CREATE INDEX "usage_event_key_id_ended_at_idx" ON "usage_event"("key_id", "ended_at");
-- Few rows: events that wait for a price.
CREATE INDEX "usage_event_unpriced_idx" ON "usage_event"("id") WHERE "cost_nano_usd" IS NULL;

-- Months get partitions of their own ahead of time (by metering); what belongs to none of them is kept here.
CREATE TABLE "usage_event_default" PARTITION OF "usage_event" DEFAULT;

-- Gives a month (its first day) a partition of its own, with the rows that came before it was there. False: it has one.
CREATE FUNCTION "add_usage_event_month"("month" DATE) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT := 'usage_event_' || to_char("month", 'YYYY_MM');
    "from" TIMESTAMPTZ := "month"::timestamp AT TIME ZONE 'UTC';
    "to" TIMESTAMPTZ := ("month" + INTERVAL '1 month')::timestamp AT TIME ZONE 'UTC';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('usage_event_partitions'));
    IF to_regclass("name") IS NOT NULL THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE "usage_event" INCLUDING ALL)', "name");
    EXECUTE format('WITH moved AS (DELETE FROM "usage_event_default" WHERE "born_at" >= %L AND "born_at" < %L RETURNING *)
        INSERT INTO %I SELECT * FROM moved', "from", "to", "name");
    EXECUTE format('ALTER TABLE "usage_event" ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', "name", "from", "to");
    RETURN TRUE;
END $$;

-- Drops the partitions of the months before this one (its first day), and returns their names.
CREATE FUNCTION "drop_usage_event_months"("before" DATE) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('usage_event_partitions'));
    FOR "name" IN
        SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '"usage_event"'::regclass ORDER BY 1
    LOOP
        IF "name" ~ '^usage_event_\d{4}_\d{2}$' AND to_date(right("name", 7), 'YYYY_MM') < "before" THEN
            EXECUTE format('DROP TABLE %I', "name");
            RETURN NEXT "name";
        END IF;
    END LOOP;
END $$;

CREATE TABLE "usage_minute" (
    "key_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_minute_pkey" PRIMARY KEY ("key_id","at","model")
);

CREATE TABLE "usage_hour" (
    "key_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("key_id","at","model")
);

CREATE TABLE "quota_month" (
    "key_id" TEXT NOT NULL,
    "month" DATE NOT NULL,
    "used_tokens" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "quota_month_pkey" PRIMARY KEY ("key_id","month")
);

CREATE TABLE "quota_lease" (
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "edge_id" TEXT NOT NULL,
    "held_tokens" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "last_granted" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "quota_lease_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "quota_lease_held" CHECK ("held_tokens" >= 0)
);

CREATE INDEX "quota_lease_key_id_idx" ON "quota_lease"("key_id");
CREATE INDEX "quota_lease_expires_at_idx" ON "quota_lease"("expires_at");
