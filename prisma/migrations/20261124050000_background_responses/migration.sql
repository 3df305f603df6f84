-- Responses that are made while nobody waits: which edge works on which, until when, and how often it was begun. Texts are not here but in "stored_turn", encrypted. Additive.

CREATE TABLE "background_response" (
    "account_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "born_at" TIMESTAMPTZ(3) NOT NULL,
    "holder" TEXT NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "makings" INTEGER NOT NULL DEFAULT 1,
    "cancelled" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "background_response_pkey" PRIMARY KEY ("account_id", "id")
);

CREATE INDEX "background_response_leased_until_idx" ON "background_response"("leased_until");
