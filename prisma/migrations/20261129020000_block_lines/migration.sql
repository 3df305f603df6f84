-- What blocks of days hold for charts in any time zone, by key and by account, and for reports of one model. Blocks of before have none of it: they count as they did for what they hold, and
-- are made anew one by one.

-- 1: without lines and sums by model.
ALTER TABLE "usage_block" ADD COLUMN "edition" INTEGER NOT NULL DEFAULT 1;

-- Of a block of one day: the sums of its first hours, from its start up to "until" of its 24, so that those of a day of any time zone are differences. "dimension" all (the name is empty), key or account;
-- "model" and "provider" '*': of all. Of a key of an account: by the hour of all models, by model of the whole day. Of everybody: by account as these, by key of the whole day and of all models.
CREATE TABLE "usage_block_line" (
    "build" BIGINT NOT NULL,
    "until" INTEGER NOT NULL,
    "dimension" TEXT NOT NULL,
    "name" TEXT NOT NULL,
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

    CONSTRAINT "usage_block_line_pkey" PRIMARY KEY ("build", "until", "dimension", "name", "model", "provider")
);

-- As "usage_block_sum", of one model. Of everybody only by key and account, and of all models ('*').
CREATE TABLE "usage_block_model_sum" (
    "build" BIGINT NOT NULL,
    "model" TEXT NOT NULL,
    "dimension" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_block_model_sum_pkey" PRIMARY KEY ("build", "model", "dimension", "name")
);
CREATE INDEX "usage_block_model_sum_build_model_dimension_place_idx" ON "usage_block_model_sum"("build", "model", "dimension", "place");

-- What the block of a day has for charts, from the rows by hour.
CREATE FUNCTION "usage_block_lines"("account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "requests" BIGINT, "unpriced" BIGINT, "input_tokens" BIGINT, "output_tokens" BIGINT, "cost_nano_usd" NUMERIC, "failed" BIGINT, "cancelled" BIGINT, "cached_requests" BIGINT,
    "cached_input" BIGINT, "reasoning" BIGINT, "latency" INTEGER[], "first_token" INTEGER[], "streamed_tokens" BIGINT, "streamed_ms" BIGINT)
