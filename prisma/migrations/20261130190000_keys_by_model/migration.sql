-- What everybody's blocks of 16 days hold for charts of everybody of one model by key: points by hour of the fifty keys that cost most of each model, 2,000 of all models at most. They were read in the blocks of the accounts of these keys,
-- and where an account has too little usage for a block of its own, from the rows by hour of all days.

-- Of a block of everybody the keys that have points by model; none of the editions before. Rows of a key with fewer requests of a model are read as fast as points.
CREATE FUNCTION "usage_block_model_keys"("current" BIGINT) RETURNS TABLE ("model" TEXT, "name" TEXT) LANGUAGE sql STABLE AS $$
    SELECT placed.model, placed.key FROM (
        SELECT o.model, used.key, sum(used.requests) AS requests, sum(used.cost) AS cost,
            row_number() OVER (PARTITION BY o.model ORDER BY sum(used.cost) DESC, sum(used.requests) DESC, used.key COLLATE "C") AS place
        FROM usage_block AS b JOIN usage_block_owners AS o USING (build) CROSS JOIN LATERAL unnest(o.keys, o.requests, o.costs) AS used (key, requests, cost)
        WHERE b.build = $1 AND b.edition >= 6 AND b.key_id = '*' AND b.days = 16 GROUP BY o.model, used.key
    ) AS placed WHERE placed.place <= 50 AND placed.requests >= 32
    ORDER BY placed.cost DESC, placed.requests DESC, placed.key COLLATE "C", placed.model COLLATE "C" LIMIT 2000
$$;

-- Their points, from the rows by hour: on each of 16 days, from its start up to each of its 24 hours. None where there are so many keys that those of all models are not written either.
CREATE FUNCTION "usage_block_model_sheets"("current" BIGINT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "points" TEXT) LANGUAGE sql STABLE AS $$
    WITH few AS (SELECT FROM usage_block_model_sum AS s WHERE s.build = $1 AND s.model = '*' AND s.dimension = 'key' HAVING count(*) <= 12000),
    told AS MATERIALIZED (SELECT k.model, k.name FROM usage_block_model_keys($1) AS k WHERE EXISTS (SELECT FROM few)),
    of_hour AS MATERIALIZED (
        SELECT floor(extract(epoch FROM h.at) / 86400)::int AS day, extract(hour FROM h.at AT TIME ZONE 'UTC')::int AS hour, h.*
        FROM (SELECT DISTINCT t.name FROM told AS t) AS k
        CROSS JOIN LATERAL (SELECT * FROM usage_hour AS u WHERE u.key_id = k.name AND u.at >= $2 AND u.at < $2 + 16 * interval '24 hours' OFFSET 0) AS h
        JOIN told AS t ON t.name = h.key_id AND t.model = h.model
    ),
    summed AS (
        SELECT l.day, u.until, l.key_id, l.model, l.provider,
            (sum(o.requests) OVER first_hours)::bigint AS requests, (sum(o.unpriced) OVER first_hours)::bigint AS unpriced, (sum(o.input_tokens) OVER first_hours)::bigint AS input_tokens,
            (sum(o.output_tokens) OVER first_hours)::bigint AS output_tokens, sum(o.cost_nano_usd) OVER first_hours AS cost_nano_usd, (sum(o.failed) OVER first_hours)::bigint AS failed,
            (sum(o.cancelled) OVER first_hours)::bigint AS cancelled, (sum(o.cached_requests) OVER first_hours)::bigint AS cached_requests,
            (sum(o.cached_input) OVER first_hours)::bigint AS cached_input, (sum(o.reasoning) OVER first_hours)::bigint AS reasoning,
            sum_counts(coalesce(o.latency, '{}')) OVER first_hours AS latency, sum_counts(coalesce(o.first_token, '{}')) OVER first_hours AS first_token,
            (sum(o.streamed_tokens) OVER first_hours)::bigint AS streamed_tokens, (sum(o.streamed_ms) OVER first_hours)::bigint AS streamed_ms
        FROM (SELECT DISTINCT o.key_id, o.model, o.provider, o.day FROM of_hour AS o) AS l CROSS JOIN generate_series(1, 24) AS u (until)
        LEFT JOIN of_hour AS o ON o.key_id = l.key_id AND o.model = l.model AND o.provider = l.provider AND o.day = l.day AND o.hour = u.until - 1
        WINDOW first_hours AS (PARTITION BY l.key_id, l.model, l.provider, l.day ORDER BY u.until)
    )
    SELECT s.until * 60, 'key', s.key_id, s.model, s.provider, string_agg(usage_block_point(s.day, ROW($1, s.until, 'key', s.key_id, s.model, s.provider, s.requests, s.unpriced, s.input_tokens, s.output_tokens,
        s.cost_nano_usd, s.failed, s.cancelled, s.cached_requests, s.cached_input, s.reasoning, s.latency, s.first_token, s.streamed_tokens, s.streamed_ms)::usage_block_line), '|' ORDER BY s.day)
    FROM summed AS s WHERE s.requests > 0 GROUP BY s.until, s.key_id, s.model, s.provider
