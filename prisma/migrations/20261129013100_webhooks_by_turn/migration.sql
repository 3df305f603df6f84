-- Which deliveries of a turn come before another.
CREATE INDEX CONCURRENTLY "webhook_delivery_webhook_id_turn_idx" ON "webhook_delivery"("webhook_id", "turn") WHERE "due_at" IS NOT NULL AND "turn" IS NOT NULL;
