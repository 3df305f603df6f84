import type { FoundInHour } from '@tollgate/contracts/metering';
import { startMeteringDatabase } from '../testing/metering-database';
import type { MeteringDatabase } from '../testing/metering-database';
import { GuardrailFindings } from './guardrail-findings';

const hourMs = 3_600_000;
const noon = Date.UTC(2026, 10, 25, 12);

let store: MeteringDatabase;
let nowMs = noon;
let findings: GuardrailFindings;
beforeAll(async () => {
  store = await startMeteringDatabase();
  findings = new GuardrailFindings(store.databases, () => nowMs);
});
afterAll(() => store.stop());
afterEach(() => store.database.guardrailFinding.deleteMany({}));

const found = (changes: Partial<FoundInHour> = {}): FoundInHour => ({
  ...{ guardrail: 'cards', side: 'input', action: 'block', hour: noon, toldBy: 'edge-1', count: 1 },
  ...changes,
});

it('adds up what several instances tell of several hours, whichever of it comes twice or late', async () => {
  const hours = [
    found({ count: 3 }),
    found({ toldBy: 'edge-2', count: 4 }),
    found({ hour: noon + hourMs, count: 5 }),
    found({ guardrail: 'words', side: 'output', action: 'flag', toldBy: 'inference-1', count: 20 }),
  ];
  await findings.record(hours);
  await findings.record(hours);
  await findings.record([found({ count: 2 })]);
  const cards = { guardrail: 'cards', side: 'input', action: 'block' };
  expect(await findings.list(noon, noon + 2 * hourMs)).toEqual([
    { guardrail: 'words', side: 'output', action: 'flag', count: 20, lastHour: noon },
    { ...cards, count: 12, lastHour: noon + hourMs },
  ]);
  expect(await findings.list(noon + hourMs, noon + 2 * hourMs)).toEqual([
    { ...cards, count: 5, lastHour: noon + hourMs },
  ]);
});

it('adds up the hours that nobody tells of any more, to the same sums, also beyond 2^31 of them', async () => {
  nowMs = noon + 8 * hourMs + 1;
  const most = 2_000_000_000;
  await findings.record([found({ count: 3 }), found({ toldBy: 'edge-2', count: 4 })]);
  expect(await findings.fold()).toBe(2);
  await findings.record([found({ toldBy: 'edge-3', count: 5 }), found({ hour: noon + hourMs, count: most })]);
  await findings.record([found({ hour: noon + hourMs, toldBy: 'edge-2', count: most })]);
  expect(await findings.fold()).toBe(1);
  expect(await store.database.guardrailFinding.count()).toBe(3);
  expect(await findings.list(noon, noon + hourMs)).toMatchObject([{ count: 12 }]);
  expect(await findings.list(noon, noon + 2 * hourMs)).toMatchObject([{ count: 12 + 2 * most }]);
});

it('removes what is older than a month', async () => {
  await findings.record([found(), found({ hour: noon + hourMs })]);
  nowMs = noon + 31 * 86_400_000 + 1;
  expect(await findings.sweep()).toBe(1);
  expect(await findings.list(noon, noon + 2 * hourMs)).toMatchObject([{ count: 1 }]);
});
