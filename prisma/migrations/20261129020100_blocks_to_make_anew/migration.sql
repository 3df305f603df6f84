-- Which blocks have no lines yet.
CREATE INDEX CONCURRENTLY "usage_block_days_at_idx" ON "usage_block"("days", "at") WHERE "edition" < 2;
