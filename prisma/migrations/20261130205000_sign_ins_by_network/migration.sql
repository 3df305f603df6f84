-- Who began a sign-in with an OpenID provider, as throttles count them. What an accounts of the release before keeps counts for nobody.
ALTER TABLE "oidc_attempt" ADD COLUMN "network" TEXT;
