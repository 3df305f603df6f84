import { aboutProviderKey } from '@tollgate/contracts/catalog';
import { OpeningKey } from '@tollgate/sealing';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { ran } from '../ran.fixture';

const opening = new OpeningKey('a key-encryption key of 32 characters');
const to = { sealing: opening.public, baseUrl: 'https://acme.example/v1' };
const main = { name: 'main', lastFour: 'acme', setAt: 0, setBy: 'cli:ada', problem: null };
const acme = { provider: 'acme', builtIn: false, baseUrl: to.baseUrl, problem: null, keys: [main] };
const sealedBox = z.object({ sealed: z.string() });

/** Runs `work` while this comes in, as from a pipe. */
async function withInput<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
  // Read as it is, the real one would be opened, and hold the process.
  const real = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { value: Readable.from([text]), configurable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(process, 'stdin', real);
  }
}

describe('providers', () => {
  it('are given a key that comes in, which leaves the command sealed, and is written down by its name alone', async () => {
    const replies = [to, {}, { version: 3, provider: acme }];
    const { asked, out } = await withInput('sk-key-of-acme\n', () => ran('providers key acme', replies));
    expect(asked.map((each) => (each as { subject: string }).subject)).toEqual([
      ...['catalog.providers.sealing', 'accounts.administration.record-act', 'catalog.providers.keys.set'],
    ]);
    expect(asked[1]).toMatchObject({ action: 'provider-key-asked', detail: { provider: 'acme', name: 'main' } });
    expect(asked[2]).toMatchObject({ provider: 'acme', name: 'main', lastFour: 'acme', by: 'cli:spec' });
    const { sealed } = sealedBox.parse(asked[2]);
    expect(opening.open(sealed, aboutProviderKey('acme', 'main', to.baseUrl))).toBe('sk-key-of-acme');
    expect(JSON.stringify([asked, out])).not.toContain('sk-key');
    expect(out).toContain('acme at https://acme.example/v1 holds, from version 3 of the settings.');
    expect(out).toContain('Key main …acme (cli:ada, 1970-01-01T00:00:00Z).');
  });

  it('are given none for another address than was named, and none that no header can hold', async () => {
    const elsewhere = () => ran('providers key acme --for https://evil.example/v1', [to]);
    await expect(withInput('sk-key-of-acme', elsewhere)).rejects.toMatchObject({
      message: 'acme is at https://acme.example/v1, and not at https://evil.example/v1. The key is not given.',
    });
    for (const text of ['', 'two words', 'two\nlines'])
      await expect(withInput(text, () => ran('providers key acme', [to]))).rejects.toMatchObject({ exitCode: 2 });
    await expect(ran('providers key acme --name Main', [])).rejects.toThrow('a name of a key is lower-case letters');
  });

  it('are set with what was said, written down first', async () => {
    const line = 'providers set acme --base-url https://acme.example/v1 --models never --without-key --reason trial';
    const { asked } = await ran(line, [{}, { version: 1, provider: { ...acme, keys: [] } }]);
    expect(asked[0]).toMatchObject({
      action: 'provider-change-asked',
      detail: { provider: 'acme', baseUrl: to.baseUrl, reason: 'trial' },
    });
    expect(asked[1]).toMatchObject({
      provider: 'acme',
      baseUrl: to.baseUrl,
      models: 'never',
      keys: [],
      onlyNew: false,
    });
  });

  it('are shown with what is wrong', async () => {
    const providers = [acme, { ...acme, provider: 'other', problem: 'its key main is not there' }];
    const { out } = await ran('providers list', [{ sealing: null, providers }]);
    expect(out).toMatch(/acme +https:\/\/acme.example\/v1 +yes +main …acme \(cli:ada/);
    expect(out).toMatch(/other .* NO .*its key main is not there/);
    expect(out).toContain('No inference instance has a TOLLGATE_KEY_ENCRYPTION_KEY');
  });

  it('have keys sealed again, and end in a refusal where one cannot be opened', async () => {
    expect((await ran('providers reseal', [{}, { resealed: 1, failed: [] }])).out).toBe('1 key is sealed again.');
    const failed = [{ provider: 'acme', name: 'main' }];
    await expect(ran('providers reseal', [{}, { resealed: 2, failed }])).rejects.toMatchObject({
      message: 'Inference cannot open: main of acme. Give them again.',
    });
    const failedOwn = [{ account: 'ada@example.org', provider: 'openai' }];
    await expect(ran('providers reseal', [{}, { resealed: 2, failed, failedOwn }])).rejects.toMatchObject({
      message: 'Inference cannot open: main of acme, the own key of openai of ada@example.org. Give them again.',
    });
    await expect(ran('providers reseal', [{}, { resealed: 2, failed, ownUnseen: true }])).rejects.toMatchObject({
      message: expect.stringMatching(/^Inference cannot open: main of acme\. .*Not all own keys .* Run it again/),
    });
  });
});
