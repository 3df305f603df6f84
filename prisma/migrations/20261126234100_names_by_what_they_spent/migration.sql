-- Those who spent the most of a budget that each name has alone are read without a look at the others.
CREATE INDEX CONCURRENTLY "budget_name_spent_budget_id_window_start_spent_nano_usd_idx" ON "budget_name_spent"("budget_id", "window_start", "spent_nano_usd");
