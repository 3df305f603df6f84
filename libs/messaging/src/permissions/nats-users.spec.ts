import * as ofAll from '@tollgate/contracts';
import * as accounts from '@tollgate/contracts/accounts';
import * as catalog from '@tollgate/contracts/catalog';
import * as edge from '@tollgate/contracts/edge';
import * as inference from '@tollgate/contracts/inference';
import * as metering from '@tollgate/contracts/metering';
import { z } from 'zod';
import { natsUserNames, natsUsers, permissionsOf } from './nats-users';
import type { NatsUserName } from './nats-users';

const contracts = { ...ofAll, ...accounts, ...catalog, ...edge, ...inference, ...metering };
const withSubject = z.object({ subject: z.string(), request: z.unknown(), reply: z.unknown() });

/** Every operation that the contracts export, by its subject. */
const operations = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Operations'))
  .flatMap(([, group]) => Object.values(group).map((one) => withSubject.parse(one).subject));

/**
 * Every other subject that they export; functions are asked for the subject of any edge, instance or surface.
 */
const otherSubjects = Object.entries(contracts)
  .filter(([name]) => name.endsWith('Subjects'))
  .flatMap(([name, group]) => Object.entries(group).map(([key, value]) => [name, key, value] as const))
  .filter(([name, key]) => !(name === 'generationSubjects' && key === 'queue'))
  .map(([, key, value]): string => {
    if (typeof value === 'string') return value;
    return (value as (token: string) => string)(key === 'frames' ? '*.*' : '*');
  });

const whoMay = (act: 'publish' | 'subscribe', subject: string): NatsUserName[] =>
  natsUserNames.filter((user) => permissionsOf(user)[act].includes(subject));

it('knows every operation of the contracts: one service answers it, somebody asks for it', () => {
  expect(operations.length).toBeGreaterThan(40);
  for (const subject of operations) {
    const service = subject.split('.')[0];
    expect([subject, whoMay('subscribe', subject)]).toEqual([subject, [service]]);
    expect([subject, whoMay('publish', subject)]).not.toEqual([subject, []]);
  }
});

it('knows every other subject of the contracts: somebody says it, somebody hears it', () => {
  expect(otherSubjects.length).toBeGreaterThan(8);
  for (const subject of otherSubjects) {
    expect([subject, whoMay('publish', subject)]).not.toEqual([subject, []]);
    expect([subject, whoMay('subscribe', subject)]).not.toEqual([subject, []]);
  }
});

it('gives nobody a whole tree: no user may publish or hear everything, of JetStream, or of the inboxes of others', () => {
  for (const user of natsUserNames) {
    const { publish, subscribe } = permissionsOf(user);
    for (const subject of [...publish, ...subscribe])
      expect([user, subject]).not.toEqual([
        user,
        expect.stringMatching(/^(>|\*|[^.]+\.>|\$JS\.(API|ACK)\.[A-Z]*\.?>)$/),
      ]);
    expect(subscribe.filter((subject) => subject.startsWith('_INBOX'))).toEqual([`_INBOX.${user}.>`]);
  }
});

it('lets only those answer into an inbox who serve its user', () => {
  expect(whoMay('publish', '_INBOX.inference.>')).toEqual(['inference', 'catalog', 'metering']);
  expect(whoMay('publish', '_INBOX.edge.>')).toEqual(['edge', 'catalog', 'accounts', 'metering']);
  // Catalog asks inference for the dashboard, so that inference may not write where edge has keys answered.
  expect(whoMay('publish', '_INBOX.catalog.>')).toEqual(['inference', 'catalog', 'accounts']);
  expect(whoMay('publish', '_INBOX.accounts.>')).toEqual(['catalog', 'accounts', 'metering']);
  expect(whoMay('publish', '_INBOX.operator.>')).toEqual(['inference', 'catalog', 'accounts', 'metering']);
  expect(whoMay('publish', '_INBOX.metering.>')).toEqual(['metering']);
});

it('keeps the ledger to metering', () => {
  const jetStream = natsUserNames.flatMap((user) =>
    user === 'metering' ? [] : permissionsOf(user).publish.filter((subject) => /USAGE|\$JS\.ACK/.test(subject)),
  );
  expect([...new Set(jetStream)]).toEqual(['$JS.API.STREAM.CREATE.USAGE', '$JS.API.STREAM.INFO.USAGE']);
  expect(whoMay('publish', 'usage.events')).toEqual(['edge', 'inference']);
});

it('lets the operator not do what only an edge does for a caller', () => {
  const asked = natsUsers.operator.asks.map(({ subject }) => subject);
  for (const subject of [
    'accounts.keys.resolve',
    'accounts.keys.digest',
    'accounts.tokens.do-once',
    'accounts.people.sign-in',
    'metering.leases.acquire',
    'metering.content-log.record',
  ])
    expect(asked).not.toContain(subject);
});
