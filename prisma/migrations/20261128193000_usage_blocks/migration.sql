-- Sums of whole blocks of days, by end user, session, agent, tag and key, over all keys of an account or of one key; and of days for charts: what reports of long windows read in place of many
-- rows by day and hour. They are made when their days have ended, from those rows, which stay what counts: what is added to these later makes a block stale, in the
-- same transaction, whichever release adds it. A block that is stale, or was never made, is read from its rows.

-- "key_id" empty: of all keys of the account. "at": the start of its days (UTC), a multiple of "days" since 1970. Its sums are those of "build".
CREATE TABLE "usage_block" (
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "days" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "build" BIGSERIAL NOT NULL,

    CONSTRAINT "usage_block_pkey" PRIMARY KEY ("key_id", "account_id", "days", "at")
);
CREATE UNIQUE INDEX "usage_block_build_key" ON "usage_block"("build");

-- Builds whose rows were changed since: the blocks count no more. Rows are only added, so that nobody who adds late usage waits for another.
CREATE TABLE "usage_block_stale" (
    "id" BIGSERIAL NOT NULL,
    "build" BIGINT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_block_stale_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "usage_block_stale_build_idx" ON "usage_block_stale"("build");

-- "dimension" key: the whole of each key. Named, with a dimension as its name: all that says one, whether its name is told apart or not; its place is how many
-- names of it there are. Of names, the place is that by cost among those of the block.
CREATE TABLE "usage_block_sum" (
    "build" BIGINT NOT NULL,
    "dimension" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_block_sum_pkey" PRIMARY KEY ("build", "dimension", "name")
);
CREATE INDEX "usage_block_sum_build_dimension_place_idx" ON "usage_block_sum"("build", "dimension", "place");

-- What a block of one day holds for charts, as "usage_hour" has it: of an account, and of everybody (the key '*').
CREATE TABLE "usage_block_chart" (
    "build" BIGINT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,
    "failed" BIGINT NOT NULL,
    "cancelled" BIGINT NOT NULL,
    "cached_requests" BIGINT NOT NULL,
    "cached_input" BIGINT NOT NULL,
    "reasoning" BIGINT NOT NULL,
    "latency" INTEGER[] NOT NULL,
    "first_token" INTEGER[] NOT NULL,
    "streamed_tokens" BIGINT NOT NULL,
    "streamed_ms" BIGINT NOT NULL,

    CONSTRAINT "usage_block_chart_pkey" PRIMARY KEY ("build", "model", "provider")
);

-- Adds histograms up.
CREATE AGGREGATE "sum_counts"(INTEGER[]) (SFUNC = "add_counts", STYPE = INTEGER[], INITCOND = '{}');

-- Up to when blocks of so many days were made.
CREATE TABLE "usage_block_made" (
    "days" INTEGER NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "usage_block_made_pkey" PRIMARY KEY ("days")
);

-- The rows by hour of [from, to) of an account, or of one of its keys; of everybody with the account '' and the key '*'.
CREATE FUNCTION "usage_block_hours"("account" TEXT, "key" TEXT, "from" TIMESTAMPTZ, "to" TIMESTAMPTZ) RETURNS SETOF "usage_hour" LANGUAGE sql STABLE AS $$
    SELECT * FROM usage_hour WHERE $2 = '' AND account_id = $1 AND key_id <> '*' AND at >= $3 AND at < $4
    UNION ALL
    SELECT * FROM usage_hour WHERE $2 <> '' AND key_id = $2 AND account_id = $1 AND at >= $3 AND at < $4
$$;

-- What a block of days [from, to) has to hold, from the rows by hour and day.
CREATE FUNCTION "usage_block_rows"("account" TEXT, "key" TEXT, "from" TIMESTAMPTZ, "to" TIMESTAMPTZ)
RETURNS TABLE ("dimension" TEXT, "name" TEXT, "requests" BIGINT, "unpriced" BIGINT, "input_tokens" BIGINT, "output_tokens" BIGINT, "cost_nano_usd" NUMERIC)
LANGUAGE sql STABLE AS $$
    WITH of_key AS MATERIALIZED (
        SELECT one.key_id, sum(one.requests - one.cached_requests)::bigint AS requests, sum(one.unpriced)::bigint AS unpriced, sum(one.input_tokens)::bigint AS input_tokens,
            sum(one.output_tokens)::bigint AS output_tokens, sum(one.cost_nano_usd) AS cost_nano_usd
        FROM usage_block_hours($1, $2, $3, $4) AS one GROUP BY one.key_id
    ),
    slice AS MATERIALIZED (
        SELECT said.dimension, one.name, sum(one.requests)::bigint AS requests, sum(one.unpriced)::bigint AS unpriced, sum(one.input_tokens)::bigint AS input_tokens,
            sum(one.output_tokens)::bigint AS output_tokens, sum(one.cost_nano_usd) AS cost_nano_usd
        FROM of_key CROSS JOIN unnest('{end_user,session,agent,tag,tagged}'::text[]) AS said (dimension)
        CROSS JOIN LATERAL (
            SELECT day.name, day.requests, day.unpriced, day.input_tokens, day.output_tokens, day.cost_nano_usd FROM usage_slice_day AS day
            WHERE day.key_id = of_key.key_id AND day.dimension = said.dimension AND day.at >= $3 AND day.at < $4 OFFSET 0
        ) AS one
        GROUP BY said.dimension, one.name
    )
    SELECT 'key', of_key.* FROM of_key
    UNION ALL SELECT slice.* FROM slice WHERE slice.name <> ''
    UNION ALL SELECT 'named', slice.dimension, sum(slice.requests)::bigint, sum(slice.unpriced)::bigint, sum(slice.input_tokens)::bigint,
        sum(slice.output_tokens)::bigint, sum(slice.cost_nano_usd)
    FROM slice GROUP BY slice.dimension
$$;

-- The lock of an account's blocks. Accounts share 256: usage of days ago of thousands of accounts that one transaction stores (what waited for hours, or is stored again) must not
-- fill the table of locks.
CREATE FUNCTION "usage_block_lock"("account" TEXT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT hashtextextended('usage_block ' || (hashtextextended($1, 0) & 255)::text, 0)
$$;

-- Makes a block whose days have ended, from the blocks of a quarter of its days, and from the rows of those days that have none. False: it is there already. Whoever
-- changes rows of ended days holds the account's lock until they have committed: this sees what they changed, or they see the block.
CREATE FUNCTION "make_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "part" INTEGER := greatest(1, "length" / 4);
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
    -- Sums by day of names do not tell the accounts of a key apart: one that was of two, or of none in an old release, is read from its rows.
    IF "key" NOT IN ('', '*') AND EXISTS (SELECT FROM usage_hour AS h WHERE h.key_id = "key" AND h.account_id <> "account"
        AND h.at >= "start" AND h.at < "start" + "length" * interval '24 hours') THEN
        RETURN FALSE;
    END IF;
    INSERT INTO usage_block AS b (key_id, account_id, days, at) VALUES ("key", "account", "length", "start") ON CONFLICT DO NOTHING RETURNING b.build INTO "current";
    IF "current" IS NULL THEN
        RETURN FALSE;
    END IF;
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
    RETURN TRUE;
END $$;

-- Makes the blocks stale that a row of an account and a key belongs to.
CREATE FUNCTION "outdate_usage_blocks_of"("account" TEXT, "key" TEXT, "time" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
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
    WHERE NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build);
END $$;

-- Makes the blocks stale that a changed row belongs to. Rows of the last six hours are in none (metering makes them eight hours after their days), so that usage that
-- comes when it is used costs a comparison of times.
CREATE FUNCTION "outdate_usage_blocks"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'usage is changed only where each statement sees what was committed before it';
    END IF;
    IF TG_OP <> 'INSERT' THEN
        PERFORM outdate_usage_blocks_of(OLD.account_id, OLD.key_id, OLD.at);
    END IF;
    IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND (NEW.account_id, NEW.key_id, NEW.at) <> (OLD.account_id, OLD.key_id, OLD.at) THEN
        PERFORM outdate_usage_blocks_of(NEW.account_id, NEW.key_id, NEW.at);
    END IF;
    RETURN NULL;
END $$;

-- Rows by hour change with whatever changes those by day of names.
CREATE TRIGGER "usage_hour_outdates_blocks" AFTER INSERT ON "usage_hour" FOR EACH ROW
    WHEN (NEW."at" < now() - interval '6 hours') EXECUTE FUNCTION "outdate_usage_blocks"();
CREATE TRIGGER "usage_hour_changed_outdates_blocks" AFTER UPDATE ON "usage_hour" FOR EACH ROW
    WHEN (least(OLD."at", NEW."at") < now() - interval '6 hours') EXECUTE FUNCTION "outdate_usage_blocks"();
CREATE TRIGGER "usage_hour_removed_outdates_blocks" AFTER DELETE ON "usage_hour" FOR EACH ROW EXECUTE FUNCTION "outdate_usage_blocks"();

-- Nobody reads or makes blocks while all rows are removed at once: none is left.
CREATE FUNCTION "remove_usage_blocks"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM usage_block;
    DELETE FROM usage_block_stale;
    DELETE FROM usage_block_sum;
    DELETE FROM usage_block_chart;
    DELETE FROM usage_block_made;
    RETURN NULL;
END $$;
CREATE TRIGGER "usage_hour_emptied_removes_blocks" AFTER TRUNCATE ON "usage_hour" FOR EACH STATEMENT EXECUTE FUNCTION "remove_usage_blocks"();

REVOKE EXECUTE ON FUNCTION "make_usage_block"(TEXT, TEXT, INTEGER, TIMESTAMPTZ) FROM PUBLIC;
