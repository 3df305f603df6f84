-- Of deliveries to one webhook that have the same turn, those with a higher place are sent when those before are settled: the thresholds of a budget come as they were passed.
-- Null: it waits for none.
ALTER TABLE "webhook_delivery" ADD COLUMN "turn" TEXT, ADD COLUMN "place" INTEGER;
