-- Since when nothing is sent to a webhook; null: it is not paused. A release before this one sends all the same.
ALTER TABLE "webhook" ADD COLUMN "paused_at" TIMESTAMPTZ(3);
