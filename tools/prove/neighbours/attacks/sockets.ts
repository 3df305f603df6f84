import type WebSocket from 'ws';
import { answersWithinMs } from '../attack';
import type { Attack } from '../attack';
import type { Attacker } from '../attacker';

const mebibyte = 1024 * 1024;
const lanes = Array.from({ length: 16 }, (_, lane) => `lane-${lane}`);
const asked = (controls: string, more: object = {}): string =>
  JSON.stringify({
    type: 'response.create',
    model: 'openai/gpt-5.4-mini',
    input: `On a line. [[sandbox: ${controls}]]`,
    ...more,
  });
const ends = /"type":"(?:response\.(?:completed|incomplete|failed)|error)"/;
/** So many frames in one turn of the attacker's loop, which answers what comes between. */
const burst = 2_000;

type Rate = Pick<Attack, 'atOnce' | 'perSecond'>;

/** An attack on a WebSocket of its own for each. */
function speaking(
  name: string,
  rate: Rate & Pick<Attack, 'leastMs' | 'patienceMs'>,
  speak: (ws: WebSocket) => Promise<void>,
): Attack {
  return { name, ...rate, act: (attacker: Attacker, _number, end) => attacker.speak(speak, end) };
}

/** What each of these brings takes some seconds where others work on the same cores. */
const large = { atOnce: 4, perSecond: 4, patienceMs: 3 * answersWithinMs };

/** Until the line is closed. */
const forever = () => new Promise<void>(() => undefined);

/** Resolves when so many turns are over. */
function turnsOver(ws: WebSocket, count: number): Promise<void> {
  let over = 0;
  return new Promise((resolve) => {
    ws.on('message', (data: Buffer) => {
      if (ends.test(data.toString('utf8')) && ++over === count) resolve();
    });
  });
}

/** Sends again and again, as fast as the line takes it, until it is closed. */
async function flooding(ws: WebSocket, send: () => void): Promise<void> {
  while (ws.readyState === ws.OPEN) {
    for (let count = 0; count < burst; count++) send();
    await new Promise((resolve) => setImmediate(resolve));
    while (ws.readyState === ws.OPEN && ws.bufferedAmount > mebibyte)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Responses over WebSocket, and what else can be said there. */
export const socketAttacks: readonly Attack[] = [
  speaking('completed: sixteen turns at once', { atOnce: 16, perSecond: 16 }, (ws) => {
    for (const lane of lanes) ws.send(asked('tokens=60', { stream_id: lane }));
    return turnsOver(ws, lanes.length);
  }),
  speaking('created: turns that nobody reads', { atOnce: 3, perSecond: 3 }, (ws) => {
    for (const lane of lanes) ws.send(asked('tokens=30000', { stream_id: lane }));
    // The first event tells that one runs.
    ws.once('message', () => ws.pause());
    return forever();
  }),
  speaking('completed or error: turns of 29 MiB', large, (ws) => {
    const tool = {
      type: 'function',
      name: 'f',
      parameters: { type: 'object', properties: {}, default: 'x y '.repeat(7_500_000) },
    };
    ws.send(asked('tokens=3', { tools: [tool] }));
    return turnsOver(ws, 1);
  }),
  speaking('completed or error: turns that only prepare, of 29 MiB', large, (ws) => {
    ws.send(asked('', { generate: false, instructions: 'x y '.repeat(7_500_000) }));
    return turnsOver(ws, 1);
  }),
  speaking('completed: turns that are remembered', { atOnce: 16, perSecond: 16 }, (ws) => {
    const content = [
      { type: 'input_text', text: 'Look. [[sandbox: tokens=3]]' },
      { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(4 * mebibyte)}` },
    ];
    ws.send(asked('', { input: [{ role: 'user', content }], store: false }));
    return turnsOver(ws, 1).then(forever);
  }),
  speaking('101: fragments of one byte', { atOnce: 8, perSecond: 8 }, (ws) => {
    ws.send('{', { fin: false });
    return flooding(ws, () => ws.send(' ', { fin: false }));
  }),
  speaking('101: pings whose answers nobody reads', { atOnce: 16, perSecond: 16 }, (ws) => {
    ws.pause();
    return flooding(ws, () => ws.ping('x'.repeat(120)));
  }),
  speaking('error: events that are none', { atOnce: 8, perSecond: 8 }, (ws) => flooding(ws, () => ws.send('{}'))),
  // Edge asks those that are open whether they are there, again and again.
  speaking('101: two thousand that are open', { atOnce: 2_000, perSecond: 1_000, leastMs: 18_000 }, forever),
  speaking('101: opened and left', { atOnce: 50, perSecond: 200 }, async (ws) => ws.terminate()),
];
