import type { Behaviour } from '../behaviour/behaviour';
import type { Connection } from './connection';
import type { Spoken, SpokenStep, Voice } from './voice';

const json = { 'content-type': 'application/json' };
const failed = 'The server had an error while processing the request.';
/** Without a delay so many steps travel in one write. */
const stepsPerWrite = 64;

/** Says a planned answer in a voice, and breaks it as the behaviour says. Resolves when it is over, however it ended. */
export async function speak(
  connection: Connection,
  voice: Voice,
  spoken: Spoken,
  behaviour: Behaviour,
  stream: boolean,
): Promise<void> {
  switch (behaviour.fault) {
    case 'hang':
      return connection.silence();
    case 'reset_before':
      return connection.reset();
    case 'html':
      return connection.answer(
        502,
        { 'content-type': 'text/html' },
        '<html><body>502 Bad Gateway</body></html>',
        0,
        'refused',
      );
    case 'empty':
      return connection.answer(200, json, '', 0, 'cut');
    default:
      return stream && behaviour.fault !== 'ignore_stream'
        ? speakStream(connection, voice, spoken, behaviour)
        : speakPlain(connection, voice, spoken, behaviour);
  }
}

async function speakPlain(connection: Connection, voice: Voice, spoken: Spoken, behaviour: Behaviour): Promise<void> {
  const { fault, firstMs, delayMs } = behaviour;
  const body = voice.plain(spoken);
  const tokens = spoken.answer.outputTokens;
  if (fault === 'reset_headers' || fault === 'reset_mid' || fault === 'stall' || fault === 'truncate') {
    await connection.head(200, json);
    if (fault !== 'reset_headers') await connection.write(body.slice(0, body.length / 2), 0, 0);
    if (fault === 'stall') return connection.silence();
    return fault === 'truncate' ? connection.end('', 'cut') : connection.reset();
  }
  await connection.wait(firstMs + delayMs * tokens);
  if (fault === 'error_first' || fault === 'error_mid')
    return connection.answer(200, json, voice.error(500, failed, null).body, 0, 'cut');
  if (fault === 'malformed') return connection.answer(200, json, body.slice(0, body.length / 2), 0, 'cut');
  if (fault !== 'trickle') return connection.answer(200, json, body, tokens, 'completed');
  await connection.head(200, json);
  await connection.trickle(body, tokens, 0);
  return connection.end('', 'completed');
}

async function speakStream(connection: Connection, voice: Voice, spoken: Spoken, behaviour: Behaviour): Promise<void> {
  const { fault, at, firstMs } = behaviour;
  const { opening, steps, closing } = voice.stream(spoken);
  await connection.head(200, { 'content-type': voice.streamType, 'cache-control': 'no-cache' });
  await connection.wait(firstMs);
  if (fault === 'reset_headers') return connection.reset();
  if (fault === 'error_first') return connection.end(voice.errorInStream(failed), 'cut');
  await connection.write(opening, 0, 1);
  const isBroken =
    fault === 'reset_mid' ||
    fault === 'truncate' ||
    fault === 'stall' ||
    fault === 'error_mid' ||
    fault === 'malformed';
  await writeSteps(connection, isBroken ? steps.slice(0, at) : steps, behaviour);
  switch (fault) {
    case 'reset_mid':
      return connection.reset();
    case 'truncate':
      return connection.end('', 'cut');
    case 'stall':
      return connection.silence();
    case 'error_mid':
      return connection.end(voice.errorInStream(failed), 'cut');
    case 'malformed':
      return connection.end(joined([voice.malformed(), closing]), 'cut');
    default:
      return connection.end(closing, 'completed');
  }
}

async function writeSteps(
  connection: Connection,
  steps: readonly SpokenStep[],
  { delayMs, fault }: Behaviour,
): Promise<void> {
  const perWrite = delayMs === 0 && fault !== 'trickle' ? stepsPerWrite : 1;
  for (let at = 0; at < steps.length && connection.isOpen; at += perWrite) {
    if (at > 0) await connection.wait(delayMs);
    const together = steps.slice(at, at + perWrite);
    const bytes = joined(together.map((step) => step.bytes));
    const tokens = together.reduce((sum, step) => sum + step.tokens, 0);
    if (fault === 'trickle') await connection.trickle(bytes, tokens, together.length);
    else await connection.write(bytes, tokens, together.length);
  }
}

function joined(parts: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