LANGUAGE sql STABLE AS $$
    WITH whole AS MATERIALIZED (
        SELECT (extract(epoch FROM h.at - $3) / 3600)::int AS hour, h.model, h.provider, sum(h.requests)::bigint AS requests, sum(h.unpriced)::bigint AS unpriced, sum(h.input_tokens)::bigint AS input_tokens, sum(h.output_tokens)::bigint AS output_tokens, sum(h.cost_nano_usd) AS cost_nano_usd,
            sum(h.failed)::bigint AS failed, sum(h.cancelled)::bigint AS cancelled, sum(h.cached_requests)::bigint AS cached_requests, sum(h.cached_input)::bigint AS cached_input, sum(h.reasoning)::bigint AS reasoning,
            sum_counts(h.latency) AS latency, sum_counts(h.first_token) AS first_token, sum(h.streamed_tokens)::bigint AS streamed_tokens, sum(h.streamed_ms)::bigint AS streamed_ms
        FROM usage_block_hours($1, $2, $3, $3 + interval '24 hours') AS h GROUP BY 1, 2, 3
    ),
    one AS MATERIALIZED (
        SELECT (extract(epoch FROM h.at - $3) / 3600)::int AS hour, CASE $2 WHEN '*' THEN 'account' ELSE 'key' END AS dimension,
            CASE $2 WHEN '*' THEN h.account_id ELSE h.key_id END AS name, h.*
        FROM usage_hour AS h WHERE h.at >= $3 AND h.at < $3 + interval '24 hours' AND h.key_id <> '*' AND $2 IN ('', '*') AND ($2 = '*' OR h.account_id = $1)
    ),
    of_hour AS MATERIALIZED (
        SELECT 'all' AS dimension, '' AS name, w.* FROM whole AS w
        UNION ALL SELECT 'all', '', w.hour, '*', '*', sum(w.requests)::bigint AS requests, sum(w.unpriced)::bigint AS unpriced, sum(w.input_tokens)::bigint AS input_tokens, sum(w.output_tokens)::bigint AS output_tokens, sum(w.cost_nano_usd) AS cost_nano_usd,
            sum(w.failed)::bigint AS failed, sum(w.cancelled)::bigint AS cancelled, sum(w.cached_requests)::bigint AS cached_requests, sum(w.cached_input)::bigint AS cached_input, sum(w.reasoning)::bigint AS reasoning,
            sum_counts(w.latency) AS latency, sum_counts(w.first_token) AS first_token, sum(w.streamed_tokens)::bigint AS streamed_tokens, sum(w.streamed_ms)::bigint AS streamed_ms
        FROM whole AS w GROUP BY w.hour
        UNION ALL SELECT o.dimension, o.name, o.hour, '*', '*', sum(o.requests)::bigint AS requests, sum(o.unpriced)::bigint AS unpriced, sum(o.input_tokens)::bigint AS input_tokens, sum(o.output_tokens)::bigint AS output_tokens, sum(o.cost_nano_usd) AS cost_nano_usd,
            sum(o.failed)::bigint AS failed, sum(o.cancelled)::bigint AS cancelled, sum(o.cached_requests)::bigint AS cached_requests, sum(o.cached_input)::bigint AS cached_input, sum(o.reasoning)::bigint AS reasoning,
            sum_counts(o.latency) AS latency, sum_counts(o.first_token) AS first_token, sum(o.streamed_tokens)::bigint AS streamed_tokens, sum(o.streamed_ms)::bigint AS streamed_ms
        FROM one AS o GROUP BY o.dimension, o.name, o.hour
    ),
    summed AS (
        SELECT u.until, l.dimension, l.name, l.model, l.provider, (sum(o.requests) OVER first_hours)::bigint AS requests, (sum(o.unpriced) OVER first_hours)::bigint AS unpriced, (sum(o.input_tokens) OVER first_hours)::bigint AS input_tokens, (sum(o.output_tokens) OVER first_hours)::bigint AS output_tokens, sum(o.cost_nano_usd) OVER first_hours AS cost_nano_usd,
            (sum(o.failed) OVER first_hours)::bigint AS failed, (sum(o.cancelled) OVER first_hours)::bigint AS cancelled, (sum(o.cached_requests) OVER first_hours)::bigint AS cached_requests, (sum(o.cached_input) OVER first_hours)::bigint AS cached_input, (sum(o.reasoning) OVER first_hours)::bigint AS reasoning,
            sum_counts(coalesce(o.latency, '{}')) OVER first_hours AS latency, sum_counts(coalesce(o.first_token, '{}')) OVER first_hours AS first_token, (sum(o.streamed_tokens) OVER first_hours)::bigint AS streamed_tokens, (sum(o.streamed_ms) OVER first_hours)::bigint AS streamed_ms
        FROM (SELECT DISTINCT o.dimension, o.name, o.model, o.provider FROM of_hour AS o) AS l CROSS JOIN generate_series(1, 24) AS u (until)
        LEFT JOIN of_hour AS o ON o.dimension = l.dimension AND o.name = l.name AND o.model = l.model AND o.provider = l.provider AND o.hour = u.until - 1
        WINDOW first_hours AS (PARTITION BY l.dimension, l.name, l.model, l.provider ORDER BY u.until)
    )
    SELECT s.* FROM summed AS s WHERE s.requests > 0
    UNION ALL SELECT 24, o.dimension, o.name, o.model, o.provider, sum(o.requests)::bigint AS requests, sum(o.unpriced)::bigint AS unpriced, sum(o.input_tokens)::bigint AS input_tokens, sum(o.output_tokens)::bigint AS output_tokens, sum(o.cost_nano_usd) AS cost_nano_usd,
            sum(o.failed)::bigint AS failed, sum(o.cancelled)::bigint AS cancelled, sum(o.cached_requests)::bigint AS cached_requests, sum(o.cached_input)::bigint AS cached_input, sum(o.reasoning)::bigint AS reasoning,
            sum_counts(o.latency) AS latency, sum_counts(o.first_token) AS first_token, sum(o.streamed_tokens)::bigint AS streamed_tokens, sum(o.streamed_ms)::bigint AS streamed_ms
    FROM one AS o GROUP BY o.dimension, o.name, o.model, o.provider
    UNION ALL SELECT 24, 'key', o.key_id, '*', '*', sum(o.requests)::bigint AS requests, sum(o.unpriced)::bigint AS unpriced, sum(o.input_tokens)::bigint AS input_tokens, sum(o.output_tokens)::bigint AS output_tokens, sum(o.cost_nano_usd) AS cost_nano_usd,
            sum(o.failed)::bigint AS failed, sum(o.cancelled)::bigint AS cancelled, sum(o.cached_requests)::bigint AS cached_requests, sum(o.cached_input)::bigint AS cached_input, sum(o.reasoning)::bigint AS reasoning,
            sum_counts(o.latency) AS latency, sum_counts(o.first_token) AS first_token, sum(o.streamed_tokens)::bigint AS streamed_tokens, sum(o.streamed_ms)::bigint AS streamed_ms
    FROM one AS o WHERE $2 = '*' GROUP BY o.key_id
