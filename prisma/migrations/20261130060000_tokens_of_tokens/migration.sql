-- The token of the admin API that made a token. Null: an operator did. Additive.
ALTER TABLE "admin_token" ADD COLUMN "made_by_id" UUID;
