import { EventStreamCodec } from '@smithy/core/event-streams';
import type { MessageHeaders } from '@smithy/core/event-streams';

const codec = new EventStreamCodec(
  (bytes: Uint8Array | string) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
  (text) => Buffer.from(text),
);

/** A message of an AWS event stream with text headers, as the official encoder writes it. */
export function awsMessage(headers: Record<string, string>, payload: string): Buffer {
  const typed: MessageHeaders = {};
  for (const [name, value] of Object.entries(headers)) typed[name] = { type: 'string', value };
  return Buffer.from(codec.encode({ headers: typed, body: Buffer.from(payload) }));
}

/** An event as Bedrock sends it. */
export function awsEvent(type: string, payload: object): Buffer {
  const headers = { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' };
  return awsMessage(headers, JSON.stringify(payload));
}

/** An exception inside a stream, as Bedrock sends it. */
export function awsException(type: string, payload: object): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' };
  return awsMessage(headers, JSON.stringify(payload));
}
