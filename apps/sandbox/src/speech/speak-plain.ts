import type { Behaviour } from '../behaviour/behaviour';
import type { Connection } from './connection';
import type { Spoken, Dialect } from './simulated-dialect';

const json = { 'content-type': 'application/json' };

/** Gives a whole answer at once, after as long as its stream would take. */
export async function speakPlain(
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
