-- A role for each service that keeps records, and one that owns the tables and changes them: `tollgate migrate` works as that one, and lets each
-- of the others use its own tables. Run by the superuser; may run again at any time, also over a database that the superuser made by itself before.
DO $$
DECLARE
    "role" TEXT;
    "change" TEXT;
BEGIN
    FOREACH "role" IN ARRAY ARRAY['tollgate_migrations', 'tollgate_accounts', 'tollgate_catalog', 'tollgate_metering'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = "role") THEN
            EXECUTE format('CREATE ROLE %I LOGIN', "role");
        END IF;
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), "role");
    END LOOP;
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('ALTER DATABASE %I OWNER TO tollgate_migrations', current_database());
    -- Tables, types and functions, but for those of extensions, which stay with the superuser.
    FOR "change" IN
        SELECT format('ALTER TABLE %s OWNER TO tollgate_migrations', oid::regclass) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relowner <> 'tollgate_migrations'::regrole
        UNION ALL
        SELECT format('ALTER TYPE %s OWNER TO tollgate_migrations', oid::regtype) FROM pg_type
        WHERE typnamespace = 'public'::regnamespace AND typtype = 'e' AND typowner <> 'tollgate_migrations'::regrole
        UNION ALL
        SELECT format('ALTER FUNCTION %s OWNER TO tollgate_migrations', oid::regprocedure) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND proowner <> 'tollgate_migrations'::regrole
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
    LOOP
        EXECUTE "change";
    END LOOP;
END $$;

ALTER ROLE tollgate_migrations PASSWORD :'migrations';
ALTER ROLE tollgate_accounts PASSWORD :'accounts';
ALTER ROLE tollgate_catalog PASSWORD :'catalog';
ALTER ROLE tollgate_metering PASSWORD :'metering';
