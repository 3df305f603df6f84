import { randomBytes } from 'node:crypto';
import type { Attack } from '../attack';
import { asking, wiring } from '../attack';
import type { Attacker } from '../attacker';

const crowd = { atOnce: 500, perSecond: 500 };
const hold = { holdMs: 60_000 };
const long = JSON.stringify({
  model: 'openai/gpt-5.4-mini',
  stream: true,
  messages: [{ role: 'user', content: 'Long. [[sandbox: tokens=30000 delay_ms=0]]' }],
});
const short = '{"model":"openai/gpt-5.4-mini","messages":[{"role":"user","content":"Hi. [[sandbox: tokens=3]]"}]}';
/** Small enough to be read at once, and never whole. */
const stalled = ' '.repeat(1_000_000);
/** What one read of a socket brings. */
const begun = ' '.repeat(65_536);
const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13', 'sec-websocket-key: x'];
/** The head of a request that reads. */
const asked = (attacker: Attacker, path: string) => attacker.head([], path).replace('POST', 'GET');

/** Connections that do not do what connections do. */
export const peerAttacks: readonly Attack[] = [
  wiring('slow senders', { atOnce: 100, perSecond: 100 }, (attacker) => ({
    first: `${attacker.head(['content-length: 5000'])}{"model":`,
    then: { bytes: ' ', everyMs: 200 },
    ...hold,
  })),
  wiring('slow readers', { atOnce: 50, perSecond: 50 }, (attacker) => ({
    first: attacker.head([`content-length: ${long.length}`]) + long,
    reads: false,
    ...hold,
  })),
  wiring('half-open requests', crowd, (attacker, number) => {
    const whole = attacker.head(['content-length: 1000']);
    return { first: number % 2 === 0 ? whole.slice(0, -2) : `${whole}{"model":`, ...hold };
  }),
  wiring('announced bodies of 31 MiB that never come', { atOnce: 100, perSecond: 100 }, (attacker) => ({
    first: attacker.head(['content-length: 32505856']),
    ...hold,
  })),
  {
    ...wiring('bodies of a megabyte that stall', { atOnce: 600, perSecond: 600 }, (attacker) => ({
      first: attacker.head(['content-length: 1040000']) + stalled,
      ...hold,
    })),
    leastMs: 4_000,
  },
  {
    ...wiring('bodies of 31 MiB that begin and wait', { atOnce: 2_000, perSecond: 2_000 }, (attacker) => ({
      first: attacker.head(['content-length: 32505856']) + begun,
      ...hold,
    })),
    leastMs: 4_000,
  },
  wiring('bodies that wait to be asked for', { atOnce: 200, perSecond: 200 }, (attacker) => ({
    first: attacker.head(['content-length: 20000000', 'expect: 100-continue']),
    ...hold,
  })),
  wiring('many connections', crowd, () => ({ first: '', ...hold })),
  wiring('pipelined requests', { atOnce: 8, perSecond: 8 }, (attacker) => ({
    first: (attacker.head([`content-length: ${short.length}`]) + short).repeat(50),
    holdMs: 3_000,
  })),
  {
    ...wiring('pipelined lists, unread', { atOnce: 600, perSecond: 600 }, (attacker) => ({
      first: asked(attacker, '/v1/models').repeat(20),
      reads: false,
      ...hold,
    })),
    leastMs: 4_000,
  },
  {
    ...wiring('pipelined documents, unread', { atOnce: 300, perSecond: 300 }, (attacker) => ({
      first: asked(attacker, '/openapi.json').repeat(30),
      reads: false,
      ...hold,
    })),
    leastMs: 4_000,
  },
  wiring('floods of headers', { atOnce: 50, perSecond: 100 }, (attacker) => ({
    first: attacker.head(Array.from({ length: 3_000 }, (_, index) => `x-${index}: ${'y'.repeat(20)}`)),
    holdMs: 2_000,
  })),
  wiring('WebSocket junk', { atOnce: 50, perSecond: 100 }, (attacker, number) => ({
    first: `${attacker.head(upgrade, number % 2 === 0 ? '/v1/responses' : '/')}${randomBytes(200).toString('latin1')}`,
    holdMs: 2_000,
  })),
  wiring('bytes that are no HTTP', { atOnce: 50, perSecond: 100 }, () => ({
    first: randomBytes(2_000),
    holdMs: 1_000,
  })),
  wiring('chunks of one byte', { atOnce: 16, perSecond: 16 }, (attacker) => ({
    first: `${attacker.head(['transfer-encoding: chunked'])}${'1\r\n \r\n'.repeat(200_000)}`,
    holdMs: 3_000,
  })),
  asking('leaving before the head', { atOnce: 32, perSecond: 100 }, (attacker, number) => ({
    body: attacker.chat(number, 'headers_ms=3000'),
    leaveAfterMs: 20,
  })),
  asking('leaving before the first token', { atOnce: 32, perSecond: 60 }, (attacker, number) => ({
    body: attacker.chat(number, 'first_ms=5000', { stream: true }),
    leaveAfterMs: 200,
  })),
  asking('leaving half-way', { atOnce: 32, perSecond: 60 }, (attacker, number) => ({
    body: attacker.chat(number, 'tokens=200 delay_ms=5', { stream: true }),
    leaveAfterBytes: 4_000,
  })),
  asking('leaving after the last token', { atOnce: 32, perSecond: 100 }, (attacker, number) => ({
    body: attacker.chat(number, 'tokens=3', { stream: true }),
    leaveAfterBytes: 900,
  })),
];
