import { join } from 'node:path';

/** Where the table of roles is. */
export const rolesFile = join(__dirname, '../../../../docs/roles.md');
