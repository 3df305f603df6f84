-- CreateEnum
CREATE TYPE "account_status" AS ENUM ('pending', 'active', 'suspended', 'declined');

-- CreateEnum
CREATE TYPE "key_status" AS ENUM ('active', 'revoked');

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "status" "account_status" NOT NULL,
    "plan" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "key_status" NOT NULL DEFAULT 'active',
    "plan" TEXT,
    "rpm" BIGINT,
    "rpm_unlimited" BOOLEAN NOT NULL DEFAULT false,
    "quota_tokens" BIGINT,
    "quota_unlimited" BOOLEAN NOT NULL DEFAULT false,
    "models" TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_revision" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "revision" BIGINT NOT NULL,
    "plans" JSONB NOT NULL,

    CONSTRAINT "key_revision_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_change" (
    "revision" BIGINT NOT NULL,
    "key_id" UUID NOT NULL,

    CONSTRAINT "key_change_pkey" PRIMARY KEY ("revision")
);

-- CreateTable
CREATE TABLE "account_audit" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "account_id" UUID NOT NULL,
    "key_id" UUID,
    "detail" JSONB NOT NULL,

    CONSTRAINT "account_audit_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_email_key" ON "account"("email");

-- CreateIndex
CREATE INDEX "account_status_id_idx" ON "account"("status", "id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_digest_key" ON "api_key"("digest");

-- CreateIndex
CREATE INDEX "api_key_account_id_id_idx" ON "api_key"("account_id", "id");

-- CreateIndex
CREATE INDEX "account_audit_account_id_id_idx" ON "account_audit"("account_id", "id");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma does not know.

-- A limit is the plan's, unlimited or a number; never two of them.
ALTER TABLE "api_key"
    ADD CONSTRAINT "api_key_rpm_check" CHECK ("rpm" >= 0 AND NOT "rpm_unlimited" OR "rpm" IS NULL),
    ADD CONSTRAINT "api_key_quota_check" CHECK ("quota_tokens" >= 0 AND NOT "quota_unlimited" OR "quota_tokens" IS NULL);

-- The one row of the revision. Its plan table is filled in by the service's first start.
ALTER TABLE "key_revision" ADD CONSTRAINT "key_revision_one_row_check" CHECK ("id" = 1);
INSERT INTO "key_revision" ("id", "revision", "plans") VALUES (1, 0, '{}');

-- The audit log only grows.
CREATE FUNCTION "account_audit_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP;
END
$$;
CREATE TRIGGER "account_audit_append_only" BEFORE UPDATE OR DELETE ON "account_audit"
    FOR EACH ROW EXECUTE FUNCTION "account_audit_append_only"();
CREATE TRIGGER "account_audit_no_truncate" BEFORE TRUNCATE ON "account_audit"
    FOR EACH STATEMENT EXECUTE FUNCTION "account_audit_append_only"();
