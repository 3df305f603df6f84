-- What a request held of each budget, so that its charge can show what was reserved in dollars and given back.
ALTER TABLE "usage_event" ADD COLUMN "budgets" JSONB;
