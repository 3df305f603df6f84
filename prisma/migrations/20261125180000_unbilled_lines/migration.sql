-- The part of a rated line that no caller pays. Additive: metering of the former release leaves it at 0.

ALTER TABLE "rated_line" ADD COLUMN "unbilled_pico_usd" DECIMAL(38,0) NOT NULL DEFAULT 0;
