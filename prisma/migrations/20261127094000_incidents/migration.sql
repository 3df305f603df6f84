-- When deployments were kept away from callers, and why. Additive.

CREATE TABLE "incident" (
    "deployment" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "provider" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "why" TEXT,
    "held_by" TEXT,
    "callers" INTEGER,

    CONSTRAINT "incident_pkey" PRIMARY KEY ("deployment", "kind", "since"),
    CONSTRAINT "incident_kind" CHECK ("kind" IN ('failing', 'draining', 'closed'))
);
CREATE INDEX "incident_since_idx" ON "incident"("since");
CREATE INDEX "incident_seen_at_idx" ON "incident"("seen_at");
