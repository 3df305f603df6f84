import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { firstTurns, mayBegin } from './pipelined';
import { usualAddress } from '../generation/generation-routes';
import { hostFault } from './server-options';

/**
 * Takes a connection whose caller wants another protocol on it; false: it is a request like any other.
 * `head`: what came behind the request.
 */
export type UpgradeTaker = (message: IncomingMessage, socket: Socket, head: Buffer) => boolean;

/** A socket with the answer that is being given on it, as Node keeps it. */
type ServerSocket = Socket & { _httpMessage?: object | null };

/**
 * Gives every request for another protocol to `take`, in turns with the first requests of other connections.
 * As soon as anybody listens for these, Node answers none of them by itself, though HTTP lets a server pass
 * over the wish
 * (https://www.rfc-editor.org/rfc/rfc9110#section-7.8), and Java's client sends it with every request that is
 * not encrypted
 * (https://docs.oracle.com/en/java/javase/21/docs/api/java.net.http/java/net/http/HttpClient.Version.html).
 * So what is not taken is read once more, without the wish, and so is what is refused for its host.
 */
export function takeUpgrades(server: Server, isTls: boolean, take: UpgradeTaker): void {
  const begin = (message: IncomingMessage, socket: Socket, head: Buffer) => {
    const { url } = message;
    message.url = usualAddress(message);
    if (!hostFault(message) && take(message, socket, head)) return;
    message.url = url;
    socket.unshift(Buffer.concat([Buffer.from(withoutWish(message), 'latin1'), head]));
    server.emit(isTls ? 'secureConnection' : 'connection', socket);
  };
  server.on('upgrade', (message: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as ServerSocket;
    // An answer to a request before this one is on its way: nothing can come in between.
    if (socket._httpMessage) return void socket.destroy();
    // Node has left it by now, and nobody else listens while it waits.
    const left = () => socket.destroy();
    socket.on('error', left);
    firstTurns.soon(() => {
      if (!mayBegin(socket)) return;
      socket.off('error', left);
      begin(message, socket, head);
    });
  });
}

/** The request as it came, but for the option that makes a wish of its `upgrade` header. */
function withoutWish({ method = 'GET', url = '/', httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    lines.push(`${name}: ${name.toLowerCase() === 'connection' ? otherOptions(value) : value}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function otherOptions(value: string): string {
  const options = value.split(',').map((option) => option.trim());
  return options.filter((option) => option.toLowerCase() !== 'upgrade').join(', ') || 'keep-alive';
}
