CREATE TABLE "approved_model" (
    "model" TEXT NOT NULL,
    "approved_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approved_model_pkey" PRIMARY KEY ("model")
);

-- Every catalog instance learns of it by the revision, as of a model that was switched off.
CREATE TRIGGER "approved_model_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "approved_model"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
