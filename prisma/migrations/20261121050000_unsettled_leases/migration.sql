CREATE TABLE "unsettled_lease" (
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "edge_id" TEXT NOT NULL,
    "held_tokens" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "unsettled_lease_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "unsettled_lease_ended_at_idx" ON "unsettled_lease"("ended_at");

-- A lease may end in several statements (a sweep, a grant to another edge): whoever removes one that still holds tokens leaves a line here,
-- in the same transaction, so that a reservation whose usage event never came cannot disappear.
CREATE FUNCTION "keep_unsettled_lease"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "unsettled_lease" ("id", "key_id", "edge_id", "held_tokens", "expires_at")
    VALUES (OLD."id", OLD."key_id", OLD."edge_id", OLD."held_tokens", OLD."expires_at")
    -- An edge may begin a lease of the same id again after the first ran out.
    ON CONFLICT ("id") DO UPDATE SET
        "held_tokens" = "unsettled_lease"."held_tokens" + excluded."held_tokens",
        "expires_at" = excluded."expires_at", "ended_at" = excluded."ended_at";
    RETURN NULL;
END $$;

CREATE TRIGGER "lease_ended" AFTER DELETE ON "quota_lease"
    FOR EACH ROW WHEN (OLD."held_tokens" > 0) EXECUTE FUNCTION "keep_unsettled_lease"();
