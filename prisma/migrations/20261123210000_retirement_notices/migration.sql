CREATE TABLE "retirement_notice" (
    "account_id" UUID NOT NULL,
    "model" TEXT NOT NULL,
    "ends_on" DATE NOT NULL,

    CONSTRAINT "retirement_notice_pkey" PRIMARY KEY ("account_id","model","ends_on")
);

CREATE INDEX "retirement_notice_ends_on_idx" ON "retirement_notice"("ends_on");
