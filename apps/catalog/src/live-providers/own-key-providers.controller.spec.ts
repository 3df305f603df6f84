import { takesNoOwnKeys } from '@tollgate/contracts/accounts';
import { providerDefinition } from '@tollgate/contracts/catalog';
import { builtInProviders } from '@tollgate/providers';
import { decliningOwnKeys, takingOwnKeys } from './own-key-providers.controller';

const server = providerDefinition.parse({
  ...{ id: 'server', name: 'Server', dialect: 'openai-chat', baseUrl: 'http://10.0.0.7/v1', apiKeyEnv: ['SERVER_KEY'] },
  ...{ operatorDefined: true, queues: true },
});
const hosted = { ...server, id: 'hosted', queues: false };
const keyless = { ...hosted, id: 'keyless', apiKeyEnv: [] };
const providers = [...builtInProviders, server, hosted, keyless];
const idsOf = (changes: Partial<Parameters<typeof takingOwnKeys>[0]> = {}) =>
  takingOwnKeys({ providers, sandbox: false, reachable: [], ...changes }).map(({ id }) => id);

describe('providers that take keys of accounts', () => {
  it('are asked by a key, at an address that is nobody’s own', () => {
    const ids = idsOf();
    expect(ids).toEqual(expect.arrayContaining(['anthropic', 'hosted', 'openai']));
    for (const id of ['azure', 'vertex', 'server', 'keyless']) expect(ids).not.toContain(id);
  });

  it('are none that the operator closed to them', () => {
    expect(idsOf({ providers: [hosted, { ...hosted, id: 'closed', ownKeys: false }] })).toEqual(['hosted']);
  });

  it('say of which the operator has credentials, to which requests can fall back', () => {
    const told = takingOwnKeys({
      providers: [hosted, { ...hosted, id: 'theirs' }],
      sandbox: false,
      reachable: ['hosted'],
    });
    expect(told).toMatchObject([
      { id: 'hosted', operated: true },
      { id: 'theirs', operated: false },
    ]);
  });

  it('are no others, of each of which it is told why', () => {
    const closed = { ...hosted, id: 'closed', ownKeys: false };
    const declining = decliningOwnKeys({ providers: [...providers, closed], sandbox: false });
    const told = (id: string) => takesNoOwnKeys(id, { declining });
    expect(told('server')).toMatch(/^server takes no keys of accounts here: it is a server of .* own \(queues: true\)/);
    expect(told('closed')).toMatch(/: it is set so \(ownKeys: false\)\.$/);
    expect(told('vertex')).toMatch(/: it takes credentials of Google/);
    expect(told('azure')).toMatch(/: its address is that of the operator’s account\.$/);
    expect(told('keyless')).toMatch(/: it needs no key\.$/);
    expect(told('nobody')).toMatch(/: there is no such provider\.$/);
    expect(declining.map(({ id }) => id)).not.toContain('hosted');
    const [simulated] = decliningOwnKeys({ providers: builtInProviders, sandbox: true });
    expect(simulated?.why).toBe('the sandbox answers for it');
    // A catalog of the release before does not say.
    expect(takesNoOwnKeys('server', {})).toBe('server takes no keys of accounts here.');
  });

  it('are no simulated ones', () => {
    expect(idsOf({ sandbox: true })).toEqual(['hosted']);
  });
});
