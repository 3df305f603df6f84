-- CreateEnum
CREATE TYPE "person_role" AS ENUM ('user', 'administrator');

-- CreateEnum
CREATE TYPE "one_time_purpose" AS ENUM ('verify', 'reset');

-- CreateTable
CREATE TABLE "person" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "role" "person_role" NOT NULL DEFAULT 'user',
    "email_verified_at" TIMESTAMPTZ(3),
    "oidc_issuer" TEXT,
    "oidc_subject" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "person_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "one_time_token" (
    "digest" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "purpose" "one_time_purpose" NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "one_time_token_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "throttle" (
    "subject" TEXT NOT NULL,
    "tries" INTEGER NOT NULL,
    "last_try_at" TIMESTAMPTZ(3) NOT NULL,
    "blocked_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttle_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "oidc_attempt" (
    "digest" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "code_verifier" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "oidc_attempt_pkey" PRIMARY KEY ("digest")
);

-- CreateTable
CREATE TABLE "mail" (
    "id" UUID NOT NULL,
    "recipient" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "problem" TEXT,
    "due_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "person_email_key" ON "person"("email");

-- CreateIndex
CREATE INDEX "person_account_id_idx" ON "person"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "person_oidc_issuer_oidc_subject_key" ON "person"("oidc_issuer", "oidc_subject");

-- CreateIndex
CREATE UNIQUE INDEX "session_digest_key" ON "session"("digest");

-- CreateIndex
CREATE INDEX "session_person_id_idx" ON "session"("person_id");

-- CreateIndex
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

-- CreateIndex
CREATE INDEX "one_time_token_person_id_idx" ON "one_time_token"("person_id");

-- CreateIndex
CREATE INDEX "one_time_token_expires_at_idx" ON "one_time_token"("expires_at");

-- CreateIndex
CREATE INDEX "throttle_last_try_at_idx" ON "throttle"("last_try_at");

-- CreateIndex
CREATE INDEX "oidc_attempt_expires_at_idx" ON "oidc_attempt"("expires_at");

-- CreateIndex
CREATE INDEX "mail_due_at_idx" ON "mail"("due_at");

-- AddForeignKey
ALTER TABLE "person" ADD CONSTRAINT "person_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "one_time_token" ADD CONSTRAINT "one_time_token_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
