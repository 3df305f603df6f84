CREATE TABLE "disabled_model" (
    "model" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "disabled_model_pkey" PRIMARY KEY ("model")
);

-- Every catalog instance learns of a switch by the revision, as of an import of prices.
CREATE TRIGGER "disabled_model_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "disabled_model"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
