-- Budgets that refuse nothing, and the model that serves when they are used up. Additive.

ALTER TABLE "budget" ADD COLUMN "soft" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "budget" ADD COLUMN "fallback_model" TEXT;