$$;

-- What a block of days [from, to) has to hold of each model, from the rows by hour and day; of everybody by key and account, of all models.
CREATE FUNCTION "usage_block_model_rows"("account" TEXT, "key" TEXT, "from" TIMESTAMPTZ, "to" TIMESTAMPTZ)
RETURNS TABLE ("model" TEXT, "dimension" TEXT, "name" TEXT, "requests" BIGINT, "unpriced" BIGINT, "input_tokens" BIGINT, "output_tokens" BIGINT, "cost_nano_usd" NUMERIC)
LANGUAGE sql STABLE AS $$
    WITH of_key AS MATERIALIZED (
        SELECT one.key_id, one.model, sum(one.requests - one.cached_requests)::bigint AS requests, sum(one.unpriced)::bigint AS unpriced, sum(one.input_tokens)::bigint AS input_tokens, sum(one.output_tokens)::bigint AS output_tokens, sum(one.cost_nano_usd) AS cost_nano_usd
        FROM usage_block_hours($1, $2, $3, $4) AS one WHERE $2 <> '*' GROUP BY one.key_id, one.model
    ),
    slice AS MATERIALIZED (
        SELECT one.model, said.dimension, one.name, sum(one.requests)::bigint AS requests, sum(one.unpriced)::bigint AS unpriced, sum(one.input_tokens)::bigint AS input_tokens, sum(one.output_tokens)::bigint AS output_tokens, sum(one.cost_nano_usd) AS cost_nano_usd
        FROM (SELECT DISTINCT of_key.key_id FROM of_key) AS used CROSS JOIN unnest('{end_user,session,agent,tag,tagged}'::text[]) AS said (dimension)
        CROSS JOIN LATERAL (
            SELECT day.name, day.model, day.requests, day.unpriced, day.input_tokens, day.output_tokens, day.cost_nano_usd FROM usage_slice_day AS day
            WHERE day.key_id = used.key_id AND day.dimension = said.dimension AND day.at >= $3 AND day.at < $4 OFFSET 0
        ) AS one
        GROUP BY one.model, said.dimension, one.name
    ),
    everybody AS (
        SELECT owner.dimension, owner.name, sum(h.requests - h.cached_requests)::bigint AS requests, sum(h.unpriced)::bigint AS unpriced, sum(h.input_tokens)::bigint AS input_tokens, sum(h.output_tokens)::bigint AS output_tokens, sum(h.cost_nano_usd) AS cost_nano_usd
        FROM usage_hour AS h CROSS JOIN LATERAL (VALUES ('key', h.key_id), ('account', h.account_id)) AS owner (dimension, name)
        WHERE $2 = '*' AND h.at >= $3 AND h.at < $4 AND h.key_id <> '*' GROUP BY owner.dimension, owner.name
    )
    SELECT of_key.model, 'key', of_key.key_id, of_key.requests, of_key.unpriced, of_key.input_tokens, of_key.output_tokens, of_key.cost_nano_usd FROM of_key
    UNION ALL SELECT slice.* FROM slice WHERE slice.name <> ''
    UNION ALL SELECT slice.model, 'named', slice.dimension, sum(slice.requests)::bigint AS requests, sum(slice.unpriced)::bigint AS unpriced, sum(slice.input_tokens)::bigint AS input_tokens, sum(slice.output_tokens)::bigint AS output_tokens, sum(slice.cost_nano_usd) AS cost_nano_usd FROM slice GROUP BY slice.model, slice.dimension
    UNION ALL SELECT '*', everybody.* FROM everybody
