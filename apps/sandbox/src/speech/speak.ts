import type { Behaviour } from '../behaviour/behaviour';
import type { Connection } from './connection';
import type { Dialect, Spoken } from './simulated-dialect';
import { speakStream } from './speak-stream';

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
