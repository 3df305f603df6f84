import type { z } from 'zod';
import { accountsHeartbeat, accountsOperations, accountsSubjects, keyChanged } from './accounts/accounts';
import { budgetLeaseOperations, budgetOperations } from './metering/budgets';
import { catalogSubjects } from './catalog/catalog';
import { catalogOperations } from './catalog/catalog-operations';
import { generationSubjects } from './inference/generation';
import { meteringOperations } from './metering/metering';
import type { Operation } from './operation';
import { usageStream } from './usage-event';

interface Listed {
  service: string;
  name: string;
  operation: Operation<z.ZodType, z.ZodType>;
}

function listed(service: string, operations: Record<string, Operation<z.ZodType, z.ZodType>>): Listed[] {
  return Object.entries(operations).map(([name, operation]) => ({ service, name, operation }));
}

const operations = [
  ...listed('accounts', accountsOperations),
  ...listed('accounts', budgetOperations),
  ...listed('catalog', catalogOperations),
  ...listed('metering', meteringOperations),
  ...listed('metering', budgetLeaseOperations),
];

/** It asks what `snapshot` does, where a catalog of an older release hears it, too. */
const sameQuestion: Operation<z.ZodType, z.ZodType> = catalogOperations.snapshotUnless;

describe('operations between services', () => {
  it.each(operations)(
    '$service.$name has a subject of <service>.<noun>.<verb>',
    ({ service, operation: { subject } }) => {
      expect(subject).toMatch(new RegExp(`^${service}\\.[a-z-]+\\.[a-z-]+$`));
    },
  );

  it('share no subject with another operation, notice or stream', () => {
    const subjects = [
      ...operations.filter(({ operation }) => operation !== sameQuestion).map(({ operation }) => operation.subject),
      ...Object.values(accountsSubjects),
      ...Object.values(catalogSubjects),
      usageStream.subject,
      usageStream.deadLetterSubject,
      generationSubjects.request('openai-chat'),
      generationSubjects.control('instance'),
      generationSubjects.frames('edge'),
    ];
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  it.each(operations)(
    '$service.$name refuses what is not an object, in both directions',
    ({ operation: { request, reply } }) => {
      for (const wrong of [null, undefined, 'text', 7, []]) {
        expect(request.safeParse(wrong).success).toBe(false);
        expect(reply.safeParse(wrong).success).toBe(false);
      }
    },
  );
});

describe('the request to create a key', () => {
  const { request } = accountsOperations.createKey;

  it('tells an absent limit (the plan decides) from null (unlimited) through JSON', () => {
    const wire = (value: object): unknown => JSON.parse(JSON.stringify(value));
    expect(request.parse(wire({ name: 'a', rpm: undefined }))).not.toHaveProperty('rpm');
    expect(request.parse(wire({ name: 'a', rpm: null }))).toHaveProperty('rpm', null);
  });

  it('allows every model when none is named', () => {
    expect(request.parse({ name: 'a' }).models).toEqual([]);
  });

  it.each([
    { name: '' },
    { name: 'x'.repeat(101) },
    { name: 'NUL\0' },
    { name: 'a', expiresAt: 1e300 },
    { name: 'a', rpm: -1 },
    { name: 'a', rpm: 1.5 },
    { name: 'a', quotaTokens: Number.MAX_SAFE_INTEGER + 1 },
    { name: 'a', models: [''] },
  ])('refuses %j', (wrong) => {
    expect(request.safeParse(wrong).success).toBe(false);
  });
});

describe('the request for access', () => {
  it.each(['', 'nobody', 'a@b', "a@b.c'; DROP TABLE accounts; --", 'a@b.co\r\nBcc: x@y.zz'])(
    'refuses %j as an email address',
    (email) => {
      expect(accountsOperations.requestAccess.request.safeParse({ name: 'A', email }).success).toBe(false);
    },
  );
});

describe('notices about keys', () => {
  it('may tell that a key is gone', () => {
    expect(keyChanged.parse({ revision: 7, digest: 'd', key: null }).key).toBeNull();
  });

  it('carry whole revisions only', () => {
    expect(accountsHeartbeat.safeParse({ revision: 1.5 }).success).toBe(false);
  });
});
