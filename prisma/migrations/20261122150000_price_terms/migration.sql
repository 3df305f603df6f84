-- What decides a price beside tokens: tiers, speeds, regions, units. Additive: rows that are there say nothing of it, and services of the former release
-- neither read nor write these columns.

ALTER TABLE "price" ADD COLUMN "terms" JSONB NOT NULL DEFAULT '{}';

ALTER TABLE "usage_event" ADD COLUMN "served" JSONB;
