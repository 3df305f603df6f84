-- Whether nobody but who reads the mail knows a link, so that it proves the address; not of one that a person hands over. What an accounts of the release before makes counts as handed over.
ALTER TABLE "one_time_token" ADD COLUMN "is_mailed" BOOLEAN NOT NULL DEFAULT false;