$$;

-- What a build holds, of one moment. Longer blocks are made of those of a quarter of their days, and of rows where one does not count, or holds no sums by model.
CREATE OR REPLACE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "part" INTEGER := greatest(1, "length" / 4);
BEGIN
    DELETE FROM usage_block_sum AS s WHERE s.build = "current";
    DELETE FROM usage_block_model_sum AS s WHERE s.build = "current";
    DELETE FROM usage_block_chart AS c WHERE c.build = "current";
    DELETE FROM usage_block_line AS l WHERE l.build = "current";
    UPDATE usage_block AS b SET edition = 2 WHERE b.build = "current";
    IF "length" = 1 AND "key" IN ('', '*') THEN
        INSERT INTO usage_block_line SELECT "current", l.* FROM usage_block_lines("account", "key", "start") AS l
        ORDER BY l.until, l.dimension, l.name, l.model, l.provider;
        -- What older releases read.
        INSERT INTO usage_block_chart SELECT "current", l.model, l.provider, l.requests, l.unpriced, l.input_tokens, l.output_tokens, l.cost_nano_usd, l.failed, l.cancelled, l.cached_requests, l.cached_input, l.reasoning, l.latency, l.first_token, l.streamed_tokens, l.streamed_ms
        FROM usage_block_line AS l WHERE l.build = "current" AND l.until = 24 AND l.dimension = 'all' AND l.model <> '*';
    END IF;
    INSERT INTO usage_block_model_sum (build, model, dimension, name, place, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
    WITH parts AS MATERIALIZED (
        SELECT p.at, b.build FROM generate_series("start", "start" + ("length" - "part") * interval '24 hours', "part" * interval '24 hours') AS p (at)
        LEFT JOIN usage_block AS b ON "part" < "length" AND b.key_id = "key" AND b.account_id = "account" AND b.days = "part" AND b.at = p.at AND b.edition >= 2
            AND NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build)
    ),
    one AS (
        SELECT s.model, s.dimension, s.name, s.requests, s.unpriced, s.input_tokens, s.output_tokens, s.cost_nano_usd FROM parts JOIN usage_block_model_sum AS s USING (build)
        UNION ALL
        SELECT s.* FROM parts CROSS JOIN LATERAL usage_block_model_rows("account", "key", parts.at, parts.at + "part" * interval '24 hours') AS s WHERE parts.build IS NULL
    ),
    summed AS MATERIALIZED (
        SELECT o.model, o.dimension, o.name, sum(o.requests)::bigint AS requests, sum(o.unpriced)::bigint AS unpriced, sum(o.input_tokens)::bigint AS input_tokens, sum(o.output_tokens)::bigint AS output_tokens, sum(o.cost_nano_usd) AS cost_nano_usd
        FROM one AS o GROUP BY o.model, o.dimension, o.name
    ),
    placed AS (
        SELECT "current" AS build, s.model, s.dimension, s.name, CASE WHEN s.dimension = 'named' THEN (SELECT count(*) FROM summed AS t WHERE t.dimension = s.name AND t.model = s.model)
                ELSE row_number() OVER (PARTITION BY s.model, s.dimension ORDER BY s.cost_nano_usd DESC, s.requests DESC, s.name COLLATE "C") END AS place,
            s.requests, s.unpriced, s.input_tokens, s.output_tokens, s.cost_nano_usd
        FROM summed AS s
    )
    SELECT * FROM placed AS p ORDER BY p.model, p.dimension, p.place, p.name;
    IF "key" = '*' THEN
        -- What older releases compare it with.
        INSERT INTO usage_block_sum SELECT "current", r.dimension, r.name, 1, r.requests, r.unpriced, r.input_tokens, r.output_tokens, r.cost_nano_usd
        FROM usage_block_rows("account", "key", "start", "start" + "length" * interval '24 hours') AS r WHERE r.dimension = 'key';
        RETURN;
    END IF;
    INSERT INTO usage_block_sum (build, dimension, name, place, requests, unpriced, input_tokens, output_tokens, cost_nano_usd)
    WITH summed AS MATERIALIZED (
        SELECT s.dimension, s.name, sum(s.requests)::bigint AS requests, sum(s.unpriced)::bigint AS unpriced, sum(s.input_tokens)::bigint AS input_tokens, sum(s.output_tokens)::bigint AS output_tokens, sum(s.cost_nano_usd) AS cost_nano_usd FROM usage_block_model_sum AS s WHERE s.build = "current" GROUP BY s.dimension, s.name
    ),
    placed AS (
        SELECT "current" AS build, s.dimension, s.name, CASE WHEN s.dimension = 'named' THEN (SELECT count(*) FROM summed AS t WHERE t.dimension = s.name)
                ELSE row_number() OVER (PARTITION BY s.dimension ORDER BY s.cost_nano_usd DESC, s.requests DESC, s.name COLLATE "C") END AS place,
            s.requests, s.unpriced, s.input_tokens, s.output_tokens, s.cost_nano_usd
        FROM summed AS s
    )
    SELECT * FROM placed AS p ORDER BY p.dimension, p.place, p.name;
