-- Plans that are set without tollgate.yaml, beneath those of the file, and the version of the settings that they are of. Additive.

ALTER TABLE "key_revision" ADD COLUMN "settings_plans" JSONB NOT NULL DEFAULT '{}';
ALTER TABLE "key_revision" ADD COLUMN "settings_version" INTEGER NOT NULL DEFAULT 0;
