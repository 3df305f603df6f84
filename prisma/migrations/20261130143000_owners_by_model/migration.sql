-- What each key and account used of one model, for finding who used most of it: in everybody's blocks of days, and in hours of the last days that have ended. It was found in all rows by hour of the window.

-- Of everybody's blocks: what each key used in each account. The arrays have a place for each of these pairs. "requests" are those that the response cache did not answer.
CREATE TABLE "usage_block_owners" (
    "build" BIGINT NOT NULL,
    "model" TEXT NOT NULL,
    "keys" TEXT[] NOT NULL,
    "accounts" TEXT[] NOT NULL,
    "requests" BIGINT[] NOT NULL,
    "costs" DECIMAL(38,0)[] NOT NULL,

    CONSTRAINT "usage_block_owners_pkey" PRIMARY KEY ("build", "model")
);

-- The same of the hours of "usage_ended_hours". "seen": the versions of the rows by hour of everybody of this model that it was made of. Its own, and in a table of its own: a release of before makes
-- those of all models anew, and knows none of these.
CREATE TABLE "usage_ended_owners" (
    "model" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "hours" INTEGER NOT NULL,
    "seen" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "keys" TEXT[] NOT NULL,
    "accounts" TEXT[] NOT NULL,
    "requests" BIGINT[] NOT NULL,
    "costs" DECIMAL(38,0)[] NOT NULL,

    CONSTRAINT "usage_ended_owners_pkey" PRIMARY KEY ("model", "at", "hours")
);

-- What each key used of each model in each account, from the rows by hour.
CREATE FUNCTION "usage_block_owner_rows"("from" TIMESTAMPTZ, "to" TIMESTAMPTZ)
RETURNS TABLE ("model" TEXT, "key" TEXT, "account" TEXT, "requests" BIGINT, "cost" NUMERIC) LANGUAGE sql STABLE AS $$
    SELECT h.model, h.key_id, h.account_id, sum(h.requests - h.cached_requests)::bigint, sum(h.cost_nano_usd)
    FROM usage_hour AS h WHERE h.at >= $1 AND h.at < $2 AND h.key_id <> '*' GROUP BY h.model, h.key_id, h.account_id
$$;

-- The same as a build of everybody holds it: from the blocks of a quarter of its days, and from rows where one does not count, or is of an edition before. Accounts beside each other take less disk.
CREATE FUNCTION "fill_usage_block_owners"("current" BIGINT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "part" INTEGER := greatest(1, "length" / 4);
BEGIN
    DELETE FROM usage_block_owners AS o WHERE o.build = "current";
    INSERT INTO usage_block_owners (build, model, keys, accounts, requests, costs)
    WITH parts AS MATERIALIZED (
        SELECT p.at, b.build FROM generate_series("start", "start" + ("length" - "part") * interval '24 hours', "part" * interval '24 hours') AS p (at)
        LEFT JOIN usage_block AS b ON "part" < "length" AND b.key_id = '*' AND b.account_id = '' AND b.days = "part" AND b.at = p.at AND b.edition >= 5
            AND NOT EXISTS (SELECT FROM usage_block_stale AS o WHERE o.build = b.build)
    ),
    one AS (
        SELECT o.model, used.* FROM parts JOIN usage_block_owners AS o USING (build) CROSS JOIN LATERAL unnest(o.keys, o.accounts, o.requests, o.costs) AS used (key, account, requests, cost)
        UNION ALL
        SELECT r.* FROM parts CROSS JOIN LATERAL usage_block_owner_rows(parts.at, parts.at + "part" * interval '24 hours') AS r WHERE parts.build IS NULL
    ),
    summed AS (
        SELECT o.model, o.key, o.account, sum(o.requests)::bigint AS requests, sum(o.cost) AS cost FROM one AS o
        GROUP BY o.model, o.key, o.account ORDER BY o.model, o.account, o.key
    )
    SELECT "current", s.model, array_agg(s.key), array_agg(s.account), array_agg(s.requests), array_agg(s.cost) FROM summed AS s GROUP BY s.model;
END $$;

-- Edition 5: everybody's of all lengths, with these.
CREATE OR REPLACE FUNCTION "fill_usage_block"("current" BIGINT, "account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM fill_usage_block_sums("current", "account", "key", "length", "start");
    DELETE FROM usage_block_points AS p WHERE p.build = "current";
    UPDATE usage_block AS b SET edition = CASE "key" WHEN '*' THEN 5 ELSE 3 END WHERE b.build = "current";
    IF "key" = '*' THEN
        PERFORM fill_usage_block_owners("current", "length", "start");
    END IF;
    IF "key" IN ('', '*') AND "length" = 1 THEN
        INSERT INTO usage_block_points SELECT "current", c.* FROM usage_block_cuts("current", "account", "key", "start") AS c ORDER BY c.until, c.dimension, c.name, c.model, c.provider;
    ELSIF "key" IN ('', '*') AND "length" = 16 THEN
        INSERT INTO usage_block_points SELECT "current", s.* FROM usage_block_sheets("current", "account", "key", "start") AS s ORDER BY s.until, s.dimension, s.name, s.model, s.provider;
    END IF;
END $$;

-- What goes with a build, these too.
CREATE OR REPLACE FUNCTION "usage_block_gone"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM usage_block_model_sum AS s USING gone WHERE s.build = gone.build;
    DELETE FROM usage_block_line AS l USING gone WHERE l.build = gone.build;
    DELETE FROM usage_block_points AS p USING gone WHERE p.build = gone.build;
    DELETE FROM usage_block_owners AS o USING gone WHERE o.build = gone.build;
    RETURN NULL;
END $$;

-- The same, also of a block that counts and is of an edition that lacks what its days and owner have.
CREATE OR REPLACE FUNCTION "start_usage_block"("account" TEXT, "key" TEXT, "length" INTEGER, "start" TIMESTAMPTZ) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    "current" BIGINT;
    "mark" BIGINT;
    "is_alone" BOOLEAN;
    "wanted" INTEGER := CASE WHEN "key" = '*' THEN 5 WHEN "key" = '' AND "length" IN (1, 16) THEN 3 ELSE 2 END;
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
