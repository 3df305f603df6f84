-- Tokens of the quota that were set aside when a request was admitted, so that its charge can show what was reserved and given back.
ALTER TABLE "usage_event" ADD COLUMN "reserved" BIGINT;
