import { natsUserNames, permissionsOf } from './nats-users';
import type { NatsUserName } from './nats-users';

/**
 * The part of a nats-server configuration that says who may do what. `passwordOf` gives each user's password
 * as the configuration is to hold it: quoted, or the name of a variable (`$NAME`).
 * @see https://docs.nats.io/running-a-nats-service/configuration/securing_nats/authorization
 */
export function serverAuthorization(passwordOf: (user: NatsUserName) => string): string {
  const users = natsUserNames.map((user) => {
    const { publish, subscribe } = permissionsOf(user);
    return [
      '    {',
      `      user: ${user}`,
      `      password: ${passwordOf(user)}`,
      '      permissions: {',
      `        publish: { allow: ${list(publish)} }`,
      `        subscribe: { allow: ${list(subscribe)} }`,
      '      }',
      '    }',
    ].join('\n');
  });
  return `authorization {\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}

function list(subjects: readonly string[]): string {
  return `[\n${subjects.map((subject) => `          ${JSON.stringify(subject)}`).join('\n')}\n        ]`;
}
