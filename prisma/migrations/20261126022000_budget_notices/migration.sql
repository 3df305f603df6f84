-- Of which part of a budget people were told, and under which limit it refused a request. Additive.

ALTER TABLE "budget_spent" ADD COLUMN "refused_under_nano_usd" BIGINT;

CREATE TABLE "budget_notice" (
    "budget_id" UUID NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "percent" SMALLINT NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_notice_pkey" PRIMARY KEY ("budget_id", "window_start", "percent")
);
ALTER TABLE "budget_notice" ADD CONSTRAINT "budget_notice_budget_id_fkey" FOREIGN KEY ("budget_id") REFERENCES "budget"("id") ON DELETE CASCADE ON UPDATE CASCADE;
