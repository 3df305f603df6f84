import { usageStream, uuidv7 } from '@tollgate/contracts';
import { ledgerOperations, meteringOperations } from '@tollgate/contracts/metering';
import { connectToNats } from '@tollgate/messaging';
import { eventually } from '@tollgate/testing';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import type { Stack } from '../../stack/stack';

/** What the overview counts in each of its windows. `admin`: the page of whoever has this email address. */
export function overviewWindows(stack: () => Stack, admin: () => Page, email: string): void {
  const report = z.object({ totals: z.object({ requests: z.number(), total_tokens: z.number() }) });
  const requestId = 'within-windows';
  let apiKey: string;

  beforeAll(async () => {
    const made = await stack().createKey({ name: 'Windows', email: email });
    apiKey = made.apiKey;
    const answer = await fetch(`${stack().baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-request-id': requestId },
      body: JSON.stringify({ model: 'openai/gpt-5.4-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await answer.arrayBuffer();
    const find = () =>
      stack()
        .call(ledgerOperations.explain, { id: requestId })
        .catch(() => null);
    const [asked] = (await eventually(find, (found) => found !== null, 10_000))?.events ?? [];
    const now = Date.now();
    const monthBeganAt = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());
    // Two minutes inside of each window, and two outside.
    const ages = [1, 24, 7 * 24, 30 * 24].flatMap((hours) => [hours * 60 - 2, hours * 60 + 2]);
    const ends = [...ages.map((minutes) => now - minutes * 60_000), monthBeganAt - 1, monthBeganAt];
    const events = ends.map((endedAt) => {
      const times = { startedAt: endedAt - 100, firstTokenAt: null, endedAt };
      return { ...asked?.event, ...times, id: uuidv7(endedAt), requestId: `at-${endedAt}`, lease: null };
    });
    const connection = await connectToNats({ url: stack().natsUrlOf('inference'), name: 'spec' });
    connection.publish(usageStream.subject, JSON.stringify(events));
    await connection.drain();
    const stored = () => stack().call(meteringOperations.recount, { keyId: made.key.id });
    await eventually(stored, (found) => found.events === 1 + events.length, 30_000);
  });

  it.each([
    ['hour', 'period=hour'],
    ['day', 'period=day'],
    ['week', 'period=week'],
    ['month', 'period=month'],
    ['calendar', 'period=month&calendar=true'],
  ])('has the numbers that the API tells of it: %s', async (range, query) => {
    const exact = (name: string) =>
      admin()
        .locator('dl > div', { has: admin().getByText(name, { exact: true }) })
        .locator('dd[title]')
        .getAttribute('title');
    const format = (count: number) => new Intl.NumberFormat('en').format(count);
    const look = async () => {
      const answer = await fetch(`${stack().baseUrl}/api/metrics?${query}`, { headers: { 'x-api-key': apiKey } });
      const { requests, total_tokens: tokens } = report.parse(await answer.json()).totals;
      expect(requests).toBeGreaterThan(1);
      await admin().goto(`${stack().baseUrl}/overview?range=${range}`);
      const seen = { requests: await exact('Requests'), tokens: await exact('Tokens') };
      return { seen, told: { requests: format(requests), tokens: format(tokens) } };
    };
    // Where both are looked at while something leaves the window, they are looked at once more.
    const first = await look();
    const { seen, told } = isDeepStrictEqual(first.seen, first.told) ? first : await look();
    expect(seen).toEqual(told);
  });
}
