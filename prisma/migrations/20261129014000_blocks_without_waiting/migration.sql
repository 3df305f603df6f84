-- Blocks of days are made without a lock that late usage waits for: a block is marked as one that is being made, added up in one moment after that, and counts from then on
-- but for what was marked after that moment.

-- "making": by who makes the block, once for each time that it is tried. Whoever changes a row of it meanwhile marks it too: that mark is younger than the moment of its sums.
ALTER TABLE "usage_block_stale" ADD COLUMN "making" BOOLEAN NOT NULL DEFAULT false;

-- The lock of those who make the same block.
CREATE FUNCTION "usage_block_making"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended(format('usage_block_making %s %s %s %s', $3, extract(epoch FROM $4)::bigint, $2, $1), 0)
$$;

-- Whether a key was of another account too in these days: sums by day of names do not tell the accounts of a key apart, so it is read from its rows.
CREATE FUNCTION "usage_block_of_two"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
    SELECT $2 NOT IN ('', '*') AND EXISTS (SELECT FROM usage_hour AS h WHERE h.key_id = $2 AND h.account_id <> $1 AND h.at >= $4 AND h.at < $4 + $3 * interval '24 hours')
$$;

-- What a build holds, of one moment.
CREATE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "part" INTEGER := greatest(1, "length" / 4);
BEGIN
    IF "length" = 1 AND "key" IN ('', '*') THEN
        INSERT INTO usage_block_chart
        SELECT "current", h.model, h.provider, sum(h.requests), sum(h.unpriced), sum(h.input_tokens), sum(h.output_tokens), sum(h.cost_nano_usd), sum(h.failed),
            sum(h.cancelled), sum(h.cached_requests), sum(h.cached_input), sum(h.reasoning), sum_counts(h.latency), sum_counts(h.first_token), sum(h.streamed_tokens),
            sum(h.streamed_ms)
        FROM usage_block_hours("account", "key", "start", "start" + interval '24 hours') AS h GROUP BY h.model, h.provider ORDER BY h.model, h.provider;
    END IF;
    INSERT INTO usage_block_sum (build, dimension, name, place, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
    WITH parts AS MATERIALIZED (
        SELECT p.at, b.build FROM generate_series("start", "start" + ("length" - "part") * interval '24 hours', "part" * interval '24 hours') AS p (at)
        LEFT JOIN usage_block AS b ON "part" < "length" AND b.key_id = "key" AND b.account_id = "account" AND b.days = "part" AND b.at = p.at
            AND NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build)
    ),
    one AS (
        SELECT s.dimension, s.name, s.requests, s.unpriced, s.input_tokens, s.output_tokens, s.cost_nano_usd FROM parts JOIN usage_block_sum AS s USING (build)
        UNION ALL
        SELECT s.* FROM parts CROSS JOIN LATERAL usage_block_rows("account", "key", parts.at, parts.at + "part" * interval '24 hours') AS s WHERE parts.build IS NULL
    ),
    summed AS MATERIALIZED (
        SELECT o.dimension, o.name, sum(o.requests)::bigint AS requests, sum(o.unpriced)::bigint AS unpriced, sum(o.input_tokens)::bigint AS input_tokens,
            sum(o.output_tokens)::bigint AS output_tokens, sum(o.cost_nano_usd) AS cost_nano_usd
        FROM one AS o GROUP BY o.dimension, o.name
    ),
    placed AS (
        SELECT "current" AS build, s.dimension, s.name, CASE WHEN s.dimension = 'named' THEN coalesce(n.names, 0)
                ELSE row_number() OVER (PARTITION BY s.dimension ORDER BY s.cost_nano_usd DESC, s.requests DESC, s.name COLLATE "C") END AS place,
            s.requests, s.unpriced, s.input_tokens, s.output_tokens, s.cost_nano_usd
        FROM summed AS s LEFT JOIN (SELECT t.dimension, count(*) AS names FROM summed AS t GROUP BY t.dimension) AS n ON s.dimension = 'named' AND n.dimension = s.name
    )
    SELECT * FROM placed AS p ORDER BY p.dimension, p.place, p.name;
END $$;

-- Begins to make a block whose days have ended: it is there, and does not count. Returns the mark by which it is finished in another transaction; null: it counts, another makes it, or late
-- usage of the account is being stored, and it is put off. Whoever changes rows of ended days has the account's lock from there on until they have committed. This has it alone
-- until it has committed, and waits for nobody: who comes after that sees the mark, and who came before has committed, so that the sums hold what they changed.
CREATE FUNCTION "start_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "current" BIGINT;
    "mark" BIGINT;
    "is_alone" BOOLEAN;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a block of usage is begun only where each statement sees what was committed before it';
    END IF;
    IF NOT pg_try_advisory_xact_lock(usage_block_making("account", "key", "length", "start")) THEN
        RETURN NULL;
    END IF;
    "is_alone" := pg_try_advisory_xact_lock(usage_block_lock("account"));
    INSERT INTO usage_block AS b (key_id, account_id, days, at) VALUES ("key", "account", "length", "start") ON CONFLICT DO NOTHING RETURNING b.build INTO "current";
    IF "current" IS NULL THEN
        SELECT b.build INTO "current" FROM usage_block AS b WHERE b.key_id = "key" AND b.account_id = "account" AND b.days = "length" AND b.at = "start"
            AND EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build);
        IF "current" IS NULL THEN
            RETURN NULL;
        END IF;
    END IF;
    IF "is_alone" AND usage_block_of_two("account", "key", "length", "start") THEN
        DELETE FROM usage_block AS b WHERE b.build = "current";
        DELETE FROM usage_block_stale AS o WHERE o.build = "current";
        DELETE FROM usage_block_sum AS s WHERE s.build = "current";
        RETURN NULL;
    END IF;
    -- One mark is enough, and its age is what the block rests by; those of former tries tell how many there were.
    DELETE FROM usage_block_stale AS o WHERE o.build = "current" AND NOT o.making;
    INSERT INTO usage_block_stale (build, making) VALUES ("current", true) RETURNING id INTO "mark";
    RETURN CASE WHEN "is_alone" THEN "mark" END;
