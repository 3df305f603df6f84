-- Keys of providers that were given without the environment, sealed for inference. Additive.
CREATE TABLE "provider_key" (
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "last_four" TEXT,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,

    CONSTRAINT "provider_key_pkey" PRIMARY KEY ("provider", "name")
);

-- Every catalog instance learns of a key by the revision, as of a version of the settings.
CREATE TRIGGER "provider_key_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "provider_key"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
