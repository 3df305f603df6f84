import { patience } from '@tollgate/testing';
import { connect } from 'node:net';

/** What came back on a raw connection before it closed or fell silent. */
export interface RawAnswer {
  /** Status of every answer, in order. */
  statuses: number[];
  text: string;
}

/**
 * Sends bytes as they are (Latin-1, so that a character is a byte) and reads until the server closes, or says
 * nothing more for `quietMs`.
 */
export function rawRequest(port: number, bytes: string | Buffer, quietMs = 700): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (): void => {
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
      resolve({ statuses, text });
    };
    socket.setTimeout(quietMs * patience, done);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      socket.setTimeout(quietMs);
    });
    socket.on('error', done);
    socket.on('close', done);
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}
