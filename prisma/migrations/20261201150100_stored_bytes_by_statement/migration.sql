-- What an account has stored is counted once a statement, and no longer once a row: each row that one transaction removed made another version of the same row
-- of "stored_bytes", through all of which the next one looked for it, so that to remove a conversation of 15,000 items took longer than a statement may. Old
-- and new ways count the same: a metering of the release before notices nothing. A statement that changed no row writes none.
DROP TRIGGER "stored_turn_bytes" ON "stored_turn";
DROP TRIGGER "conversation_item_bytes" ON "conversation_item";

CREATE OR REPLACE FUNCTION "count_stored_bytes"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    "sign" INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    -- In order, so that two that count for the same accounts never wait for each other.
    IF TG_ARGV[0] = 'turn' THEN
        INSERT INTO "stored_bytes"
            SELECT "account_id", ("born_at" AT TIME ZONE 'UTC')::date, "sign" * sum(octet_length("content"))
            FROM "changed" GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT ("account_id", "day") DO UPDATE SET "bytes" = "stored_bytes"."bytes" + EXCLUDED."bytes";
    ELSE
        INSERT INTO "stored_bytes"
            SELECT "account_id", "day", "sign" * sum(octet_length("content"))
            FROM "changed" GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT ("account_id", "day") DO UPDATE SET "bytes" = "stored_bytes"."bytes" + EXCLUDED."bytes";
    END IF;
    RETURN NULL;
END $$;

-- Items that move to another day take their bytes along.
CREATE FUNCTION "move_stored_bytes"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "stored_bytes"
        SELECT "account_id", "day", sum("bytes") FROM (
            SELECT "account_id", "day", octet_length("content") AS "bytes" FROM "new"
            UNION ALL SELECT "account_id", "day", -octet_length("content") FROM "old"
        ) AS "moved" GROUP BY 1, 2 HAVING sum("bytes") <> 0 ORDER BY 1, 2
        ON CONFLICT ("account_id", "day") DO UPDATE SET "bytes" = "stored_bytes"."bytes" + EXCLUDED."bytes";
    RETURN NULL;
END $$;

CREATE TRIGGER "stored_turn_kept" AFTER INSERT ON "stored_turn"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_stored_bytes"('turn');
CREATE TRIGGER "stored_turn_removed" AFTER DELETE ON "stored_turn"
    REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_stored_bytes"('turn');
CREATE TRIGGER "conversation_item_kept" AFTER INSERT ON "conversation_item"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_stored_bytes"('item');
CREATE TRIGGER "conversation_item_removed" AFTER DELETE ON "conversation_item"
    REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_stored_bytes"('item');
CREATE TRIGGER "conversation_item_moved" AFTER UPDATE ON "conversation_item"
    REFERENCING OLD TABLE AS "old" NEW TABLE AS "new" FOR EACH STATEMENT EXECUTE FUNCTION "move_stored_bytes"();
