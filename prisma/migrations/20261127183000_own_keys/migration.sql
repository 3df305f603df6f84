-- Keys of providers that accounts brought, sealed for inference. Additive.
CREATE TABLE "own_key" (
    "account_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "last_four" TEXT,
    "set_at" TIMESTAMPTZ(3) NOT NULL,
    "set_by" TEXT NOT NULL,

    CONSTRAINT "own_key_pkey" PRIMARY KEY ("account_id", "provider")
);

ALTER TABLE "own_key" ADD CONSTRAINT "own_key_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
