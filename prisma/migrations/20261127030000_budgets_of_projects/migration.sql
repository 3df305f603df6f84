-- Projects of keys, and budgets of their keys together. Additive.

ALTER TABLE "api_key" ADD COLUMN "project" TEXT;
ALTER TABLE "budget" ADD COLUMN "project" TEXT CHECK ("project" IS NULL OR "key_ids" <> '{}');

-- Forgets what was spent of budgets whose keys are others now: the sums of their windows are made anew from the sums of usage when they are next needed. Nobody
-- makes or adds to one until the transaction is over, so that each is of the keys of before or of those of after.
CREATE FUNCTION "forget_budget_sums"("ids" UUID[]) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('tollgate.budget.sums'));
    DELETE FROM "budget_spent" WHERE "budget_id" = ANY ("ids");
END
$$;
REVOKE ALL ON FUNCTION "forget_budget_sums"(UUID[]) FROM PUBLIC;
