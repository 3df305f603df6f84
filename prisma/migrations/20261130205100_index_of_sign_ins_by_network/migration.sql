-- How many sign-ins of a network are begun.
CREATE INDEX CONCURRENTLY "oidc_attempt_network_idx" ON "oidc_attempt"("network");
