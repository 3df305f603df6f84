-- Keys whose requests are told their charge unasked.
ALTER TABLE api_key ADD COLUMN tell_cost BOOLEAN NOT NULL DEFAULT false;