END $$;

-- Adds up a block that was begun, and has it count. It takes away the marks of its own moment, and no other: what was marked later stays stale. False: another makes it, or it is to be tried again.
CREATE FUNCTION "finish_usage_block"("mark" BIGINT) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "block" usage_block;
    "current" BIGINT;
BEGIN
    IF current_setting('transaction_isolation') <> 'repeatable read' THEN
        RAISE EXCEPTION 'a block of usage is added up only where all statements see one moment';
    END IF;
    -- Where the mark is gone another has made it since: what was changed after that may have left no mark that is younger than this moment.
    SELECT b.* INTO "block" FROM usage_block_stale AS o JOIN usage_block AS b USING (build) WHERE o.id = "mark";
    "current" := "block".build;
    IF "current" IS NULL OR NOT pg_try_advisory_xact_lock(usage_block_making("block".account_id, "block".key_id, "block".days, "block".at)) THEN
        RETURN FALSE;
    END IF;
    -- An error where another made it, or took it away, since this moment.
    UPDATE usage_block AS b SET days = b.days WHERE b.build = "current";
    IF usage_block_of_two("block".account_id, "block".key_id, "block".days, "block".at) THEN
        RETURN FALSE;
    END IF;
    DELETE FROM usage_block_sum AS s WHERE s.build = "current";
    DELETE FROM usage_block_chart AS c WHERE c.build = "current";
    PERFORM fill_usage_block("current", "block".account_id, "block".key_id, "block".days, "block".at);
    DELETE FROM usage_block_stale AS o WHERE o.build = "current";
    RETURN TRUE;
END $$;

-- As older releases call it, in one transaction that late usage waits for.
CREATE OR REPLACE FUNCTION "make_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "current" BIGINT;
    "former" BIGINT;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a block of usage is made only where each statement sees what was committed before it';
    END IF;
    PERFORM pg_advisory_xact_lock(usage_block_lock("account"));
    DELETE FROM usage_block AS b WHERE b.key_id = "key" AND b.account_id = "account" AND b.days = "length" AND b.at = "start"
        AND EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build) RETURNING b.build INTO "former";
    DELETE FROM usage_block_stale AS o WHERE o.build = "former";
    DELETE FROM usage_block_sum AS s WHERE s.build = "former";
    DELETE FROM usage_block_chart AS c WHERE c.build = "former";
    IF usage_block_of_two("account", "key", "length", "start") THEN
        RETURN FALSE;
    END IF;
    INSERT INTO usage_block AS b (key_id, account_id, days, at) VALUES ("key", "account", "length", "start") ON CONFLICT DO NOTHING RETURNING b.build INTO "current";
    IF "current" IS NULL THEN
        RETURN FALSE;
    END IF;
    PERFORM fill_usage_block("current", "account", "key", "length", "start");
    RETURN TRUE;
END $$;

-- Makes the blocks stale that a row of an account and a key belongs to. One that is marked already needs no other mark, but while it is made: each transaction has one of its own then.
CREATE OR REPLACE FUNCTION "outdate_usage_blocks_of"("account" TEXT, "key" TEXT, "time" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(usage_block_lock("account"));
    -- A statement of its own: it sees the block of whoever had the lock alone.
    INSERT INTO usage_block_stale (build)
    SELECT b.build FROM unnest('{1,4,16,64}'::int[]) AS block (days)
    CROSS JOIN to_timestamp(floor(extract(epoch FROM "time") / (86400 * block.days))::bigint * 86400 * block.days) AS start (at)
    CROSS JOIN LATERAL (
        SELECT m.build FROM usage_block AS m WHERE m.key_id = '' AND m.account_id = "account" AND m.days = block.days AND m.at = start.at
        UNION ALL SELECT m.build FROM usage_block AS m WHERE m.key_id = "key" AND m.days = block.days AND m.at = start.at
    ) AS b
    CROSS JOIN LATERAL (
        SELECT count(*) AS marks, count(*) FILTER (WHERE o.making) AS made, count(*) FILTER (WHERE NOT o.making AND o.xmin = pg_current_xact_id()::xid) AS own
        FROM usage_block_stale AS o WHERE o.build = b.build
    ) AS mark
    WHERE mark.own = 0 AND (mark.marks = 0 OR mark.made > 0);
END $$;

REVOKE EXECUTE ON FUNCTION "start_usage_block"(TEXT, TEXT, INTEGER, TIMESTAMPTZ) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION "finish_usage_block"(BIGINT) FROM PUBLIC;
