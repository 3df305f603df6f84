-- Prices that administrators set, with who, when and why. Additive.

CREATE TABLE "set_price" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "model" TEXT NOT NULL,
    "prices" JSONB,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,
    "reason" TEXT,
    "withdrawn_at" TIMESTAMPTZ(3),
    "withdrawn_by" TEXT,

    CONSTRAINT "set_price_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "set_price_set_at_id_idx" ON "set_price"("set_at", "id");
-- Of a model one price begins at an instant.
CREATE UNIQUE INDEX "set_price_one_at_an_instant" ON "set_price"("model", "valid_from") WHERE "withdrawn_at" IS NULL;

-- Every catalog instance learns of one by the revision, as of an import.
CREATE TRIGGER "set_price_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "set_price"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();

-- A row of a price that was set.
ALTER TABLE "price" ADD COLUMN "is_set" BOOLEAN NOT NULL DEFAULT false;

-- Who does not know of prices that are set would end them, withdraw those that are to come, and begin its own in their place: catalogs of the release
-- before, which run beside these during an upgrade, or again after one that was taken back. While a price that was set holds, or is to come, rows of
-- its model are therefore left as they are by whoever does not say in the transaction that it knows of them. What such a one writes is passed over in
-- silence: it tries again at its next start, and a failure would keep it from writing the prices of all other models.
CREATE FUNCTION "keep_set_prices"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "of_model" TEXT := CASE WHEN TG_OP = 'DELETE' THEN OLD."model" ELSE NEW."model" END;
BEGIN
    IF coalesce(current_setting('tollgate.knows_set_prices', true), '') <> 'on' AND EXISTS (
        SELECT FROM "price" WHERE "model" = "of_model" AND "is_set"
            AND ("valid_to" IS NULL OR "valid_to" > now() - INTERVAL '5 minutes')
    ) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER "price_keeps_set_prices" BEFORE INSERT OR UPDATE OR DELETE ON "price"
    FOR EACH ROW EXECUTE FUNCTION "keep_set_prices"();
