-- What is done under idempotency keys of people is kept as that of tokens, by the id of either. A release before goes on with it as it is.
ALTER TABLE "admin_deed" DROP CONSTRAINT "admin_deed_token_id_fkey";
