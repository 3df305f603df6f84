-- How fast answers came: tokens of those that were streamed, and the time from their first content to their end. Both are 0 for what ended before.

ALTER TABLE "usage_minute" ADD COLUMN "streamed_tokens" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "streamed_ms" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "usage_hour" ADD COLUMN "streamed_tokens" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "streamed_ms" BIGINT NOT NULL DEFAULT 0;
