import type { ProviderKeyRest } from '@tollgate/contracts/inference';
import { refusedKeyAlert, refusedKeyName } from './refused-keys';

const rest: ProviderKeyRest = {
  ...{ provider: 'acme', key: 1, deployment: null, status: 401, restsForMs: 60_000, of: 2, mark: '00aa' },
};
const other: ProviderKeyRest = { ...rest, key: 2, status: 429, mark: '00bb' };
const instead = 'its other keys are asked in its place.';

describe('a key of a provider that is refused', () => {
  it('is told under another name than one in its place, and under its place alone by a former release', () => {
    const names = [rest, { ...rest, mark: '00cc' }, other, { ...rest, mark: null }].map(refusedKeyName);
    expect(new Set(names).size).toBe(4);
    expect(names.at(-1)).toBe('provider.key_refused acme 1');
    expect(refusedKeyName({ ...rest, status: 402 })).toBe(names[0]);
  });

  it('is told with what its account lacks', () => {
    expect(refusedKeyAlert(rest, [rest]).text).toBe(`Key 1 of acme is refused (401); ${instead}`);
    expect(refusedKeyAlert(other, [other])).toMatchObject({
      text: `Key 2 of acme is out of credit or quota (429); ${instead}`,
      data: { provider: 'acme', key: 2, status: 429, keys: 2 },
    });
    expect(refusedKeyAlert({ ...rest, status: 402 }, [rest]).text).toContain('is out of credit or quota (402)');
  });

  it('is told as the last one where all are refused, at whichever instances, and only there', () => {
    const text = 'Key 2 of acme is out of credit or quota (429), and so none of the 2 keys of acme serves.';
    expect(refusedKeyAlert(other, [rest, other]).text).toBe(text);
    const elsewhere = { ...rest, provider: 'elsewhere' };
    for (const more of [elsewhere, { ...other, restsForMs: 1 }])
      expect(refusedKeyAlert(other, [other, more]).text).toContain(instead);
  });

  it('is told as before of a former release, which does not say of how many it is', () => {
    const former = { ...rest, of: null };
    expect(refusedKeyAlert(former, [former, { ...other, of: null }])).toMatchObject({
      text: expect.stringContaining(instead),
      data: { provider: 'acme', key: 1, status: 401 },
    });
  });
});
