CREATE TABLE "held_deployment" (
    "deployment" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "held_by" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3),

    CONSTRAINT "held_deployment_pkey" PRIMARY KEY ("deployment"),
    CONSTRAINT "held_deployment_state" CHECK ("state" IN ('draining', 'closed'))
);

-- Every catalog instance learns of a decision by the revision, as of a switch of a model.
CREATE TRIGGER "held_deployment_changed" AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON "held_deployment"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_price_change"();
