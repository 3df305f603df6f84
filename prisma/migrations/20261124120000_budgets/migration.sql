-- Budgets in US dollars: what accounts and keys may spend, what was spent in the window at hand, and what edges hold of what is left. Additive.

CREATE TABLE "budget" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "key_ids" TEXT[],
    "limit_nano_usd" BIGINT NOT NULL CHECK ("limit_nano_usd" >= 0),
    "window" TEXT NOT NULL CHECK ("window" IN ('total', 'day', 'week', 'month')),
    "time_zone" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "budget_account_id_name_key" ON "budget"("account_id", "name");
ALTER TABLE "budget" ADD CONSTRAINT "budget_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "budget_spent" (
    "budget_id" UUID NOT NULL,
    "window_start" TIMESTAMPTZ(3) NOT NULL,
    "spent_nano_usd" DECIMAL(38,0) NOT NULL,

    CONSTRAINT "budget_spent_pkey" PRIMARY KEY ("budget_id", "window_start")
);

CREATE TABLE "budget_lease" (
    "id" TEXT NOT NULL,
    "budget_id" UUID NOT NULL,
    "edge_id" TEXT NOT NULL,
    "held_nano_usd" BIGINT NOT NULL CHECK ("held_nano_usd" >= 0),
    "sequence" BIGINT NOT NULL,
    "last_granted" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "budget_lease_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "budget_lease_budget_id_idx" ON "budget_lease"("budget_id");
CREATE INDEX "budget_lease_expires_at_idx" ON "budget_lease"("expires_at");

-- When the window of a budget began that holds at a moment. Sums of usage are kept by the minute, so that a budget without windows begins with the minute in which it was made.
CREATE FUNCTION "budget_window_start"("window" TEXT, "time_zone" TEXT, "created_at" TIMESTAMPTZ, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE "window" WHEN 'total' THEN date_trunc('minute', "created_at") ELSE date_trunc("window", "at", "time_zone") END
$$;
-- When it ends; null: never. By the clock of its time zone, where a day may have 23 or 25 hours.
CREATE FUNCTION "budget_window_end"("window" TEXT, "time_zone" TEXT, "at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL STABLE PARALLEL SAFE AS $$
    SELECT CASE "window" WHEN 'total' THEN NULL
        ELSE (date_trunc("window", "at" AT TIME ZONE "time_zone") + ('1 ' || "window")::interval) AT TIME ZONE "time_zone" END
$$;
