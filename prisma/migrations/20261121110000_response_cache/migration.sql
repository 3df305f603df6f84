-- Answers from the response cache: which keys have them unasked, and how they are seen in the ledger and its sums.

ALTER TABLE "api_key" ADD COLUMN "cache_ttl_s" INTEGER;
ALTER TABLE "usage_event" ADD COLUMN "cached" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "usage_minute" ADD COLUMN "cached_requests" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "usage_hour" ADD COLUMN "cached_requests" BIGINT NOT NULL DEFAULT 0;
