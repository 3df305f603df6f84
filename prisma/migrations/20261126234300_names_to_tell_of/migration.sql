-- Names of which nobody was told yet, which are few however many there are.
CREATE INDEX CONCURRENTLY "budget_name_spent_to_tell_of_idx" ON "budget_name_spent"("budget_id", "window_start") WHERE "reached_percent" > "told_percent";
