-- Keys, accounts and budgets that come over from another gateway: what was spent there before. Additive.

-- True since the first key came over that has another gateway's form: edges then ask for keys of that form.
ALTER TABLE key_revision ADD COLUMN imported_keys BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE api_key ADD COLUMN opening_nano_usd BIGINT NOT NULL DEFAULT 0;
-- Counts in the window in which the budget was made, and in no other.
ALTER TABLE budget ADD COLUMN opening_nano_usd BIGINT NOT NULL DEFAULT 0;
