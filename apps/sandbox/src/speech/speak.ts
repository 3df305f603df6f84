import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Behaviour } from '../behaviour/behaviour';
import type { Connection } from './connection';
import type { Dialect, Spoken, SpokenStep, SpokenStream } from './simulated-dialect';

const json = { 'content-type': 'application/json' };

const html = { 'content-type': 'text/html' };

/**
 * Says a planned answer in a dialect, and breaks it as the behaviour says. Resolves when it is over, however
 * it ended.
 */
export async function speak(
  connection: Connection,
  dialect: Dialect,
  spoken: Spoken,
  behaviour: Behaviour,
): Promise<void> {
  switch (behaviour.fault) {
    case 'hang':
      return connection.silence();
    case 'reset_before':
      return connection.reset();
    case 'html':
      return connection.answer(502, html, '<html><body><h1>502 Bad Gateway</h1></body></html>', 0, 'refused');
    case 'empty':
      return connection.answer(200, { 'content-type': 'application/json' }, '', 0, 'cut');
    default:
      return spoken.request.stream && behaviour.fault !== 'ignore_stream'
        ? speakStream(connection, dialect, spoken, behaviour)
        : speakPlain(connection, dialect, spoken, behaviour);
  }
}

/** Gives a whole answer at once, after as long as its stream would take. */
async function speakPlain(
  connection: Connection,
  dialect: Dialect,
  spoken: Spoken,
  { fault, firstMs, delayMs, padKib }: Behaviour,
): Promise<void> {
  const said = dialect.plain(spoken);
  const padding = padKib * 1_024;
  if (fault === 'reset_headers' || fault === 'reset_mid' || fault === 'stall' || fault === 'truncate')
    return breakOff(connection, ' '.repeat(padding) + said, fault);
  const tokens = spoken.choices.reduce((sum, choice) => sum + choice.outputTokens, 0);
  await connection.wait(firstMs + delayMs * tokens);
  if (fault === 'error_first' || fault === 'error_mid') {
    const reply = { status: 500, message: null, type: null, param: null, code: null, key: '', retryAfterS: null };
    return connection.answer(200, json, dialect.error(reply).body, 0, 'cut');
  }
  if (fault === 'malformed') {
    const body = ' '.repeat(padding) + said;
    return connection.answer(200, json, body.slice(0, body.length / 2), 0, 'cut');
  }
  const sound = spoken.choices.reduce((sum, choice) => sum + choice.soundTokens, 0);
  if (fault !== 'trickle') return connection.answer(200, json, said, tokens, 'completed', sound, padding);
  await connection.head(200, json);
  await connection.trickle(' '.repeat(padding) + said, tokens, 0, sound);
  return connection.end('', 'completed');
}

/** Head and half a body, and then nothing good. */
async function breakOff(connection: Connection, body: string, fault: Behaviour['fault']): Promise<void> {
  await connection.head(200, json);
  if (fault !== 'reset_headers') await connection.write(body.slice(0, body.length / 2), 0, 0);
  if (fault === 'stall') return connection.silence();
  return fault === 'truncate' ? connection.end('', 'cut') : connection.reset();
}

const failed = 'The server had an error while processing your request.';
/**
 * Without a delay so many steps travel in one write, as they do from a provider that is faster than the
 * network.
 */
const stepsPerWrite = 64;

/** Streams an answer, and breaks it as its behaviour says. */
async function speakStream(
  connection: Connection,
  dialect: Dialect,
  spoken: Spoken,
  behaviour: Behaviour,
): Promise<void> {
  const { fault, firstMs } = behaviour;
  const stream = dialect.stream(spoken);
  const broken = endingOf(fault, dialect, stream);
  await connection.head(200, { 'content-type': stream.type ?? dialect.streamType, 'cache-control': 'no-cache' });
  await connection.wait(firstMs);
  if (fault === 'reset_headers') return connection.reset();
  if (fault !== 'error_first') {
    if (stream.opening !== null) await connection.write(stream.opening, 0, spoken.choices.length);
    await writeSteps(connection, stream.steps, behaviour, broken ? behaviour.at : Infinity);
  }
  if (broken) return broken(connection);
  return connection.end(stream.closing(), 'completed');
}

/** How a fault ends the stream after its `at` tokens; null when it ends well. */
function endingOf(
  fault: Behaviour['fault'],
  dialect: Dialect,
  stream: SpokenStream,
): ((connection: Connection) => Promise<void>) | null {
  switch (fault) {
    case 'reset_mid':
      return (connection) => connection.reset();
    case 'truncate':
      return (connection) => connection.end('', 'cut');
    case 'stall':
      return (connection) => connection.silence();
    case 'error_first':
    case 'error_mid':
      return (connection) => connection.end(dialect.errorInStream(failed), 'cut');
    case 'malformed':
      // All looks well after the broken event, so that who skips it takes the answer for whole.
      return (connection) => connection.end(joined([dialect.malformed(), stream.closing()]), 'cut');
    default:
      return null;
  }
}

/** Writes the steps up to `most` of those that show tokens. */
async function writeSteps(
  connection: Connection,
  steps: Iterable<SpokenStep>,
  { delayMs, fault }: Behaviour,
  most: number,
): Promise<void> {
  const perWrite = delayMs === 0 && fault !== 'trickle' ? stepsPerWrite : 1;
  let isFirst = true;
  for (const together of groups(firstSteps(steps, most), perWrite)) {
    if (!connection.isOpen) return;
    // What a machine of its own would do beside others must not keep this one from answering them.
    if (!isFirst) await (delayMs === 0 ? nextTurn() : connection.wait(delayMs));
    isFirst = false;
    const bytes = joined(together.map((step) => step.bytes));
    const tokens = together.reduce((sum, step) => sum + step.tokens, 0);
    const sound = together.reduce((sum, step) => sum + (step.sound ?? 0), 0);
    if (fault === 'trickle') await connection.trickle(bytes, tokens, together.length, sound);
    else await connection.write(bytes, tokens, together.length, sound);
  }
}

function* firstSteps(steps: Iterable<SpokenStep>, most: number): Generator<SpokenStep> {
  let shown = 0;
  for (const step of steps) {
    if (step.tokens > 0 && ++shown > most) return;
    yield step;
  }
}

function* groups(steps: Iterable<SpokenStep>, size: number): Generator<SpokenStep[]> {
  let group: SpokenStep[] = [];
  for (const step of steps) {
    group.push(step);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** One text where all are texts: load tests stream through here. */
function joined(parts: readonly (string | Uint8Array)[]): string | Uint8Array {
  const texts = parts.filter((part) => typeof part === 'string');
  if (texts.length === parts.length) return texts.join('');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
