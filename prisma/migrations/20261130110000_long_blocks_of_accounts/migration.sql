-- Blocks of 16 and 64 days are made of accounts, too, that have too little usage for shorter ones. Releases of before make none, and go over the days all the same: up to when they are made is told beside.
ALTER TABLE "usage_block_made" ADD COLUMN "accounts_until" TIMESTAMPTZ(3);
