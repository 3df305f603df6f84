-- Second factors beside passwords, codes in their place, and sign-ins that want one. Additive.

CREATE TABLE "second_factor" (
    "person_id" UUID NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "enabled_at" TIMESTAMPTZ(3),
    "last_step" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("person_id")
);
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "recovery_code" (
    "digest" TEXT NOT NULL,
    "person_id" UUID NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("digest")
);
CREATE INDEX "recovery_code_person_id_idx" ON "recovery_code"("person_id");
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "second_factor_attempt" (
    "digest" TEXT NOT NULL,
    "person_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "second_factor_attempt_pkey" PRIMARY KEY ("digest")
);
CREATE INDEX "second_factor_attempt_person_id_idx" ON "second_factor_attempt"("person_id");
CREATE INDEX "second_factor_attempt_expires_at_idx" ON "second_factor_attempt"("expires_at");
ALTER TABLE "second_factor_attempt" ADD CONSTRAINT "second_factor_attempt_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE CASCADE ON UPDATE CASCADE;
