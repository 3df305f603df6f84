-- How often guardrails found something, by the hour and by who counted. Additive.

CREATE TABLE "guardrail_finding" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "told_by" TEXT NOT NULL,
    "guardrail" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "guardrail_finding_pkey" PRIMARY KEY ("hour", "told_by", "guardrail", "side", "action")
);
