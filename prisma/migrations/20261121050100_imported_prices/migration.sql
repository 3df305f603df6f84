CREATE TABLE "imported_price" (
    "model" TEXT NOT NULL,
    "prices" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "imported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "imported_price_pkey" PRIMARY KEY ("model")
);

-- Every catalog instance learns of an import by the revision, as metering learns of a price.
CREATE TRIGGER "imported_price_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "imported_price"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
