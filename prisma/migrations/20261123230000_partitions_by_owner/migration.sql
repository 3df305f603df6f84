-- Whoever stores usage makes and drops partitions of it, and may change no table otherwise: these run as the owner of the tables.
ALTER FUNCTION "add_month"(TEXT, TEXT, DATE) SECURITY DEFINER SET search_path = public, pg_temp;
ALTER FUNCTION "drop_months"(TEXT, DATE) SECURITY DEFINER SET search_path = public, pg_temp;
ALTER FUNCTION "add_stored_turn_day"(DATE) SECURITY DEFINER SET search_path = public, pg_temp;
ALTER FUNCTION "drop_stored_turn_days"(DATE) SECURITY DEFINER SET search_path = public, pg_temp;
REVOKE EXECUTE ON FUNCTION "add_month"(TEXT, TEXT, DATE), "drop_months"(TEXT, DATE),
    "add_stored_turn_day"(DATE), "drop_stored_turn_days"(DATE) FROM PUBLIC;
