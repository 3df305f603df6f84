-- Which reading the lines of a bill are of: two instances that hand over a large one in steps at the same time must not mix theirs.
ALTER TABLE provider_bill ADD COLUMN reading TEXT;
