-- In which hours a key had answers from the response cache. What these said is in no slice, so that the log of requests that said something looks through these hours.
CREATE INDEX CONCURRENTLY "usage_hour_cached_idx" ON "usage_hour"("key_id", "at") WHERE "provider" = '(cache)';
