-- What names spent is forgotten window by window, without a look at those that are not over.
CREATE INDEX CONCURRENTLY "budget_name_spent_budget_id_window_start_idx" ON "budget_name_spent"("budget_id", "window_start");
