-- Sums of usage by for whom it was: end user, session, agent and tag. Additive. What says nothing of these has no row here: it is what the sums of its key hold beside
-- these, so that usage of former releases needs none.

CREATE TABLE "usage_slice_hour" (
    "key_id" TEXT NOT NULL,
    "dimension" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "name" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "unpriced" BIGINT NOT NULL,
    "input_tokens" BIGINT NOT NULL,
    "output_tokens" BIGINT NOT NULL,
    "cost_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "usage_slice_hour_pkey" PRIMARY KEY ("key_id", "dimension", "at", "name", "model")
) PARTITION BY RANGE ("at");
CREATE TABLE "usage_slice_hour_default" PARTITION OF "usage_slice_hour" DEFAULT;

CREATE TABLE "usage_slice_day" (LIKE "usage_slice_hour" INCLUDING ALL);

CREATE TABLE "usage_slice_names" (
    "key_id" TEXT NOT NULL,
    "dimension" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "names" INTEGER NOT NULL,

    CONSTRAINT "usage_slice_names_pkey" PRIMARY KEY ("key_id", "dimension", "at")
);
