import { natsUserNames, serverAuthorization, withCredentials } from '@tollgate/messaging';
import type { NatsUserName } from '@tollgate/messaging';
import { join } from 'node:path';
import { keptSecret } from './secrets';

/**
 * What the embedded nats-server is told of its users. Their passwords are made at the first start and kept.
 */
export function natsAuthorization(dataFolder: string): string {
  return serverAuthorization((user) => JSON.stringify(passwordOf(dataFolder, user)));
}

/**
 * The address of NATS for each user. An existing server (`external` not null) is used by all as it was named,
 * with whatever names and passwords stand there.
 */
export function natsUrls(external: string | null, embedded: string, dataFolder: string): Record<NatsUserName, string> {
  const urls = natsUserNames.map((user) => [
    user,
    external ?? withCredentials(embedded, user, passwordOf(dataFolder, user)),
  ]);
  return Object.fromEntries(urls) as Record<NatsUserName, string>;
}

function passwordOf(dataFolder: string, user: NatsUserName): string {
  return keptSecret(join(dataFolder, 'nats-passwords', user));
}
