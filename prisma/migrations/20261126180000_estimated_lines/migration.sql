-- What attempts that no caller pays may have used beside a rated line, estimated. Additive: metering of the former release counts it in the line and leaves these at 0.

ALTER TABLE "rated_line" ADD COLUMN "estimated_pico_usd" DECIMAL(38,0) NOT NULL DEFAULT 0,
ADD COLUMN "estimated_quantity" BIGINT NOT NULL DEFAULT 0;
