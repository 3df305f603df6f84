import { serverAuthorization } from '@tollgate/messaging';
import { join } from 'node:path';
import { workspaceRoot } from '../stack/workspace-root';

/** Where Compose's nats-server finds its users. */
export const usersFile = join(workspaceRoot, 'deploy', 'nats', 'users.conf');

/**
 * What that file holds. The passwords are made by deploy/secrets/make-secrets.sh; in its own folder
 * nats-server finds an included file only by a relative path.
 */
export function usersFileText(): string {
  return (
    '# Written by npm run nats:users from libs/messaging/src/permissions/nats-users.ts.\n' +
    'include ../../secrets/nats-passwords.conf\n\n' +
    serverAuthorization((user) => `$${user.toUpperCase()}_PASSWORD`)
  );
}
