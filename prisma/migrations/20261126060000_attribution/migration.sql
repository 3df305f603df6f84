-- For whom a request was made: whom its caller served, in which session, by which agent, under which tags. Additive; null where nothing was said, and in events of
-- an older release.

ALTER TABLE "usage_event"
    ADD COLUMN "end_user" TEXT,
    ADD COLUMN "session" TEXT,
    ADD COLUMN "agent" TEXT,
    ADD COLUMN "tags" TEXT[];
