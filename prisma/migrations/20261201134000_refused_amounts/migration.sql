-- What a request might have cost that a budget refused, what was left then, and the limit under which that was. Additive: a metering of the release before notes
-- under another limit that it refused, and leaves these as they were.
ALTER TABLE "budget_spent" ADD COLUMN "refused_nano_usd" BIGINT, ADD COLUMN "refused_left_nano_usd" BIGINT, ADD COLUMN "refused_amounts_under_nano_usd" BIGINT;
