-- What webhooks were told, so that each is told once. Additive.

CREATE TABLE "told_alert" (
    "name" TEXT NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "forget_at" TIMESTAMPTZ(3),

    CONSTRAINT "told_alert_pkey" PRIMARY KEY ("name")
);
CREATE INDEX "told_alert_forget_at_idx" ON "told_alert"("forget_at");
