-- What providers bill for a day, and what our prices make of the same day. Additive: services of the former release know none of it.

CREATE TABLE "provider_bill" (
    "provider" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "source" TEXT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    "rated_at" TIMESTAMPTZ(3),
    "problem" TEXT,

    CONSTRAINT "provider_bill_pkey" PRIMARY KEY ("provider", "day")
);

CREATE INDEX "provider_bill_day_idx" ON "provider_bill"("day");

CREATE TABLE "billed_line" (
    "id" BIGSERIAL NOT NULL,
    "provider" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "model" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "request_id" TEXT,
    "pico_usd" DECIMAL(38,0) NOT NULL,
    "quantity" BIGINT,

    CONSTRAINT "billed_line_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "billed_line_provider_day_idx" ON "billed_line"("provider", "day");

CREATE TABLE "rated_line" (
    "provider" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "model" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "pico_usd" DECIMAL(38,0) NOT NULL,
    "quantity" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,

    CONSTRAINT "rated_line_pkey" PRIMARY KEY ("provider", "day", "model", "kind")
);

CREATE TABLE "billed_minute" (
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,

    CONSTRAINT "billed_minute_pkey" PRIMARY KEY ("provider", "model", "at")
);

CREATE INDEX "billed_minute_at_idx" ON "billed_minute"("at");
