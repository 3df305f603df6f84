import type { Attack } from '../attack';
import { wiring } from '../attack';
import type { Attacker } from '../attacker';
import { made } from './made';

const hold = { holdMs: 60_000 };
const year = 365 * 86_400_000;
/** The largest file of the dashboard's page. */
const largestAsset = made(async (attacker: Attacker, end) => {
  const page = await attacker.text({ method: 'GET', path: '/', key: null, headers: { accept: 'text/html' } }, end);
  const [path] = /\/assets\/[\w.-]+\.js/.exec(page) ?? [];
  if (path === undefined) throw new Error('the page has no script');
  return path;
});

/** Asks for an asset again and again on each of its connections. */
function ofAssets(name: string, times: number, more: readonly string[]): Attack {
  return {
    name,
    atOnce: 300,
    perSecond: 300,
    leastMs: 4_000,
    prepare: largestAsset,
    act: async (attacker, _number, end) => {
      const lines = [`GET ${await largestAsset(attacker, end)} HTTP/1.1`, 'host: tollgate', ...more, '', ''];
      return attacker.wire({ first: lines.join('\r\n').repeat(times), reads: false, ...hold }, end);
    },
  };
}

const chat = (controls: string) =>
  JSON.stringify({
    model: 'openai/gpt-5.4-mini',
    stream: true,
    messages: [{ role: 'user', content: `Said. [[sandbox: ${controls}]]` }],
  });
const posted = (attacker: Attacker, body: string, path?: string) =>
  attacker.head([`content-length: ${Buffer.byteLength(body)}`], path) + body;
const short = chat('tokens=400 delay_ms=2');
const inBackground = JSON.stringify({
  model: 'openai/gpt-5.4-mini',
  input: 'Later. [[sandbox: tokens=400 delay_ms=2]]',
  background: true,
  stream: true,
});
const plain = '{"model":"openai/gpt-5.4-mini","messages":[{"role":"user","content":"Hi. [[sandbox: tokens=3]]"}]}';
const socketWish = [
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
];
const wish = (attacker: Attacker) => attacker.head(socketWish, '/v1/responses').replace('POST', 'GET');
const listOf = (attacker: Attacker) => attacker.head([], '/v1/models').replace('POST', 'GET');

/** Who asks and does not read what comes, or says nothing more. */
export const readerAttacks: readonly Attack[] = [
  wiring('many small streams, unread', { atOnce: 400, perSecond: 200 }, (attacker) => ({
    first: posted(attacker, short),
    reads: false,
    ...hold,
  })),
  wiring('many small streams in the background, unread', { atOnce: 400, perSecond: 200 }, (attacker) => ({
    first: posted(attacker, inBackground, '/v1/responses'),
    reads: false,
    ...hold,
  })),
  wiring('exports, unread', { atOnce: 200, perSecond: 200 }, (attacker, number) => {
    const what = number % 2 === 0 ? 'requests' : 'series&step=day&groupBy=model';
    const window = `startAt=${Date.now() - year}&endAt=${Date.now()}`;
    const format = number % 4 < 2 ? 'csv' : 'json';
    const path = `/api/reports/export?what=${what}&format=${format}&${window}`;
    return { first: attacker.pageHead(path).repeat(20), reads: false, ...hold };
  }),
  ofAssets('assets, unread', 1, []),
  ofAssets('assets, pipelined and unread', 50, []),
  ofAssets('ranges of assets, pipelined', 90, ['range: bytes=0-0,2-2,4-4,6-6,8-1000,100000-']),
  {
    ...wiring('connections that are kept and begin another request', { atOnce: 600, perSecond: 600 }, (attacker) => ({
      first: `${attacker.head([], '/livez').replace('POST', 'GET')}GET /v1/models HTTP/1.1\r\nhost: tollgate\r\n`,
      then: { bytes: 'x-more: y\r\n', everyMs: 200 },
      ...hold,
    })),
    leastMs: 4_000,
  },
  {
    ...wiring('connections that are kept for one list each', { atOnce: 600, perSecond: 600 }, (attacker) => ({
      first: listOf(attacker),
      ...hold,
    })),
    leastMs: 4_000,
  },
  wiring('WebSockets that are opened together', { atOnce: 600, perSecond: 6_000 }, (attacker) => ({
    first: wish(attacker),
    holdMs: 1_000,
  })),
  wiring('a WebSocket behind pipelined requests', { atOnce: 50, perSecond: 100 }, (attacker) => ({
    first: posted(attacker, plain).repeat(20) + wish(attacker),
    holdMs: 2_000,
  })),
  wiring('wishes for a WebSocket, pipelined', { atOnce: 50, perSecond: 100 }, (attacker, number) => ({
    first: (number % 2 === 0 ? wish(attacker) : wish(attacker).replace('/v1/responses', '/livez')).repeat(200),
    holdMs: 2_000,
  })),
];
