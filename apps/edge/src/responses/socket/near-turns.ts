import { Inject, Injectable } from '@nestjs/common';
import { Settings } from '../../settings';

/**
 * What a connection remembers of its last turns: each with the whole conversation up to its end, as the JSON
 * text of a list of items.
 */
export interface NearTurns {
  /** Null: it does not remember that one. */
  find(id: string): Buffer | null;
  keep(id: string, items: Buffer): void;
}

/**
 * All connections together remember so large a part of the memory that bodies may take, those of one key so
 * large a part of that.
 */
const memoryShare = 4;
const keyShare = 4;

interface Entry {
  readonly keyId: string;
  readonly items: Buffer;
}

/**
 * Conversations that live as long as a connection, up to a number of bytes: the one that was used longest ago
 * makes room, and who goes on from it sends it whole.
 */
@Injectable()
export class RememberedTurns {
  private readonly entries = new Map<string, Entry>();
  private readonly bytesByKey = new Map<string, number>();
  private readonly limit: number;
  private bytes = 0;

  constructor(@Inject(Settings) { bodyMemory }: Pick<Settings, 'bodyMemory'>) {
    this.limit = bodyMemory / memoryShare;
  }

  find(name: string): Buffer | null {
    const entry = this.entries.get(name);
    if (!entry) return null;
    this.entries.delete(name);
    this.entries.set(name, entry);
    return entry.items;
  }

  keep(name: string, entry: Entry): void {
    this.forget(name);
    const { keyId, items } = entry;
    const limitOfKey = this.limit / keyShare;
    if (items.length > limitOfKey) return;
    this.entries.set(name, entry);
    this.count(keyId, items.length);
    this.makeRoom(() => (this.bytesByKey.get(keyId) ?? 0) > limitOfKey, keyId);
    this.makeRoom(() => this.bytes > this.limit, null);
  }

  forget(name: string): void {
    const entry = this.entries.get(name);
    if (!entry) return;
    this.entries.delete(name);
    this.count(entry.keyId, -entry.items.length);
  }

  /** `keyId` null: at the cost of any key. */
  private makeRoom(isTooMuch: () => boolean, keyId: string | null): void {
    for (const [name, entry] of this.entries) {
      if (!isTooMuch()) return;
      if (keyId === null || entry.keyId === keyId) this.forget(name);
    }
  }

  private count(keyId: string, bytes: number): void {
    this.bytes += bytes;
    const ofKey = (this.bytesByKey.get(keyId) ?? 0) + bytes;
    if (ofKey > 0) this.bytesByKey.set(keyId, ofKey);
    else this.bytesByKey.delete(keyId);
  }
}
