-- Keys of providers that accounts brought for one of their projects, in the place of those of the whole account. A table of its own: an accounts of the
-- release before would take a row of "own_key" for one of the whole account. Additive.
CREATE TABLE "project_own_key" (
    "account_id" UUID NOT NULL,
    "project" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "last_four" TEXT,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,

    CONSTRAINT "project_own_key_pkey" PRIMARY KEY ("account_id", "project", "provider")
);

ALTER TABLE "project_own_key" ADD CONSTRAINT "project_own_key_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