$$;

-- As before, and of everybody's block these points, too.
ALTER FUNCTION "usage_block_sheets"(BIGINT, TEXT, TEXT, TIMESTAMPTZ) RENAME TO "usage_block_sheets_of_all";
CREATE FUNCTION "usage_block_sheets"("current" BIGINT, "account" TEXT, "key" TEXT, "start" TIMESTAMPTZ)
RETURNS TABLE ("until" INTEGER, "dimension" TEXT, "name" TEXT, "model" TEXT, "provider" TEXT, "points" TEXT) LANGUAGE sql STABLE AS $$
    SELECT * FROM usage_block_sheets_of_all($1, $2, $3, $4) UNION ALL SELECT * FROM usage_block_model_sheets($1, $4) WHERE $3 = '*'
$$;

-- Edition 6: everybody's of 16 days, with these.
CREATE OR REPLACE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fill_usage_block_sums("current", "account", "key", "length", "start");
    DELETE FROM usage_block_points AS p WHERE p.build = "current";
    UPDATE usage_block AS b SET edition = CASE WHEN "key" <> '*' THEN 3 WHEN "length" = 16 THEN 6 ELSE 5 END WHERE b.build = "current";
    IF "key" = '*' THEN
        PERFORM fill_usage_block_owners("current", "length", "start");
    END IF;
    IF "key" IN ('', '*') AND "length" = 1 THEN
        INSERT INTO usage_block_points SELECT "current", c.* FROM usage_block_cuts("current", "account", "key", "start") AS c ORDER BY c.until, c.dimension, c.name, c.model, c.provider;
    ELSIF "key" IN ('', '*') AND "length" = 16 THEN
        INSERT INTO usage_block_points SELECT "current", s.* FROM usage_block_sheets("current", "account", "key", "start") AS s ORDER BY s.until, s.dimension, s.name, s.model, s.provider;
    END IF;
END $$;

-- Adds to a block of everybody of edition 5 what it lacks, and leaves the rest of it: it counts meanwhile. It counts in this moment, so its rows of this moment are what it was made of; whoever changes one
-- later marks it, as before. False: it does not count, another makes it, or nothing is lacking. An error where another made it, or took it away, since this moment.
CREATE FUNCTION "extend_usage_block"("extended" BIGINT) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "block" usage_block;
BEGIN
    IF current_setting('transaction_isolation') <> 'repeatable read' THEN
        RAISE EXCEPTION 'a block of usage is added to only where all statements see one moment';
    END IF;
    SELECT b.* INTO "block" FROM usage_block AS b WHERE b.build = "extended" AND b.edition = 5 AND b.key_id = '*' AND b.days = 16
        AND NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build);
    IF "block".build IS NULL OR NOT pg_try_advisory_xact_lock(usage_block_making("block".account_id, "block".key_id, "block".days, "block".at)) THEN
        RETURN FALSE;
    END IF;
    UPDATE usage_block AS b SET edition = 6 WHERE b.build = "extended";
    INSERT INTO usage_block_points SELECT "extended", s.* FROM usage_block_model_sheets("extended", "block".at) AS s ORDER BY s.until, s.dimension, s.name, s.model, s.provider;
    RETURN TRUE;
END $$;
REVOKE EXECUTE ON FUNCTION "extend_usage_block"(BIGINT) FROM PUBLIC;
