-- What a request might have cost that a budget refused, and what was left then. Additive: null where a metering of the release before noted it.
ALTER TABLE "budget_spent" ADD COLUMN "refused_nano_usd" BIGINT, ADD COLUMN "refused_left_nano_usd" BIGINT;
