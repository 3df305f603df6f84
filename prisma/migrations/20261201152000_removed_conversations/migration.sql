-- Conversations whose removal broke off: few of all.
CREATE INDEX CONCURRENTLY "conversation_removed_idx" ON "conversation"("account_id", "id") WHERE "touched_at" = '1970-01-01T00:00:00Z'::timestamptz;
