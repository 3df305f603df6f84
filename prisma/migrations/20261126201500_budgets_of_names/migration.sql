-- Budgets of each end user, or of each tag: whoever has a name that matches has the whole limit alone. Additive.

ALTER TABLE "budget" ADD COLUMN "each_by" TEXT CHECK ("each_by" IN ('end_user', 'tag')), ADD COLUMN "each_names" TEXT;
ALTER TABLE "budget_lease" ADD COLUMN "name_digest" TEXT NOT NULL DEFAULT '';
DROP INDEX "budget_lease_budget_id_idx";
CREATE INDEX "budget_lease_budget_id_name_digest_idx" ON "budget_lease"("budget_id", "name_digest");

CREATE TABLE "budget_name_spent" (
    "budget_id" UUID NOT NULL,
    "name_digest" TEXT NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "spent_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "budget_name_spent_pkey" PRIMARY KEY ("budget_id", "name_digest", "window_start")
);
CREATE INDEX "budget_name_spent_window_start_idx" ON "budget_name_spent"("window_start");
