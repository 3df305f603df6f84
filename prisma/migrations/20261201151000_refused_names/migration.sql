-- That a budget refused a request of a name while some of its part was left: what it might have cost, what was left, the limit under which that was, and under which
-- people were told of it. Additive: a metering of the release before notes a refusal as 100 %, as it did.
ALTER TABLE "budget_name_spent" ADD COLUMN "refused_nano_usd" BIGINT, ADD COLUMN "refused_left_nano_usd" BIGINT,
    ADD COLUMN "refused_under_nano_usd" BIGINT, ADD COLUMN "refusal_told_under_nano_usd" BIGINT;
