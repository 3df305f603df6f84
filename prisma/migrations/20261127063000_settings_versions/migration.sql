-- What administrators set without the file, in every version that there was. Additive.
CREATE TABLE "settings_version" (
    "version" INTEGER NOT NULL,
    "document" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,
    "reason" TEXT,

    CONSTRAINT "settings_version_pkey" PRIMARY KEY ("version"),
    CONSTRAINT "settings_version_counts" CHECK ("version" > 0)
);

-- Every catalog instance learns of a version by the revision, as of a switch of a model.
CREATE TRIGGER "settings_version_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "settings_version"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
