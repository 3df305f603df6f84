-- Requests that edges refused by themselves, by minute, key, status and reason, with the last of each. Additive.

CREATE TABLE "refusal" (
    "minute" TIMESTAMPTZ(3) NOT NULL,
    "edge_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "status" SMALLINT NOT NULL,
    "reason" TEXT NOT NULL,
    "account_id" TEXT,
    "count" INTEGER NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "last_request_id" TEXT NOT NULL,
    "last_model" TEXT,
    "last_path" TEXT NOT NULL,
    "last_message" TEXT NOT NULL,

    CONSTRAINT "refusal_pkey" PRIMARY KEY ("minute", "edge_id", "key_id", "status", "reason")
);
CREATE INDEX "refusal_account_id_minute_idx" ON "refusal"("account_id", "minute");
