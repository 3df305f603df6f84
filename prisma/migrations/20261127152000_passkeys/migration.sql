-- Passkeys of people, and what they are asked to sign. Additive.
CREATE TABLE "passkey" (
    "id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "transports" TEXT[],
    "name" TEXT NOT NULL,
    "is_synced" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkey_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "passkey_challenge" (
    "digest" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "is_adding" BOOLEAN NOT NULL,
    "person_id" UUID,
    "network" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passkey_challenge_pkey" PRIMARY KEY ("digest")
);

CREATE UNIQUE INDEX "passkey_credential_id_key" ON "passkey"("credential_id");
CREATE INDEX "passkey_person_id_idx" ON "passkey"("person_id");
CREATE INDEX "passkey_challenge_person_id_idx" ON "passkey_challenge"("person_id");
CREATE INDEX "passkey_challenge_network_idx" ON "passkey_challenge"("network");
CREATE INDEX "passkey_challenge_expires_at_idx" ON "passkey_challenge"("expires_at");

ALTER TABLE "passkey" ADD CONSTRAINT "passkey_person_id_fkey"
    FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "passkey_challenge" ADD CONSTRAINT "passkey_challenge_person_id_fkey"
    FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
