import { createApiKey } from '@tollgate/contracts';
import { randomBytes } from 'node:crypto';
import type { Attack } from '../attack';
import { asking, wiring } from '../attack';

const flood = { atOnce: 32, perSecond: 200 };
const some = { atOnce: 16, perSecond: 40 };
/** What is the caller's own mistake is never told as a fault, however often it is made. */
const ownMistakes = { ...some, never: /^5/ };
const responses = '/v1/responses';
const unwanted = ' '.repeat(5_000_000);
const question = { role: 'user', content: 'And now?' };

/** Requests that are refused, by edge or by the provider. */
export const refusalAttacks: readonly Attack[] = [
  asking('400: no messages', flood, (attacker, number) => ({ body: { model: attacker.model(number), messages: [] } })),
  asking('400: broken JSON', flood, () => ({ body: '{"model":' })),
  asking('404: unknown model', flood, (_, number) => ({
    body: { model: `nobody/has-${number}`, messages: [{ role: 'user', content: 'Hi' }] },
  })),
  asking('404: a name of a model of 900 kB', some, (_, number) => ({
    body: { model: `openai/${'gpt-5.4-mini'.repeat(75_000)}${number}`, messages: [{ role: 'user', content: 'Hi' }] },
  })),
  asking('404: unknown path', flood, (_, number) => ({ path: `/v1/nothing/${number}`, body: {} })),
  asking('404: stale reasoning item', ownMistakes, (_, number) => ({
    path: responses,
    body: { model: 'openai/gpt-5.4-mini', input: [{ type: 'item_reference', id: `rs_${number}` }, question] },
  })),
  asking('400: stale previous response', ownMistakes, (_, number) => ({
    path: responses,
    body: { model: 'openai/gpt-5.4-mini', previous_response_id: `resp_${number}`, input: 'And now?' },
  })),
  asking('404: unknown file', ownMistakes, (attacker, number) => ({
    body: attacker.chat(number, 'fault=unknown_file'),
  })),
  asking('429: own requests a minute', flood, (attacker, number) => ({
    key: attacker.means.keys.limited,
    body: attacker.chat(number, 'tokens=3'),
  })),
  asking('429: own quota', flood, (attacker, number) => ({
    key: attacker.means.keys.spent,
    body: attacker.chat(number, 'tokens=3', { max_tokens: 500 }),
  })),
  asking('401: wrong keys', flood, (attacker, number) => ({
    key: `${attacker.means.keys.open.slice(0, -20)}${randomBytes(10).toString('hex')}`,
    body: attacker.chat(number, 'tokens=3'),
  })),
  asking('401: keys of the right form that nobody has', { atOnce: 600, perSecond: 1_200 }, (attacker, number) => ({
    key: createApiKey('tg'),
    body: attacker.chat(number, 'tokens=3'),
  })),
  asking('401: malformed keys', flood, (attacker, number) => ({
    key: randomBytes(1_000).toString('base64url'),
    body: attacker.chat(number, 'tokens=3'),
  })),
  asking('401: no key, 1 MiB', some, () => ({ key: null, body: Buffer.alloc(1024 * 1024, ' ') })),
  // As a proxy sends them, over connections on which it sends those of others: who comes behind such a body
  // waits for all that are thrown away.
  {
    ...wiring('401: refused bodies over a shared connection', { atOnce: 40, perSecond: 40 }, (attacker) => ({
      first: attacker.head([`content-length: ${unwanted.length}`]).replace('Bearer ', 'Bearer x') + unwanted,
      holdMs: 2_000,
      shared: true,
    })),
    never: /kept/,
    leastMs: 4_000,
  },
  asking('415 and 405', flood, (_, number) =>
    number % 2 === 0 ? { headers: { 'content-type': 'text/plain' }, body: 'Hi' } : { method: 'GET' },
  ),
  asking('a prompt beyond the context', some, (attacker, number) => ({ body: attacker.chat(number, 'fault=context') })),
];
