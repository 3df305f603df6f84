-- Whose keys stop when somebody is removed, and how many each person has.
CREATE INDEX CONCURRENTLY "api_key_person_id_idx" ON "api_key"("person_id");
