-- Of a budget that rolls: whether it was below the threshold since people were told of it.
ALTER TABLE "budget_notice" ADD COLUMN "fell_below" BOOLEAN NOT NULL DEFAULT false;
