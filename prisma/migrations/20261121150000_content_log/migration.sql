-- Requests and answers as text, for keys that have it switched on.

ALTER TABLE "api_key" ADD COLUMN "log_content" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "content_log" (
    "id" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "surface" TEXT NOT NULL,
    "stream" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "cached" BOOLEAN NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "request" TEXT NOT NULL,
    "answer" TEXT,
    "request_truncated" BOOLEAN NOT NULL,
    "answer_truncated" BOOLEAN NOT NULL,
    "redactions" INTEGER NOT NULL,

    CONSTRAINT "content_log_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "content_log_request_id_idx" ON "content_log"("request_id");
CREATE INDEX "content_log_key_id_idx" ON "content_log"("key_id");
CREATE INDEX "content_log_expires_at_idx" ON "content_log"("expires_at");
