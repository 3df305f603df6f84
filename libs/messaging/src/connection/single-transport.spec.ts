import { Parser } from 'nats/lib/nats-base-client/internal_mod';
import type { ParserEvent } from 'nats/lib/nats-base-client/internal_mod';
import { resolveHost } from './single-transport';

describe('the addresses of a host', () => {
  const unknown = () => Promise.reject(new Error('ENOTFOUND'));
  const silent = () => new Promise<string[]>(() => undefined);

  /** One resolver after the other, as these say, and how many were asked and left alone again. */
  function nameServers(...answers: [four: () => Promise<string[]>, six: () => Promise<string[]>][]) {
    const seen = { asked: 0, cancelled: 0 };
    const newResolver = () => {
      const [resolve4, resolve6] = answers[seen.asked++] ?? [silent, silent];
      return { resolve4, resolve6, cancel: () => void seen.cancelled++ };
    };
    return { seen, newResolver };
  }

  it('takes all addresses, those of IPv4 first, by one question', async () => {
    const { seen, newResolver } = nameServers([async () => ['10.0.0.7'], async () => ['fd00::7']]);
    expect(await resolveHost('nats', newResolver)).toEqual(['10.0.0.7', 'fd00::7']);
    expect(seen).toEqual({ asked: 1, cancelled: 1 });
  });

  it.each<[string, () => Promise<string[]>, () => Promise<string[]>]>([
    ['both', silent, silent],
    ['that for IPv4', silent, unknown],
    ['that for IPv6', async () => ['10.0.0.7'], silent],
  ])('asks again where %s got lost, and leaves nothing open', async (_, four, six) => {
    const { seen, newResolver } = nameServers([four, six], [async () => ['10.0.0.8'], unknown]);
    expect(await resolveHost('nats', newResolver)).toEqual(['10.0.0.8']);
    expect(seen).toEqual({ asked: 2, cancelled: 2 });
  });

  it('takes what the first one says late, and asks no more than five times', async () => {
    let say: (answer: string[]) => void = () => undefined;
    const late = new Promise<string[]>((resolve) => (say = resolve));
    const rest = Array.from({ length: 4 }, (): [() => Promise<string[]>, () => Promise<string[]>] => [silent, silent]);
    const { seen, newResolver } = nameServers([() => late, unknown], ...rest);
    const asking = resolveHost('nats', () => {
      if (seen.asked === 4) say(['10.0.0.9']);
      return newResolver();
    });
    expect(await asking).toEqual(['10.0.0.9']);
    expect(seen).toEqual({ asked: 5, cancelled: 5 });
  });

  it('leaves a name that no server knows to the system', async () => {
    const { newResolver } = nameServers([unknown, unknown]);
    expect(await resolveHost('localhost', newResolver)).toEqual(['localhost']);
  });
});

describe('a message', () => {
  /** What a client hears of these bytes, which come in reads of so many. */
  function heard(bytes: Buffer, readBytes: number): Uint8Array[] {
    const messages: Uint8Array[] = [];
    const parser = new Parser({ push: ({ data }: ParserEvent) => void (data && messages.push(data)) });
    for (let from = 0; from < bytes.length; from += readBytes) parser.parse(bytes.subarray(from, from + readBytes));
    return messages;
  }

  const message = (payload: string, headers = '') =>
    Buffer.from(
      headers === ''
        ? `MSG subject 1 ${payload.length}\r\n${payload}\r\n`
        : `HMSG subject 1 ${headers.length} ${headers.length + payload.length}\r\n${headers}${payload}\r\n`,
    );

  it.each([1, 7, 65_536])('is whole, in memory of its size, where it comes in reads of %i bytes', (readBytes) => {
    const payload = 'ab\r\nMSG c'.repeat(readBytes === 65_536 ? 50_000 : 50);
    const [first, second, third, ...more] = heard(
      Buffer.concat([message(payload), message(payload, 'NATS/1.0\r\n\r\n'), message(payload)]),
      readBytes,
    );
    const texts = [first, second, third].map((data) => Buffer.from(data ?? []).toString());
    expect(texts).toEqual([payload, `NATS/1.0\r\n\r\n${payload}`, payload]);
    expect(more).toEqual([]);
    expect(first?.buffer.byteLength).toBe(payload.length);
  });

  it('gives the memory of reads back that lie in one message as a whole, and of no others', () => {
    const messages: Uint8Array[] = [];
    const parser = new Parser({ push: ({ data }: ParserEvent) => void (data && messages.push(data)) });
    const payload = 'What a message says. '.repeat(20_000);
    const bytes = Buffer.concat([message('small'), message(payload), message('small')]);
    const reads: Buffer[] = [];
    for (let from = 0; from < bytes.length; from += 65_536) {
      const read = Buffer.allocUnsafeSlow(Math.min(65_536, bytes.length - from));
      bytes.copy(read, 0, from);
      reads.push(read);
      parser.parse(read);
    }
    expect(messages.map((data) => Buffer.from(data).toString())).toEqual(['small', payload, 'small']);
    expect(reads.map(({ length }) => length)).toEqual([65_536, 0, 0, 0, 0, 0, bytes.length % 65_536]);
  });
});
