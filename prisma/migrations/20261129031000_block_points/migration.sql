-- What blocks hold for long charts, and for days that begin within an hour (Kolkata's): points of a line, written out, many in a row of a table. A chart of a year by key reads a row for 16 days in
-- place of 16, and nobody formats its numbers again.

-- Of a block of 16 days: the sums of each of its days from its start up to the minute "until", of whole hours, of the lines that "usage_block_line" has. Of a block of one day: the same up to the
-- minutes at which a day begins in a time zone that is not whole hours from UTC, and of the whole day. "points": as "usage_block_point" writes them, with | between them.
CREATE TABLE "usage_block_points" (
    "build" BIGINT NOT NULL,
    "until" INTEGER NOT NULL,
    "dimension" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "points" TEXT NOT NULL,

    CONSTRAINT "usage_block_points_pkey" PRIMARY KEY ("build", "until", "dimension", "name", "model", "provider")
);

-- The sums of a line of a day, which is counted since 1970. Metering reads it (apps/metering/src/reports/written-points.ts).
CREATE FUNCTION "usage_block_point"("day" INTEGER, "line" "usage_block_line") RETURNS TEXT LANGUAGE sql STABLE AS $$
    SELECT concat_ws('/', $1, ($2).requests, ($2).failed, ($2).cancelled, ($2).cached_requests, ($2).unpriced, ($2).input_tokens, ($2).output_tokens, ($2).cached_input, ($2).reasoning,
        ($2).streamed_tokens, ($2).streamed_ms, ($2).cost_nano_usd, ($2).latency, ($2).first_token)
$$;

-- The points of a block of one day, from its lines and the rows by minute of the hours that are cut. None where these do not say of each line what the rows by hour say: they are kept for some months
-- only, and the row of an hour in which a key went to another account is that account's. None of more than 100,000 rows by minute either: to add them up may take longer than a statement may.
-- The minutes are those of all midnights of today's time zones (metering has the same).
CREATE FUNCTION "usage_block_cuts"("current" BIGINT, "account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "points" TEXT) LANGUAGE sql STABLE AS $$
    WITH cut AS MATERIALIZED (
        SELECT c.until, c.until / 60 AS hour FROM unnest('{150,210,570,615,675,810,870,915,1050,1095,1110,1170,1230}'::int[]) AS c (until)
    ),
    minute AS MATERIALIZED (
        SELECT h.hour, (extract(epoch FROM m.at - $4) / 60)::int AS minute, m.* FROM (SELECT DISTINCT c.hour FROM cut AS c) AS h CROSS JOIN LATERAL (
            SELECT * FROM usage_minute AS m WHERE m.at >= $4 + h.hour * interval '1 hour' AND m.at < $4 + (h.hour + 1) * interval '1 hour' AND ($3 = '*' OR m.account_id = $2 AND m.key_id <> '*') OFFSET 0
        ) AS m LIMIT 100001
    ),
    part AS NOT MATERIALIZED (
        SELECT m.hour, m.minute, of.dimension, of.name, of.model, of.provider, m.requests, m.unpriced, m.input_tokens, m.output_tokens, m.cost_nano_usd, m.failed, m.cancelled, m.cached_requests,
            m.cached_input, m.reasoning, m.latency, m.first_token, m.streamed_tokens, m.streamed_ms
        FROM minute AS m
        CROSS JOIN LATERAL (VALUES ('all', '', m.model, m.provider), ('all', '', '*', '*'), (CASE $3 WHEN '*' THEN 'account' ELSE 'key' END, CASE $3 WHEN '*' THEN m.account_id ELSE m.key_id END, '*', '*'))
            AS of (dimension, name, model, provider)
        WHERE $3 <> '*' OR (of.dimension = 'all') = (m.key_id = '*')
    ),
    line AS MATERIALIZED (
        SELECT l.* FROM usage_block_line AS l WHERE l.build = $1 AND (l.until = 24 OR l.until IN (SELECT c.hour FROM cut AS c UNION SELECT c.hour + 1 FROM cut AS c))
    ),
    missing AS (
        SELECT FROM minute HAVING count(*) > 100000
        UNION ALL
        SELECT FROM (
            SELECT h.hour, l.dimension, l.name, l.model, l.provider, CASE l.until WHEN h.hour THEN -l.requests ELSE l.requests END AS requests
            FROM (SELECT DISTINCT c.hour FROM cut AS c) AS h JOIN line AS l ON l.until IN (h.hour, h.hour + 1)
            UNION ALL SELECT p.hour, p.dimension, p.name, p.model, p.provider, -p.requests FROM part AS p
        ) AS of_hour GROUP BY of_hour.hour, of_hour.dimension, of_hour.name, of_hour.model, of_hour.provider HAVING sum(of_hour.requests) <> 0
    ),
    one AS (
        SELECT 1440 AS until, l.dimension, l.name, l.model, l.provider, l.requests, l.unpriced, l.input_tokens, l.output_tokens, l.cost_nano_usd, l.failed, l.cancelled, l.cached_requests,
            l.cached_input, l.reasoning, l.latency, l.first_token, l.streamed_tokens, l.streamed_ms
        FROM line AS l WHERE l.until = 24 AND l.dimension = 'all' AND l.model = '*'
        UNION ALL
        SELECT c.until, l.dimension, l.name, l.model, l.provider, l.requests, l.unpriced, l.input_tokens, l.output_tokens, l.cost_nano_usd, l.failed, l.cancelled, l.cached_requests,
            l.cached_input, l.reasoning, l.latency, l.first_token, l.streamed_tokens, l.streamed_ms
        FROM cut AS c JOIN line AS l ON l.until = c.hour
        UNION ALL
        SELECT c.until, p.dimension, p.name, p.model, p.provider, p.requests, p.unpriced, p.input_tokens, p.output_tokens, p.cost_nano_usd, p.failed, p.cancelled, p.cached_requests,
            p.cached_input, p.reasoning, p.latency, p.first_token, p.streamed_tokens, p.streamed_ms
        FROM cut AS c JOIN part AS p ON p.hour = c.hour AND p.minute < c.until
    )
    SELECT o.until, o.dimension, o.name, o.model, o.provider, usage_block_point((extract(epoch FROM $4) / 86400)::int, ROW($1, 0, '', '', '', '', sum(o.requests)::bigint, sum(o.unpriced)::bigint,
        sum(o.input_tokens)::bigint, sum(o.output_tokens)::bigint, sum(o.cost_nano_usd), sum(o.failed)::bigint, sum(o.cancelled)::bigint, sum(o.cached_requests)::bigint, sum(o.cached_input)::bigint,
        sum(o.reasoning)::bigint, sum_counts(o.latency), sum_counts(o.first_token), sum(o.streamed_tokens)::bigint, sum(o.streamed_ms)::bigint)::usage_block_line)
    FROM one AS o WHERE NOT EXISTS (SELECT FROM missing) GROUP BY o.until, o.dimension, o.name, o.model, o.provider
$$;

-- The points of a block of 16 days, from the lines of its days, and from rows where a day's block does not count, or there is none. Without keys, or everybody's accounts, where there are
-- more than 500, which may take longer to be written than a statement may; everybody's keys have one row each, in place of 24.
CREATE FUNCTION "usage_block_sheets"("current" BIGINT, "account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "points" TEXT) LANGUAGE sql STABLE AS $$
    WITH day AS MATERIALIZED (
        SELECT d.at, (extract(epoch FROM d.at) / 86400)::int AS day, b.build FROM generate_series($4, $4 + 15 * interval '24 hours', interval '24 hours') AS d (at)
        LEFT JOIN usage_block AS b ON b.key_id = $3 AND b.account_id = $2 AND b.days = 1 AND b.at = d.at AND b.edition >= 2
            AND NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build)
    ),
    line AS (
        SELECT day.day, l.until, l.dimension, l.name, l.model, l.provider, usage_block_point(day.day, l) AS point FROM day JOIN usage_block_line AS l USING (build)
        UNION ALL
        SELECT day.day, l.until, l.dimension, l.name, l.model, l.provider, usage_block_point(day.day, ROW($1, l.*)::usage_block_line)
        FROM day CROSS JOIN LATERAL usage_block_lines($2, $3, day.at) AS l WHERE day.build IS NULL
    )
    SELECT l.until * 60, l.dimension, l.name, l.model, l.provider, string_agg(l.point, '|' ORDER BY l.day) FROM line AS l
    WHERE l.dimension = 'all'
        OR l.dimension = 'key' AND $3 <> '*' AND (SELECT count(*) <= 500 FROM usage_block_sum AS s WHERE s.build = $1 AND s.dimension = 'key')
        OR l.dimension = 'key' AND $3 = '*' AND (SELECT count(*) <= 12000 FROM usage_block_model_sum AS s WHERE s.build = $1 AND s.model = '*' AND s.dimension = 'key')
        OR l.dimension = 'account' AND (SELECT count(*) <= 500 FROM usage_block_model_sum AS s WHERE s.build = $1 AND s.model = '*' AND s.dimension = 'account')
    GROUP BY l.until, l.dimension, l.name, l.model, l.provider
$$;

-- Edition 3: with points.
ALTER FUNCTION "fill_usage_block"(BIGINT, TEXT, TEXT, INTEGER, TIMESTAMPTZ) RENAME TO "fill_usage_block_sums";
CREATE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fill_usage_block_sums("current", "account", "key", "length", "start");
    DELETE FROM usage_block_points AS p WHERE p.build = "current";
    UPDATE usage_block AS b SET edition = 3 WHERE b.build = "current";
    IF "key" IN ('', '*') AND "length" = 1 THEN
        INSERT INTO usage_block_points SELECT "current", c.* FROM usage_block_cuts("current", "account", "key", "start") AS c ORDER BY c.until, c.dimension, c.name, c.model, c.provider;
    ELSIF "key" IN ('', '*') AND "length" = 16 THEN
        INSERT INTO usage_block_points SELECT "current", s.* FROM usage_block_sheets("current", "account", "key", "start") AS s ORDER BY s.until, s.dimension, s.name, s.model, s.provider;
    END IF;
END $$;

-- What goes with a build, the points too.
CREATE OR REPLACE FUNCTION "usage_block_gone"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM usage_block_model_sum AS s USING gone WHERE s.build = gone.build;
    DELETE FROM usage_block_line AS l USING gone WHERE l.build = gone.build;
    DELETE FROM usage_block_points AS p USING gone WHERE p.build = gone.build;
    RETURN NULL;
END $$;

-- The same, also of a block that counts and is of an edition that lacks what its days and owner have.
CREATE OR REPLACE FUNCTION "start_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "current" BIGINT;
    "mark" BIGINT;
    "is_alone" BOOLEAN;
    "wanted" INTEGER := CASE WHEN "key" IN ('', '*') AND "length" IN (1, 16) THEN 3 ELSE 2 END;
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
            AND (b.edition < "wanted" OR EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build));
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
