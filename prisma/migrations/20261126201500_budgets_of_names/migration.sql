-- Budgets of each end user, or of each tag: whoever has a name that matches has the whole limit alone. Additive.

ALTER TABLE "budget" ADD COLUMN "each_by" TEXT CHECK ("each_by" IN ('end_user', 'tag')), ADD COLUMN "each_names" TEXT;
ALTER TABLE "budget_lease" ADD COLUMN "name_digest" TEXT NOT NULL DEFAULT '';

CREATE TABLE "budget_name_spent" (
    "budget_id" UUID NOT NULL,
    "name_digest" TEXT NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "spent_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "budget_name_spent_pkey" PRIMARY KEY ("budget_id", "name_digest", "window_start")
);
