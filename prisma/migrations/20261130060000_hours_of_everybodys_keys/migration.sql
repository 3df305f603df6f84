-- What everybody's blocks hold for charts by key in days of any time zone: the hours of the hundred keys that cost most in the days of a block. They were read in the blocks of the accounts of these keys, one
-- account after the other, and in the rows of the keys where an account has too little usage for a block of a day.

-- Keys of a block of everybody that has their hours; none of the editions before.
CREATE FUNCTION "usage_block_top_keys"("current" BIGINT) RETURNS SETOF TEXT LANGUAGE sql STABLE AS $$
    SELECT s.name FROM usage_block AS b JOIN usage_block_model_sum AS s USING (build)
    WHERE b.build = $1 AND b.edition >= 4 AND b.key_id = '*' AND s.model = '*' AND s.dimension = 'key' AND s.place <= 100
$$;

-- What these keys used on each of so many days (counted since 1970), from its start up to each of its 24 hours, from the rows by hour.
CREATE FUNCTION "usage_block_key_hours"("keys" TEXT[], "start" TIMESTAMPTZ, "length" INTEGER)
RETURNS TABLE ("day" INTEGER, "until" INTEGER, "name" TEXT, "requests" BIGINT, "unpriced" BIGINT, "input_tokens" BIGINT, "output_tokens" BIGINT, "cost_nano_usd" NUMERIC, "failed" BIGINT, "cancelled" BIGINT, "cached_requests" BIGINT, "cached_input" BIGINT, "reasoning" BIGINT, "latency" INTEGER[], "first_token" INTEGER[], "streamed_tokens" BIGINT, "streamed_ms" BIGINT)
LANGUAGE sql STABLE AS $$
    WITH of_hour AS MATERIALIZED (
        SELECT k.name, d.day, (extract(epoch FROM h.at - d.at) / 3600)::int AS hour,
            sum(h.requests)::bigint AS requests, sum(h.unpriced)::bigint AS unpriced, sum(h.input_tokens)::bigint AS input_tokens, sum(h.output_tokens)::bigint AS output_tokens,
            sum(h.cost_nano_usd) AS cost_nano_usd, sum(h.failed)::bigint AS failed, sum(h.cancelled)::bigint AS cancelled, sum(h.cached_requests)::bigint AS cached_requests,
            sum(h.cached_input)::bigint AS cached_input, sum(h.reasoning)::bigint AS reasoning, sum_counts(h.latency) AS latency, sum_counts(h.first_token) AS first_token,
            sum(h.streamed_tokens)::bigint AS streamed_tokens, sum(h.streamed_ms)::bigint AS streamed_ms
        FROM unnest($1) AS k (name)
        CROSS JOIN LATERAL (SELECT g.at, (extract(epoch FROM g.at) / 86400)::int AS day FROM generate_series($2, $2 + ($3 - 1) * interval '24 hours', interval '24 hours') AS g (at)) AS d
        CROSS JOIN LATERAL (SELECT * FROM usage_hour AS u WHERE u.key_id = k.name AND u.at >= d.at AND u.at < d.at + interval '24 hours' OFFSET 0) AS h
        GROUP BY 1, 2, 3
    ),
    summed AS (
        SELECT l.day, u.until, l.name,
            (sum(o.requests) OVER first_hours)::bigint AS requests, (sum(o.unpriced) OVER first_hours)::bigint AS unpriced, (sum(o.input_tokens) OVER first_hours)::bigint AS input_tokens,
            (sum(o.output_tokens) OVER first_hours)::bigint AS output_tokens, sum(o.cost_nano_usd) OVER first_hours AS cost_nano_usd, (sum(o.failed) OVER first_hours)::bigint AS failed,
            (sum(o.cancelled) OVER first_hours)::bigint AS cancelled, (sum(o.cached_requests) OVER first_hours)::bigint AS cached_requests,
            (sum(o.cached_input) OVER first_hours)::bigint AS cached_input, (sum(o.reasoning) OVER first_hours)::bigint AS reasoning,
            sum_counts(coalesce(o.latency, '{}')) OVER first_hours AS latency, sum_counts(coalesce(o.first_token, '{}')) OVER first_hours AS first_token,
            (sum(o.streamed_tokens) OVER first_hours)::bigint AS streamed_tokens, (sum(o.streamed_ms) OVER first_hours)::bigint AS streamed_ms
        FROM (SELECT DISTINCT o.name, o.day FROM of_hour AS o) AS l CROSS JOIN generate_series(1, 24) AS u (until)
        LEFT JOIN of_hour AS o ON o.name = l.name AND o.day = l.day AND o.hour = u.until - 1
        WINDOW first_hours AS (PARTITION BY l.name, l.day ORDER BY u.until)
    )
    SELECT s.* FROM summed AS s WHERE s.requests > 0
$$;

