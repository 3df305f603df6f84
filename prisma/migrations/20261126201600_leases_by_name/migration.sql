-- What a name holds of a budget is summed for each grant.
CREATE INDEX CONCURRENTLY "budget_lease_budget_id_name_digest_idx" ON "budget_lease"("budget_id", "name_digest");
