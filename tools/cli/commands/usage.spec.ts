import { noUsage } from '@tollgate/contracts';
import { fastModel, ran } from '../ran.fixture';

const event = {
  ...{ id: 'e', requestId: 'r', keyId: 'k', accountId: 'a', requestedModel: 'm', model: 'groq/fast', status: 200 },
  ...{ surface: 'openai-chat', stream: false, state: 'completed', estimated: false, attempts: [], startedAt: 0 },
  ...{ firstTokenAt: null, endedAt: 1, lease: null, reportedBy: 'inference', usage: noUsage },
};
const explained = { event, price: null, aboveInputTokens: null, hours: null, lines: [] };
const replies = (facts: object) => [
  { events: [{ ...explained, computedNanoUsd: null, storedNanoUsd: null }] },
  { revision: 1, sandbox: false, providers: [], models: [{ ...fastModel, ...facts }], available: [] },
];

describe('usage explain', () => {
  it.each([
    ['prices that are old', { pricesAsOf: '2020-01-01' }, 'last taken from their source on 2020-01-01'],
    ['a price on which sources disagree', { priceUnconfirmed: true }, 'is unconfirmed: sources disagree'],
  ])('says beside a charge that it rests on %s', async (_, facts, words) => {
    expect((await ran('usage explain e', replies(facts))).out).toContain(words);
    expect((await ran('usage explain e', replies({}))).out).not.toContain(words);
  });
});