-- As before, and of everybody's block the points of these keys, too.
CREATE OR REPLACE FUNCTION "usage_block_cuts"("current" BIGINT, "account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "points" TEXT) LANGUAGE sql STABLE AS $$
    WITH cut AS MATERIALIZED (
        SELECT c.until, c.until / 60 AS hour FROM unnest('{150,210,570,615,675,810,870,915,1050,1095,1110,1170,1230}'::int[]) AS c (until)
    ),
    minute AS MATERIALIZED (
        SELECT h.hour, (extract(epoch FROM m.at - $4) / 60)::int AS minute, m.* FROM (SELECT DISTINCT c.hour FROM cut AS c) AS h CROSS JOIN LATERAL (
            SELECT * FROM usage_minute AS m WHERE m.at >= $4 + h.hour * interval '1 hour' AND m.at < $4 + (h.hour + 1) * interval '1 hour' AND ($3 = '*' OR m.account_id = $2 AND m.key_id <> '*') OFFSET 0
        ) AS m LIMIT 100001
    ),
    top AS MATERIALIZED (SELECT t.name FROM usage_block_top_keys($1) AS t (name)),
    part AS NOT MATERIALIZED (
        SELECT m.hour, m.minute, of.dimension, of.name, of.model, of.provider, m.requests, m.unpriced, m.input_tokens, m.output_tokens, m.cost_nano_usd, m.failed, m.cancelled, m.cached_requests,
            m.cached_input, m.reasoning, m.latency, m.first_token, m.streamed_tokens, m.streamed_ms
        FROM minute AS m
        CROSS JOIN LATERAL (VALUES ('all', '', m.model, m.provider), ('all', '', '*', '*'), (CASE $3 WHEN '*' THEN 'account' ELSE 'key' END, CASE $3 WHEN '*' THEN m.account_id ELSE m.key_id END, '*', '*'),
            ('top', m.key_id, '*', '*')) AS told (dimension, name, model, provider)
        CROSS JOIN LATERAL (SELECT CASE told.dimension WHEN 'top' THEN 'key' ELSE told.dimension END AS dimension, told.name, told.model, told.provider) AS of
        WHERE CASE told.dimension WHEN 'top' THEN m.key_id IN (SELECT t.name FROM top AS t) ELSE $3 <> '*' OR (told.dimension = 'all') = (m.key_id = '*') END
    ),
    line AS MATERIALIZED (
        SELECT l.* FROM usage_block_line AS l WHERE l.build = $1 AND (l.until = 24 OR l.until IN (SELECT c.hour FROM cut AS c UNION SELECT c.hour + 1 FROM cut AS c))
        UNION ALL
        SELECT $1, k.until, 'key', k.name, '*', '*', k.requests, k.unpriced, k.input_tokens, k.output_tokens, k.cost_nano_usd, k.failed, k.cancelled, k.cached_requests, k.cached_input, k.reasoning,
            k.latency, k.first_token, k.streamed_tokens, k.streamed_ms
        FROM usage_block_key_hours(ARRAY(SELECT t.name FROM top AS t), $4, 1) AS k WHERE k.until IN (SELECT c.hour FROM cut AS c UNION SELECT c.hour + 1 FROM cut AS c)
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

-- As before, and of everybody's block the hours of these keys, too.
CREATE OR REPLACE FUNCTION "usage_block_sheets"("current" BIGINT, "account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
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
    ),
    few AS (SELECT FROM usage_block_model_sum AS s WHERE s.build = $1 AND s.model = '*' AND s.dimension = 'key' HAVING count(*) <= 12000)
    SELECT l.until * 60, l.dimension, l.name, l.model, l.provider, string_agg(l.point, '|' ORDER BY l.day) FROM line AS l
    WHERE l.dimension = 'all'
        OR l.dimension = 'key' AND $3 <> '*' AND (SELECT count(*) <= 500 FROM usage_block_sum AS s WHERE s.build = $1 AND s.dimension = 'key')
        OR l.dimension = 'key' AND $3 = '*' AND EXISTS (SELECT FROM few)
        OR l.dimension = 'account' AND (SELECT count(*) <= 500 FROM usage_block_model_sum AS s WHERE s.build = $1 AND s.model = '*' AND s.dimension = 'account')
    GROUP BY l.until, l.dimension, l.name, l.model, l.provider
    UNION ALL
    SELECT k.until * 60, 'key', k.name, '*', '*', string_agg(usage_block_point(k.day, ROW($1, k.until, 'key', k.name, '*', '*', k.requests, k.unpriced, k.input_tokens, k.output_tokens, k.cost_nano_usd,
        k.failed, k.cancelled, k.cached_requests, k.cached_input, k.reasoning, k.latency, k.first_token, k.streamed_tokens, k.streamed_ms)::usage_block_line), '|' ORDER BY k.day)
    FROM usage_block_key_hours(ARRAY(SELECT t.name FROM usage_block_top_keys($1) AS t (name)), $4, 16) AS k WHERE k.until < 24 AND EXISTS (SELECT FROM few) GROUP BY k.until, k.name
$$;

-- Edition 4: everybody's, with the hours of keys.
CREATE OR REPLACE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fill_usage_block_sums("current", "account", "key", "length", "start");
    DELETE FROM usage_block_points AS p WHERE p.build = "current";
    UPDATE usage_block AS b SET edition = CASE WHEN "key" = '*' AND "length" IN (1, 16) THEN 4 ELSE 3 END WHERE b.build = "current";
    IF "key" IN ('', '*') AND "length" = 1 THEN
        INSERT INTO usage_block_points SELECT "current", c.* FROM usage_block_cuts("current", "account", "key", "start") AS c ORDER BY c.until, c.dimension, c.name, c.model, c.provider;
    ELSIF "key" IN ('', '*') AND "length" = 16 THEN
        INSERT INTO usage_block_points SELECT "current", s.* FROM usage_block_sheets("current", "account", "key", "start") AS s ORDER BY s.until, s.dimension, s.name, s.model, s.provider;
    END IF;
END $$;

-- The same, also of a block that counts and is of an edition that lacks what its days and owner have.
CREATE OR REPLACE FUNCTION "start_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "current" BIGINT;
    "mark" BIGINT;
    "is_alone" BOOLEAN;
    "wanted" INTEGER := CASE WHEN "key" = '*' AND "length" IN (1, 16) THEN 4 WHEN "key" = '' AND "length" IN (1, 16) THEN 3 ELSE 2 END;
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
