-- Tags that each request of a key has. Additive.

ALTER TABLE "api_key" ADD COLUMN "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
