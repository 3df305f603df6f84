import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastModel, ran } from '../ran.fixture';

const provider = { id: 'groq', name: 'Groq', dialect: 'openai-chat', baseUrl: 'https://groq.test', apiKeyEnv: [] };
const snapshot = { revision: 1, sandbox: false, providers: [provider], models: [fastModel], available: ['groq/fast'] };
const taken = { taken: true };
const bill = { provider: 'groq', day: '2026-11-22', source: 'bill.csv', readAt: 1, ratedAt: 2, problem: null };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-invoices-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'bill.csv');
  writeFileSync(path, text);
  return path;
}

describe('invoices import', () => {
  const focus = `ChargePeriodStart,BilledCost,BillingCurrency,ServiceName,SkuMeter
2026-11-23T00:00:00Z,0.5,USD,Foundry Models,Fast Outp glbl Tokens
2026-11-22T00:00:00Z,0.25,USD,Foundry Models,Fast Inp glbl Tokens
2026-11-22T00:00:00Z,1,USD,Foundry Models,Slow Inp glbl Tokens
2026-11-22T00:00:00Z,3,USD,Storage,Requests
`;

  it('stores a file day by day, and says how it was read, what it left out, and which models nobody knows', async () => {
    const { asked, out } = await ran(`invoices import ${file(focus)} --provider groq`, [snapshot, taken, taken]);
    expect(asked.slice(1)).toMatchObject([
      {
        ...{ subject: 'metering.invoices.store', provider: 'groq', day: '2026-11-22', source: 'bill.csv', add: false },
        lines: [
          { model: 'groq/fast', kind: 'input', picoUsd: '250000000000' },
          { model: 'groq/Slow Inp glbl Tokens', kind: 'input', picoUsd: '1000000000000' },
        ],
      },
      { day: '2026-11-23', lines: [{ model: 'groq/fast', kind: 'output' }] },
    ]);
    expect(out).toContain('Read as FOCUS.');
    expect(out).toMatch(/2026-11-22 +2 +\$1\.25/);
    expect(out).toContain('Left out, as no service of models: Storage ($3).');
    expect(out).toMatch(/no model that is called so; --model <text=id> .*\n {2}Slow Inp glbl Tokens/);
  });

  it('takes an operator’s word for what a line means, if there is such a model', async () => {
    const command = `invoices import ${file(focus)} --provider groq --model Slow=groq/fast`;
    const { asked, out } = await ran(command, [snapshot, taken, taken]);
    expect(asked[1]).toMatchObject({ lines: [{ model: 'groq/fast' }, { model: 'groq/fast' }] });
    expect(out).not.toContain('--model');
    const none = ran(`invoices import ${file(focus)} --provider groq --model Slow=groq/slow`, [snapshot]);
    await expect(none).rejects.toThrow('The catalog has no model groq/slow.');
  });

  it('stores nothing of a file of which it cannot read one line', async () => {
    const path = file(`${focus}2026-11-24T00:00:00Z,a lot,USD,Foundry Models,Fast Inp glbl Tokens\n`);
    // No reply is there for a store, so that one would fail otherwise.
    await expect(ran(`invoices import ${path} --provider groq`, [snapshot])).rejects.toThrow(
      'Line 6: a lot is no amount of US dollars.',
    );
    await expect(ran(`invoices import ${path} --provider nobody`, [snapshot])).rejects.toThrow('no provider nobody');
    await expect(ran(`invoices import ${file('day,usd\n')} --provider groq`, [snapshot])).rejects.toThrow('no line');
  });
});

describe('reconcile', () => {
  const line = {
    ...{ provider: 'groq', day: '2026-11-22', model: 'groq/fast', kind: 'input', unpriced: 0, requests: 2 },
    ...{ ratedPicoUsd: '40000000000', unbilledPicoUsd: '10000000000', estimatedPicoUsd: '50000000000' },
    ...{ billedQuantity: null, ratedQuantity: 4 },
  };
  const reply = (billedPicoUsd: string, driftPicoUsd: string) => ({
    bills: [bill],
    lines: [{ ...line, billedPicoUsd, driftPicoUsd }],
  });
  const command = 'reconcile --from 2026-11-22';

  it('shows what may have been charged beside what is certain, and no difference where that explains it', async () => {
    const { out } = await ran(command, [reply('70000000000', '0')]);
    expect(out).toMatch(/CHARGED ON TO NOBODY +PERHAPS/);
    expect(out).toMatch(/2026-11-22 +groq +bill\.csv .* 0\.01 +0\.05 +ok/);
    expect(out).toContain('No line differs.');
    expect((await ran(`${command} --all`, [reply('70000000000', '0')])).out).toMatch(
      /groq\/fast +input +0\.07 +0\.04 +0\.05 +0 +2/,
    );
  });

  it('refuses what even that does not explain', async () => {
    const differs = ran(command, [reply('110000000000', '20000000000')]);
    await expect(differs).rejects.toThrow('differ from the ledger by $0.02');
  });
});
