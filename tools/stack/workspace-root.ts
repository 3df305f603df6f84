import { join } from 'node:path';

/** The folder of the checkout. */
export const workspaceRoot = join(__dirname, '..', '..');