END $$;

-- What goes with a build.
CREATE FUNCTION "usage_block_gone"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM usage_block_model_sum AS s USING gone WHERE s.build = gone.build;
    DELETE FROM usage_block_line AS l USING gone WHERE l.build = gone.build;
    RETURN NULL;
END $$;
-- Whichever release removes a block.
CREATE TRIGGER "usage_block_gone" AFTER DELETE ON "usage_block" REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION "usage_block_gone"();

-- The same, also of a block that counts and is of the first edition.
CREATE OR REPLACE FUNCTION "start_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT
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
            AND (b.edition < 2 OR EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build));
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

-- Makes the blocks stale that a row of an account and a key belongs to, and everybody's, which hold every key's too.
CREATE OR REPLACE FUNCTION "outdate_usage_blocks_of"("account" TEXT, "key" TEXT, "time" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(usage_block_lock("account"));
    PERFORM pg_advisory_xact_lock_shared(usage_block_lock(''));
    -- A statement of its own: it sees the block of whoever had the lock alone.
    INSERT INTO usage_block_stale (build)
    SELECT b.build FROM unnest('{1,4,16,64}'::int[]) AS block (days)
    CROSS JOIN to_timestamp(floor(extract(epoch FROM "time") / (86400 * block.days))::bigint * 86400 * block.days) AS start (at)
    CROSS JOIN LATERAL (
        SELECT m.build FROM usage_block AS m WHERE m.key_id = '' AND m.account_id = "account" AND m.days = block.days AND m.at = start.at
        UNION ALL SELECT m.build FROM usage_block AS m WHERE m.key_id = "key" AND m.days = block.days AND m.at = start.at
        UNION ALL SELECT m.build FROM usage_block AS m WHERE "key" <> '*' AND m.key_id = '*' AND m.days = block.days AND m.at = start.at
    ) AS b
    CROSS JOIN LATERAL (
        SELECT count(*) AS marks, count(*) FILTER (WHERE o.making) AS made, count(*) FILTER (WHERE NOT o.making AND o.xmin = pg_current_xact_id()::xid) AS own
        FROM usage_block_stale AS o WHERE o.build = b.build
    ) AS mark
    WHERE mark.own = 0 AND (mark.marks = 0 OR mark.made > 0);
END $$;

-- Longer blocks of everybody are made from now on, those of the past too.
DELETE FROM "usage_block_made" WHERE "days" > 1;
