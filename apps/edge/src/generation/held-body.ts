import type { FairMemory, Owner } from '@tollgate/messaging';
import { holdsMoreValues } from '@tollgate/dialects/surface';
import type { CallersWait } from './caller-left';

/** Where a body's bytes go: at most `limit` of them, whose memory is taken of `memory` for this owner. */
export interface BodyRoom {
  readonly limit: number;
  readonly memory: FairMemory;
  readonly owner: Owner;
}

/** A whole request body. Those that are large lie in memory of their own, which can be handed to a thread. */
export interface HeldBody {
  readonly bytes: Buffer;
  /** These bytes lie elsewhere now, where a thread had them. What is not this body's is left alone. */
  readonly moved: (from: Buffer, to: Buffer) => void;
  /** It is these bytes now, no more than there was room for: only they are held. It was left before. */
  become(bytes: Buffer): void;
  /** Others look at its memory even after it is released: it is not used again. */
  leave(): void;
  /**
   * Waits for the memory of so many bytes that belong to it, and are released with it.
   * @throws GatewayError 503 when that took too long; CallerLeft.
   */
  more(bytes: number): Promise<void>;
  /** For what its request waits for apart from that. */
  readonly whileThere: CallersWait;
  /**
   * Nobody looks at these bytes any more, nor at what lies beside them, which are large: the system has their
   * memory, which V8 would collect the whole heap for. Small ones are left to it.
   */
  free(bytes: Uint8Array): void;
  /** Its memory is free again, and so is what else it held; later calls do nothing. */
  release(): void;
  /** Calls this once, when it is released. */
  onRelease(run: () => void): void;
}

/**
 * What is looked through for guardrails on the event loop: a text takes some 40 µs for two guardrails,
 * however short it is. 40 requests a second of 2,500 texts, which hold fewer values than those above, left 37
 * of 40 requests of others without an answer.
 */
const mostGuardedValues = 128;
const mostGuardedBytes = 65_536;

/** A body that is looked through by a thread where guardrails hold for it. */
export function isDearToGuard(body: Uint8Array): boolean {
  return body.length > mostGuardedBytes || holdsMoreValues(body, mostGuardedValues);
}
