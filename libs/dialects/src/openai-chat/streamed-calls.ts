import { isRecord, parseJson } from '../wire/json-value';

/** A call that a stream has begun. */
export interface StreamedCall {
  /** By which clients know it. */
  readonly number: number;
  /** The provider's own id, null while it told none. */
  sent: string | null;
  /** Whether its tool's name was told. */
  isNamed: boolean;
  arguments: string;
}

/**
 * The calls of one choice, and which of them a fragment belongs to: by its id, by its number, or where it has
 * neither by its place. Some servers number every call 0, and tell no id.
 */
export class StreamedCalls<Call extends StreamedCall> {
  readonly begun: Call[] = [];
  /** The call that the provider's number means now. */
  private readonly byIndex = new Map<number, Call>();

  /**
   * The call of a fragment; undefined: another one begins. `position`: the fragment's place in its list;
   * -1: it is alone there. `isNamed`: it tells the tool's name.
   */
  find(fragment: Record<string, unknown>, position: number, isNamed: boolean): Call | undefined {
    const id = toldId(fragment.id);
    const byId = id === null ? undefined : this.begun.find(({ sent }) => sent === id);
    if (byId) return byId;
    const { index } = fragment;
    // Without a number and an id one of several belongs to the call at its place, one alone to the last call.
    const atPlace = id === null ? (this.begun[position] ?? this.begun.at(-1)) : undefined;
    const known = typeof index === 'number' ? this.byIndex.get(index) : atPlace;
    if (!known) return undefined;
    if (isNamed && (id === null ? isWhole(known) : known.sent !== null)) return undefined;
    known.sent ??= id;
    known.isNamed ||= isNamed;
    return known;
  }

  /** Begins the call of a fragment that belongs to none. */
  begin({ id, index }: Record<string, unknown>, isNamed: boolean, made: (known: StreamedCall) => Call): Call {
    const taken = new Set(this.begun.map(({ number }) => number));
    const number = typeof index === 'number' && !taken.has(index) ? index : Math.max(-1, ...taken) + 1;
    const call = made({ number, sent: toldId(id), isNamed, arguments: '' });
    this.begun.push(call);
    this.byIndex.set(typeof index === 'number' ? index : number, call);
    return call;
  }
}

/** A name that comes now is that of another call. */
function isWhole({ isNamed, arguments: text }: StreamedCall): boolean {
  return isNamed && isRecord(parseJson(text));
}

/** Null: none was told. */
export function toldId(id: unknown): string | null {
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id.trim() !== '' ? id : null;
}
