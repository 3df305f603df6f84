-- Histograms begin with their first bucket that counted something: the array's lower bound is its place, so a bucket has the same subscript as ever.
-- Rows from before begin with bucket 0; they stay as they are, and mix with the new ones.

-- Adds two histograms, bucket by bucket, from the first to the last that either has.
CREATE OR REPLACE FUNCTION "add_counts"(INTEGER[], INTEGER[]) RETURNS INTEGER[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "sum" INTEGER[] := '{}';
BEGIN
    IF cardinality($2) = 0 THEN
        RETURN $1;
    END IF;
    IF cardinality($1) = 0 THEN
        RETURN $2;
    END IF;
    FOR "bucket" IN least(array_lower($1, 1), array_lower($2, 1)) .. greatest(array_upper($1, 1), array_upper($2, 1)) LOOP
        "sum"["bucket"] := coalesce($1["bucket"], 0) + coalesce($2["bucket"], 0);
    END LOOP;
    RETURN "sum";
END $$;
