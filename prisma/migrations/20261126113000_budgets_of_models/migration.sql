-- Budgets of some models alone. Additive.

ALTER TABLE "budget" ADD COLUMN "models" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- Whether a budget with these patterns counts what is spent with a model: `*` matches any run of characters, and no patterns every model.
CREATE FUNCTION "budget_counts"("patterns" TEXT[], "model" TEXT) RETURNS BOOLEAN
LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(cardinality("patterns"), 0) = 0 OR EXISTS (
        SELECT FROM unnest("patterns") AS pattern
        WHERE "model" LIKE replace(replace(replace(replace(pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
    )
$$;
