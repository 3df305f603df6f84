-- Budgets of one tag or one end user. Additive.

ALTER TABLE "budget" ADD COLUMN "tag" TEXT;
ALTER TABLE "budget" ADD COLUMN "end_user" TEXT;
