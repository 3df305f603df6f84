-- What people are in their account, whose a key is, and invitations. Additive.

CREATE TYPE "account_role" AS ENUM ('owner', 'administrator', 'developer', 'viewer', 'billing');

-- Everybody could do everything in their account before.
ALTER TABLE "person" ADD COLUMN "account_role" "account_role" NOT NULL DEFAULT 'owner';

-- Keys of before are nobody's: they go on, whoever leaves. All of them are null, so that there is nothing to validate.
ALTER TABLE "api_key" ADD COLUMN "person_id" UUID;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" "account_role" NOT NULL,
    "digest" TEXT NOT NULL,
    "is_mailed" BOOLEAN NOT NULL,
    "invited_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "invitation_digest_key" ON "invitation"("digest");
CREATE UNIQUE INDEX "invitation_account_id_email_key" ON "invitation"("account_id", "email");
CREATE INDEX "invitation_email_idx" ON "invitation"("email");
CREATE INDEX "invitation_expires_at_idx" ON "invitation"("expires_at");
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
