-- Tokens of the admin API, and what was done under their idempotency keys. Additive.

CREATE TABLE "admin_token" (
    "id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "admin_token_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "admin_token_digest_key" ON "admin_token"("digest");

CREATE TABLE "admin_deed" (
    "token_id" UUID NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "sealed_reply" TEXT NOT NULL,
    "done_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "admin_deed_pkey" PRIMARY KEY ("token_id","idempotency_key")
);
CREATE INDEX "admin_deed_done_at_idx" ON "admin_deed"("done_at");
ALTER TABLE "admin_deed" ADD CONSTRAINT "admin_deed_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "admin_token"("id") ON DELETE CASCADE ON UPDATE CASCADE;
