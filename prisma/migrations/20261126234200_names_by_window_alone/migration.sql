-- The index by budget, window and what was spent has this one in it.
DROP INDEX "budget_name_spent_budget_id_window_start_idx";
