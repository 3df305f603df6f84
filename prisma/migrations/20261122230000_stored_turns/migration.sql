-- Responses that are kept, in parts that edge has encrypted. Partitioned by the day on which a turn was made: what is too old goes with its day.

CREATE TABLE "stored_turn" (
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "born_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "parts" INTEGER NOT NULL,
    "previous_id" TEXT,
    "previous_born_at" TIMESTAMPTZ(3),
    "raw_bytes" BIGINT NOT NULL,
    "item_ids" TEXT[] NOT NULL,
    "content" BYTEA NOT NULL,
    "removed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "stored_turn_pkey" PRIMARY KEY ("account_id", "id", "part", "born_at")
) PARTITION BY RANGE ("born_at");

CREATE INDEX "stored_turn_account_id_previous_id_idx" ON "stored_turn"("account_id", "previous_id");
CREATE INDEX "stored_turn_item_ids_idx" ON "stored_turn" USING GIN ("item_ids");

-- It is compressed before it is encrypted, after which nothing compresses it.
ALTER TABLE "stored_turn" ALTER COLUMN "content" SET STORAGE EXTERNAL;

-- Gives a day a partition of its own. False: it has one.
CREATE FUNCTION "add_stored_turn_day"("day" DATE) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT := to_char("day", '"stored_turn"_YYYY_MM_DD');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('stored_turn_partitions'));
    IF to_regclass("name") IS NOT NULL THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF "stored_turn" FOR VALUES FROM (%L) TO (%L)',
        "name", "day"::timestamp AT TIME ZONE 'UTC', ("day" + 1)::timestamp AT TIME ZONE 'UTC');
    EXECUTE format('ALTER TABLE %I ALTER COLUMN "content" SET STORAGE EXTERNAL', "name");
    RETURN TRUE;
END $$;

-- Drops the partitions of the days before this one, and returns their names.
CREATE FUNCTION "drop_stored_turn_days"("before" DATE) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('stored_turn_partitions'));
    FOR "name" IN
        SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '"stored_turn"'::regclass ORDER BY 1
    LOOP
        IF to_date(right("name", 10), 'YYYY_MM_DD') < "before" THEN
            EXECUTE format('DROP TABLE %I', "name");
            RETURN NEXT "name";
        END IF;
    END LOOP;
END $$;
