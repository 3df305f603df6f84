import type { Behaviour } from '../behaviour/behaviour';
import type { Connection } from './connection';
import { speakPlain } from './speak-plain';
import { speakStream } from './speak-stream';
import type { Spoken, Dialect } from './simulated-dialect';

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
