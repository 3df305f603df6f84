-- Where alerts are sent, and what became of each. Additive.

CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "sealed_url" TEXT NOT NULL,
    "form" TEXT NOT NULL,
    "kinds" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "webhook_name_key" ON "webhook"("name");

CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "status" INTEGER,
    "problem" TEXT,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_delivery_due_at_idx" ON "webhook_delivery"("due_at");
CREATE INDEX "webhook_delivery_webhook_id_idx" ON "webhook_delivery"("webhook_id");
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
