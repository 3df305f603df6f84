-- Names whose refused requests nobody was told of yet: few of all.
CREATE INDEX CONCURRENTLY "budget_name_spent_refused_idx" ON "budget_name_spent"("budget_id", "window_start")
    WHERE "refused_under_nano_usd" IS NOT NULL AND "refusal_told_under_nano_usd" IS DISTINCT FROM "refused_under_nano_usd";
