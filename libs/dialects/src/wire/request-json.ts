import { GatewayError } from '@tollgate/contracts';
import { isUtf8 } from 'node:buffer';
import { asBuffer, closingQuote, JsonCursor, JsonDepthError, JsonSyntaxError, longStringBytes } from './json-cursor';
import { isRecord } from './json-value';

/** How deep a request's JSON may nest. */
const maxDepth = 64;
/**
 * How many values its objects and lists may hold in all, and bytes their names: what a body becomes in memory
 * grows with these, not with its size.
 */
const maxJsonValues = 200_000;
const maxNameBytes = 1024 * 1024;

/**
 * The request's bytes without a byte order mark, which RFC 8259 lets a parser ignore: it is accepted and
 * never passed on.
 */
export function withoutBom(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/**
 * Reads a request body. @throws GatewayError 400 saying what is wrong: an empty body, bytes that are not
 * UTF-8, malformed JSON (with its position), nesting beyond 64 levels, more than 200,000 values or 1 MiB of
 * names, each also within arguments of calls, which are JSON in a text, more than `mostTextBytes` of text in
 * a large body, a body that is no object, or a member named `__proto__` or `prototype` inside `constructor`.
 */
export function parseRequestJson(body: Uint8Array, mostTextBytes = Infinity): unknown {
  const bytes = asBuffer(withoutBom(body));
  if (bytes.length === 0) throw badRequest('The request body is empty; send a JSON object.');
  if (!isUtf8(bytes)) throw badRequest('The request body is not valid UTF-8.');
  const shape = { values: 1, nameBytes: 0 };
  if (bytes.length > harmlessBytes && bytes.length - checkShape(bytes, shape) > mostTextBytes)
    throw tooMuchText(mostTextBytes);
  const value = parseText(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`The request body must be a JSON object, not ${describe(value)}.`);
  }
  checkTree(value, 1, shape);
  return value;
}

/** How many values were counted, and bytes of names. */
interface Shape {
  values: number;
  nameBytes: number;
}

/**
 * A text of this length takes little memory and cannot hold too many values, so its nesting is looked at
 * after JSON.parse, which is cheaper.
 */
const harmlessBytes = 256 * 1024;

/**
 * Refuses what JSON.parse would build at the cost of a lot of time and memory: deep nesting, many values,
 * long names. It counts brackets, commas and colons outside strings, and leaves everything else to
 * JSON.parse. Returns how many bytes look like data.
 */
function checkShape(bytes: Buffer, shape: Shape, where = ''): number {
  let depth = 0;
  let lastStringBytes = 0;
  let dataBytes = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const start = at;
      at = endOfString(bytes, start);
      lastStringBytes = at - start;
      if (lastStringBytes > dataSampleBytes && isData(bytes, start)) dataBytes += lastStringBytes;
    } else if (byte === 0x2c) {
      if (++shape.values > maxJsonValues) throw tooManyValues();
    } else if (byte === 0x3a) {
      if ((shape.nameBytes += lastStringBytes) > maxNameBytes) throw tooLongNames();
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw tooDeep(where);
      if (!isEmptyAt(bytes, at) && ++shape.values > maxJsonValues) throw tooManyValues();
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return dataBytes;
}

/**
 * Whether a JSON text holds more than so many values, as a scan of its bytes counts them, and no further than
 * that takes.
 */
export function holdsMoreValues(json: Uint8Array, most: number): boolean {
  const bytes = asBuffer(json);
  if (bytes.length <= most) return false;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x2c && ++values > most) return true;
    else if ((byte === 0x7b || byte === 0x5b) && !isEmptyAt(bytes, at) && ++values > most) return true;
  }
  return false;
}

/**
 * Whether an object in JSON text, of which `value` was parsed, names a member twice. JSON.parse reads the
 * last of these, other parsers may read another: https://www.rfc-editor.org/rfc/rfc8259#section-4
 */
export function repeatsNames(json: Uint8Array, value: unknown): boolean {
  const bytes = asBuffer(json);
  let named = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x3a) named++;
  }
  return named > membersWithin(value);
}

function membersWithin(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  return inner.reduce((sum: number, each) => sum + membersWithin(each), Array.isArray(value) ? 0 : inner.length);
}

/** An object or a list that closes where it opens holds no value. */
function isEmptyAt(bytes: Buffer, at: number): boolean {
  return bytes[at + 1] === (bytes[at] ?? 0) + 2;
}

const dataSampleBytes = 512;

/**
 * Data of media is base64, so its beginning has no spaces; nor has what is sealed. Text may look so, and is
 * taken for data then.
 */
function isData(bytes: Buffer, start: number): boolean {
  return !bytes.subarray(start, start + dataSampleBytes).includes(0x20);
}

/** The index of the closing quote; the length of the text when there is none. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (const near = Math.min(at + longStringBytes, bytes.length); at < near; at++) {
    const byte = bytes[at];
    if (byte === 0x22) return at;
    if (byte === 0x5c) at++;
  }
  const end = closingQuote(bytes, at);
  return end < 0 ? bytes.length : end;
}

function parseText(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw badRequest(`The request body is malformed JSON ${position(bytes)}.`);
  }
}

/**
 * Where the grammar breaks, found by our own scanner: the engine's messages do not always tell, and quote the
 * body.
 */
function position(bytes: Buffer): string {
  try {
    const cursor = new JsonCursor().reset(bytes);
    cursor.skip();
    cursor.finish();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return positionInLines(bytes, error.position);
    if (!(error instanceof JsonDepthError)) throw error;
  }
  return '(position unknown)';
}

function positionInLines(bytes: Buffer, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  const ending = offset >= bytes.length ? ': it ends too early' : '';
  return `at line ${line}, column ${offset - lineStart + 1} (byte ${offset})${ending}`;
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  return value === null ? 'null' : `a ${typeof value}`;
}

/** Refuses deep nesting, and the names that turn a careless copy of the body into prototype pollution. */
function checkTree(value: unknown, depth: number, shape: Shape): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxDepth) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) checkTree(item, depth + 1, shape);
  } else if (isRecord(value)) {
    for (const name in value) {
      const member = value[name];
      checkName(name, member);
      if (typeof member !== 'string') checkTree(member, depth + 1, shape);
      else if (name === 'arguments' && jsonStart.test(member)) checkShape(Buffer.from(member), shape, argumentsOfCall);
    }
  }
}

/** Arguments that begin in another way are a text, as of a custom tool, and are parsed by nobody. */
const jsonStart = /^\s*[[{]/;
const argumentsOfCall = ' within the arguments of a call';

function checkName(name: string, member: unknown): void {
  if (name === '__proto__') throw badRequest('The request body has a member named __proto__, which is not allowed.');
  if (name === 'constructor' && isRecord(member) && Object.hasOwn(member, 'prototype')) {
    throw badRequest('The request body has a member named constructor.prototype, which is not allowed.');
  }
}

function tooDeep(where = ''): GatewayError {
  return badRequest(`The request body nests deeper than ${maxDepth} levels${where}.`);
}

function tooManyValues(): GatewayError {
  return badRequest(
    `The request body holds more than ${maxJsonValues} JSON values, which is the most that is accepted.`,
  );
}

function tooMuchText(mostBytes: number): GatewayError {
  return badRequest(
    `The request holds more than ${mostBytes} bytes of text, which is more than the whole token quota of this key can take.`,
  );
}

function tooLongNames(): GatewayError {
  return badRequest(`The names in the request body are longer than ${maxNameBytes} bytes in all, which is the most.`);
}

function badRequest(message: string): GatewayError {
  return new GatewayError(400, message);
}
