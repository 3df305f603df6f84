-- What each key used in hours of the last days that have ended, for finding who used most of all where no block of a day is there yet: a row for one hour, and for eight, in the place of thousands of
-- rows by hour. Copies, made by metering some seconds after their hours. Whoever reads one compares what it was made of, so that nobody who stores usage has to know of them.

-- "seen": the versions of the rows by hour of everybody (the key '*') that it was made of. Each transaction that changes usage of an hour changes one of these, whichever release it is of: where they are the same, so is all of the hours.
-- "at": the start of its "hours" (UTC), a multiple of them. The arrays have a place for each key and account. "requests" are those that the response cache did not answer.
CREATE TABLE "usage_ended_hours" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "hours" INTEGER NOT NULL,
    "seen" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "keys" TEXT[] NOT NULL,
    "accounts" TEXT[] NOT NULL,
    "requests" BIGINT[] NOT NULL,
    "costs" DECIMAL(38,0)[] NOT NULL,

    CONSTRAINT "usage_ended_hours_pkey" PRIMARY KEY ("at", "hours")
);

-- There are few of them, and they are read often.
ALTER TABLE "usage_ended_hours" ALTER COLUMN "keys" SET STORAGE EXTERNAL, ALTER COLUMN "accounts" SET STORAGE EXTERNAL,
    ALTER COLUMN "requests" SET STORAGE EXTERNAL, ALTER COLUMN "costs" SET STORAGE EXTERNAL;
