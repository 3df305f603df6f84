-- The index by budget and name has this one in it.
DROP INDEX "budget_lease_budget_id_idx";
