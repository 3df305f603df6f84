import { GatewayError } from '@tollgate/contracts';
import { adminTokenOperations } from '@tollgate/contracts/accounts';
import type { DashboardServices } from '../dashboard/dashboard-services';
import { FakeClock } from '../testing/fake-clock';
import { AdminTokenLookups, lookupsInFlight, unknownForMs } from './admin-token-lookups';

const adminToken = { id: 'token-1' };

/** Accounts answers when the spec says so. */
function lookups() {
  const clock = new FakeClock();
  const waiting: ((adminToken: object | null) => void)[] = [];
  const ask = (operation: unknown): Promise<object> => {
    expect(operation).toBe(adminTokenOperations.resolve);
    return new Promise((answer) => waiting.push((token) => answer({ adminToken: token })));
  };
  return { clock, waiting, tokens: new AdminTokenLookups({ ask } as unknown as DashboardServices, clock) };
}

it('asks accounts for so many tokens at once, and refuses more until one is answered', async () => {
  const { waiting, tokens } = lookups();
  const asked = Array.from({ length: lookupsInFlight }, (_, n) => tokens.find(`digest-${n}`, []));
  await expect(tokens.find('one more', [])).rejects.toMatchObject({ status: 503, retryAfterS: 2 });
  expect(waiting).toHaveLength(lookupsInFlight);
  waiting.pop()?.(null);
  await asked.at(-1);
  const later = tokens.find('one more', []);
  for (const answer of waiting) answer(null);
  expect(await later).toBeNull();
  await Promise.all(asked);
});

it('asks for a token that there is each time, and soon again for one that there is not', async () => {
  const { clock, waiting, tokens } = lookups();
  const answered = async (answer: object | null) => {
    const found = tokens.find('digest', ['former']);
    waiting.pop()?.(answer);
    return found;
  };
  expect([await answered(null), tokens.idOf('digest')]).toEqual([null, null]);
  // Accounts would tell it now, and is not asked.
  expect(await answered(adminToken)).toBeNull();
  expect(waiting).toHaveLength(0);
  clock.advance(unknownForMs);
  for (let i = 0; i < 2; i++) expect(await answered(adminToken)).toBe(adminToken);
  expect(tokens.idOf('digest')).toBe('token-1');
});

it('is free again after accounts did not answer', async () => {
  const ask = () => Promise.reject(new GatewayError(503, 'away'));
  const tokens = new AdminTokenLookups({ ask } as unknown as DashboardServices, new FakeClock());
  for (let i = 0; i <= lookupsInFlight; i++) await expect(tokens.find('x', [])).rejects.toThrow('away');
});
