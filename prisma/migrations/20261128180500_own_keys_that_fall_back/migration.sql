-- Whether requests go on with the operator's key where the provider refuses the account's. Off for what is there, and for what an accounts of the
-- release before keeps. Additive.
ALTER TABLE "own_key" ADD COLUMN "falls_back" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "project_own_key" ADD COLUMN "falls_back" BOOLEAN NOT NULL DEFAULT false;
