-- Conversations that callers keep here: their items, each encrypted by edge, in partitions of the day on which the conversation was last added to. What is too old goes with its day.
-- And how many bytes each account has stored on each day, of conversations and of responses. Additive: services of the former release know none of it.

CREATE TABLE "conversation" (
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "touched_at" TIMESTAMPTZ(3) NOT NULL,
    "day" DATE NOT NULL,
    "content" BYTEA NOT NULL,
    "next_ordinal" INTEGER NOT NULL DEFAULT 0,
    "raw_bytes" BIGINT NOT NULL DEFAULT 0,
    "lock_id" TEXT,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("account_id", "id")
);

CREATE INDEX "conversation_day_idx" ON "conversation"("day");

CREATE TABLE "conversation_item" (
    "account_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "part" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "item_id" TEXT NOT NULL,
    "parts" INTEGER NOT NULL,
    "raw_bytes" BIGINT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "conversation_item_pkey" PRIMARY KEY ("account_id", "conversation_id", "ordinal", "part", "day")
) PARTITION BY RANGE ("day");

CREATE INDEX "conversation_item_account_id_conversation_id_item_id_idx" ON "conversation_item"("account_id", "conversation_id", "item_id");

-- It is compressed before it is encrypted, after which nothing compresses it.
ALTER TABLE "conversation_item" ALTER COLUMN "content" SET STORAGE EXTERNAL;

CREATE TABLE "stored_bytes" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "stored_bytes_pkey" PRIMARY KEY ("account_id", "day")
);

CREATE INDEX "stored_bytes_day_idx" ON "stored_bytes"("day");

INSERT INTO "stored_bytes" ("account_id", "day", "bytes")
    SELECT "account_id", ("born_at" AT TIME ZONE 'UTC')::date, sum(octet_length("content"))
    FROM "stored_turn" GROUP BY 1, 2;

-- Counts a row where it is written and where it is removed, so that no way of doing either is forgotten. A partition that is dropped takes its days along, which metering then removes here.
CREATE FUNCTION "count_stored_bytes"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    "changed" RECORD;
    "stored_on" DATE;
    "sign" INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    IF TG_OP = 'INSERT' THEN "changed" := NEW; ELSE "changed" := OLD; END IF;
    IF TG_ARGV[0] = 'turn' THEN "stored_on" := ("changed"."born_at" AT TIME ZONE 'UTC')::date; ELSE "stored_on" := "changed"."day"; END IF;
    INSERT INTO "stored_bytes" VALUES ("changed"."account_id", "stored_on", "sign" * octet_length("changed"."content"))
        ON CONFLICT ("account_id", "day") DO UPDATE SET "bytes" = "stored_bytes"."bytes" + EXCLUDED."bytes";
    RETURN NULL;
END $$;

CREATE TRIGGER "stored_turn_bytes" AFTER INSERT OR DELETE ON "stored_turn"
    FOR EACH ROW EXECUTE FUNCTION "count_stored_bytes"('turn');
CREATE TRIGGER "conversation_item_bytes" AFTER INSERT OR DELETE ON "conversation_item"
    FOR EACH ROW EXECUTE FUNCTION "count_stored_bytes"('item');

-- Gives a day a partition of its own. False: it has one.
CREATE FUNCTION "add_conversation_item_day"("day" DATE) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT := to_char("day", '"conversation_item"_YYYY_MM_DD');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('conversation_item_partitions'));
    IF to_regclass("name") IS NOT NULL THEN
        RETURN FALSE;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF "conversation_item" FOR VALUES FROM (%L) TO (%L)', "name", "day", "day" + 1);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN "content" SET STORAGE EXTERNAL', "name");
    RETURN TRUE;
END $$;

-- Drops the partitions of the days before this one, and returns their names.
CREATE FUNCTION "drop_conversation_item_days"("before" DATE) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    "name" TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('conversation_item_partitions'));
    FOR "name" IN
        SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '"conversation_item"'::regclass ORDER BY 1
    LOOP
        IF to_date(right("name", 10), 'YYYY_MM_DD') < "before" THEN
            EXECUTE format('DROP TABLE %I', "name");
            RETURN NEXT "name";
        END IF;
    END LOOP;
END $$;

-- They make and drop tables, which the role of metering may not: they run as the owner of the tables.
ALTER FUNCTION "add_conversation_item_day"(DATE) SECURITY DEFINER SET search_path = public, pg_temp;
ALTER FUNCTION "drop_conversation_item_days"(DATE) SECURITY DEFINER SET search_path = public, pg_temp;
REVOKE EXECUTE ON FUNCTION "add_conversation_item_day"(DATE), "drop_conversation_item_days"(DATE) FROM PUBLIC;
