-- Limits of tokens a minute of keys, and limits a minute of their models. Additive.

ALTER TABLE "api_key"
    ADD COLUMN "tpm" BIGINT,
    ADD COLUMN "tpm_unlimited" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "model_limits" JSONB NOT NULL DEFAULT '[]';

-- The column is new, so that no row of before could break it.
ALTER TABLE "api_key"
    ADD CONSTRAINT "api_key_tpm_check" CHECK ("tpm" >= 0 AND NOT "tpm_unlimited" OR "tpm" IS NULL) NOT VALID;
