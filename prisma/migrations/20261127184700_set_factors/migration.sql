-- Discounts and markups of deployments that administrators set, with who, when and why. Additive.

CREATE TABLE "set_factor" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "deployment" TEXT NOT NULL,
    "discount" TEXT,
    "markup" TEXT,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,
    "reason" TEXT,
    "withdrawn_at" TIMESTAMPTZ(3),
    "withdrawn_by" TEXT,

    CONSTRAINT "set_factor_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "set_factor_set_at_id_idx" ON "set_factor"("set_at", "id");
-- Of a deployment one begins at an instant.
CREATE UNIQUE INDEX "set_factor_one_at_an_instant" ON "set_factor"("deployment", "valid_from") WHERE "withdrawn_at" IS NULL;

-- Every catalog instance learns of one by the revision, as of a price.
CREATE TRIGGER "set_factor_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "set_factor"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();

-- A catalog of the release before knows none of these, and would have requests charged without them. To such a one a deployment is therefore closed
-- for as long as one holds or is to come: it reads the state 'factored' as closed, which catalogs that know of them pass over.
ALTER TABLE "held_deployment" DROP CONSTRAINT "held_deployment_state",
    ADD CONSTRAINT "held_deployment_state" CHECK ("state" IN ('draining', 'closed', 'factored')) NOT VALID;

CREATE FUNCTION "is_factored"("of_deployment" TEXT) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM "set_factor" AS "one"
        WHERE "one"."deployment" = "of_deployment" AND "one"."withdrawn_at" IS NULL
            AND ("one"."discount" IS NOT NULL OR "one"."markup" IS NOT NULL)
            AND NOT EXISTS (
                SELECT FROM "set_factor" AS "later"
                WHERE "later"."deployment" = "of_deployment" AND "later"."withdrawn_at" IS NULL
                    AND "later"."valid_from" > "one"."valid_from" AND "later"."valid_from" <= now()
            )
    )
$$;

CREATE FUNCTION "close_factored"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "of_deployment" TEXT := CASE WHEN TG_OP = 'DELETE' THEN OLD."deployment" ELSE NEW."deployment" END;
BEGIN
    IF "is_factored"("of_deployment") THEN
        INSERT INTO "held_deployment" ("deployment", "state", "reason", "held_by", "since")
        VALUES ("of_deployment", 'factored', 'a discount or markup is set, which this release does not know', 'tollgate', now())
        ON CONFLICT ("deployment") DO NOTHING;
    ELSE
        DELETE FROM "held_deployment" WHERE "deployment" = "of_deployment" AND "state" = 'factored';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER "set_factor_closes" AFTER INSERT OR UPDATE OR DELETE ON "set_factor"
    FOR EACH ROW EXECUTE FUNCTION "close_factored"();
-- Who opens a deployment takes the row away.
CREATE TRIGGER "held_deployment_stays_factored" AFTER DELETE ON "held_deployment"
    FOR EACH ROW EXECUTE FUNCTION "close_factored"();
