-- People whom a directory sends into an account (SCIM), and tokens for it. Additive.

CREATE TABLE "directory_user" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "user_name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "external_id" TEXT,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" "account_role" NOT NULL,
    "person_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "directory_user_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "directory_user_person_id_key" ON "directory_user"("person_id");
CREATE UNIQUE INDEX "directory_user_account_id_name_key_key" ON "directory_user"("account_id", "name_key");
ALTER TABLE "directory_user" ADD CONSTRAINT "directory_user_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "directory_user" ADD CONSTRAINT "directory_user_person_id_fkey" FOREIGN KEY ("person_id") REFERENCES "person"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "admin_token" ADD COLUMN "account_id" UUID;
