// Loaded by the one command that needs it: the database's client takes its time.
export { migrateAsOwner } from '@tollgate/database';
