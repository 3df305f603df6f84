import { GatewayError } from '@tollgate/contracts';
import { isRecord } from '../wire/json-value';

/**
 * Reads the fields of one object in a caller's request, and remembers which were read: `finish` names the
 * others, so that nothing is lost in silence.
 * As the providers do, null stands for absent. Every method @throws GatewayError 400 naming the field when it
 * has the wrong form.
 */
export class RequestFields {
  private readonly readNames = new Set<string>();

  /** `at` is the object's path in the body, '' for the body itself. */
  private constructor(
    private readonly record: Record<string, unknown>,
    private readonly at: string,
  ) {}

  static of(value: unknown, at: string): RequestFields {
    if (!isRecord(value)) throw invalid(at, 'must be an object');
    return new RequestFields(value, at);
  }

  /** The field's path, for messages. */
  path(name: string): string {
    return this.at === '' ? name : `${this.at}.${name}`;
  }

  /** The field as it is; undefined when it is absent or null. */
  raw(name: string): unknown {
    this.readNames.add(name);
    return this.record[name] ?? undefined;
  }

  text(name: string): string | undefined {
    return this.checked(name, 'a string', (value) => typeof value === 'string');
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw invalid(this.path(name), 'is required and must be a string');
    return value;
  }

  number(name: string): number | undefined {
    return this.checked(name, 'a number', (value) => typeof value === 'number');
  }

  /** Refuses what is no number from 0 to `maximum`. */
  checkRange(name: string, maximum: number): void {
    const isWithin = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maximum;
    this.checked(name, `a number from 0 to ${maximum}`, isWithin);
  }

  integer(name: string): number | undefined {
    return this.checked(name, 'an integer', (value): value is number => Number.isSafeInteger(value));
  }

  boolean(name: string): boolean | undefined {
    return this.checked(name, 'a boolean', (value) => typeof value === 'boolean');
  }

  list(name: string): unknown[] | undefined {
    return this.checked(name, 'an array', (value): value is unknown[] => Array.isArray(value));
  }

  texts(name: string): string[] | undefined {
    return this.checked(
      name,
      'an array of strings',
      (value): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    );
  }

  object(name: string): Record<string, unknown> | undefined {
    return this.checked(name, 'an object', isRecord);
  }

  /** One of `values`. */
  choice<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    return this.checked(name, `one of ${values.join(', ')}`, (value): value is Value =>
      values.some((candidate) => candidate === value),
    );
  }

  /** The fields of a nested object. */
  nested(name: string): RequestFields | undefined {
    const value = this.raw(name);
    return value === undefined ? undefined : RequestFields.of(value, this.path(name));
  }

  /** Marks fields as read that carry nothing (constants such as `type`). */
  ignore(...names: string[]): void {
    for (const name of names) this.readNames.add(name);
  }

  /** Names of the fields that nobody read and that hold something. */
  unreadNames(): string[] {
    return Object.keys(this.record).filter((name) => !this.readNames.has(name) && (this.record[name] ?? null) !== null);
  }

  /** Adds the paths of what nobody read to `unread`. */
  finish(unread: string[]): void {
    for (const name of this.unreadNames()) unread.push(this.path(name));
  }

  /** The top-level fields that nobody read, with their values. */
  rest(): Record<string, unknown> {
    return Object.fromEntries(this.unreadNames().map((name) => [name, this.record[name]]));
  }

  private checked<Value>(name: string, what: string, is: (value: unknown) => value is Value): Value | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (!is(value)) throw invalid(this.path(name), `must be ${what}`);
    return value;
  }
}

/** The 400 for the field at `path`. `problem` completes "'path' …". */
export function invalid(path: string, problem: string): GatewayError {
  return new GatewayError(400, path === '' ? `The request body ${problem}.` : `'${path}' ${problem}.`);
}
