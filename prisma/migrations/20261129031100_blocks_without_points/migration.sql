-- Which blocks have no points yet.
CREATE INDEX CONCURRENTLY "usage_block_written_idx" ON "usage_block"("days", "at") WHERE "edition" = 2 AND "key_id" IN ('', '*');
