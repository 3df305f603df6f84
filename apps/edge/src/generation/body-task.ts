import { toFailureElsewhere } from '@tollgate/contracts';
import type { FailureElsewhere } from '@tollgate/contracts';
import type { Guardrail } from '@tollgate/contracts/catalog';
import type { ContentLogRules } from '@tollgate/contracts/metering';
import { GuardrailSet } from '@tollgate/guardrails';
import { hasOwnMemory } from '@tollgate/messaging';
import { itemPlaces, memberPlace, memberPlaces, parseRequestJson } from '@tollgate/dialects/surface';
import type { Places } from '@tollgate/dialects/surface';
import { toPolicy } from '../content-log/content-record';
import { redactedJson } from '../content-log/redacted-json';
import type { RedactedJson } from '../content-log/redacted-json';
import { guardedBody } from './guarded-body';
import type { Found, GuardOrder } from './guarded-body';
import { digestOf } from '../response-cache/cache-name';
import { inputAsLeft } from '../responses/input-as-left';
import { findItems } from '../responses/conversation-item';
import type { FoundItems } from '../responses/conversation-item';
import { readTold } from '../responses/told-response';
import type { ToldResponse } from '../responses/told-response';
import { operations } from './operations';
import type { Operation } from './operations';
import { countedInput, readSent } from './sent-request';
import type { Asker, SentFacts } from './sent-request';

/** What is wanted of a body that was read, before it goes on. */
export interface LookWish {
  /** Null: no guardrail holds. */
  readonly guard: GuardOrder | null;
  /** Null: it is not logged. */
  readonly log: ContentLogRules | null;
  /** The response cache asks for its digest. */
  readonly isNamed: boolean;
  /** The new input of a turn that is kept, which may lie in the body's memory; null: none is. */
  readonly turnInput: Uint8Array | null;
}

/** What came of it. `isChanged`: guardrails took something out. */
export interface LookedFacts {
  readonly isChanged: boolean;
  readonly redacted: RedactedJson | null;
  readonly digest: string | null;
  readonly turnInput: Uint8Array | null;
}

/**
 * What is looked for in JSON text: the items of a list with these ids, a member of an object, or its members
 * of these names, with those beside each.
 */
export type PlacesWish =
  | { readonly items: readonly string[] }
  | { readonly member: string }
  | { readonly members: readonly string[] };

/**
 * Work on a body: to read it for the operation at `path`, to look through it, to count its tokens. And on
 * what is kept, or is to be: to find places in it, to take a response apart (`isEvent`: it stands in the
 * event that closed its stream), to take a list of items apart.
 */
export type BodyTask =
  | { readonly name: 'read'; readonly path: string; readonly asker: Asker }
  | { readonly name: 'look'; readonly wish: LookWish }
  | { readonly name: 'count'; readonly path: string }
  | { readonly name: 'find'; readonly wish: PlacesWish }
  | { readonly name: 'take apart'; readonly isEvent: boolean }
  | { readonly name: 'list' };

/**
 * A body to be worked on. Its memory goes to the thread and comes back with the answer: nothing is copied.
 */
export interface BodyJob {
  readonly body: Uint8Array;
  readonly task: BodyTask;
}

/**
 * What became of it, and the body that goes on: by the task's name, a refusal of the caller's, or a fault of
 * ours.
 */
export interface BodyAnswer {
  readonly body: Uint8Array;
  readonly read?: SentFacts;
  readonly looked?: LookedFacts;
  readonly tokens?: number;
  readonly places?: Places;
  /** Null: there is no whole response. */
  readonly told?: ToldResponse | null;
  readonly items?: FoundItems;
  /** Told of a refused body too. */
  readonly found: readonly Found[];
  /** Nothing else came of it. */
  readonly failure?: FailureElsewhere;
}

/** What of a message between threads is handed over with it: the body, and what is large of a response. */
export function handedOver(message: BodyJob | BodyAnswer): ArrayBuffer[] {
  const told = 'told' in message ? message.told : null;
  const written = told ? [told.output, told.rest].filter(hasOwnMemory) : [];
  return [message.body, ...written].flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : []));
}

type Done = Omit<BodyAnswer, 'found' | 'failure'>;

/** Does a task on a thread. What operators set is made ready once, and anew when it is another. */
export class BodyWorker {
  private readonly guardrails = remembered((rules) => new GuardrailSet(JSON.parse(rules) as Guardrail[], 'input'));
  private readonly policy = remembered((rules) => toPolicy(JSON.parse(rules) as ContentLogRules));

  answerTo({ body, task }: BodyJob): BodyAnswer {
    const found: Found[] = [];
    try {
      return { ...this.done(toBuffer(body), task, found), found };
    } catch (error) {
      return { body, found, failure: toFailureElsewhere(error) };
    }
  }

  private done(body: Buffer, task: BodyTask, found: Found[]): Done {
    if (task.name === 'look') return this.looked(body, task.wish, found);
    if (task.name === 'list') return { body, items: findItems(body) };
    if (task.name === 'find') return { body, places: placesIn(body, task.wish) };
    if (task.name === 'take apart') return { body, told: readTold(body, task.isEvent) };
    const operation = operations.find(({ path }) => path === task.path);
    if (!operation) throw new Error(`nothing is asked for at ${task.path}`);
    if (task.name === 'read') return read(operation, body, task.asker);
    return { body, tokens: countedInput(operation, body) };
  }

  private looked(came: Buffer, { guard, log, isNamed, turnInput }: LookWish, found: Found[]): Done {
    const body = guard || log ? parseRequestJson(came) : null;
    const left = guard ? this.guarded(guard, body, came, found) : body;
    const isChanged = left !== body;
    const own = isChanged ? written(left) : came;
    const policy = log && this.policy(JSON.stringify(log));
    const looked = {
      isChanged,
      redacted: policy && redactedJson(left, policy.redactor, policy.rules.maxBodyBytes),
      digest: isNamed ? digestOf(own) : null,
      turnInput: turnInput && isChanged ? inputAsLeft(turnInput, left) : turnInput,
    };
    return { body: own, looked };
  }

  private guarded({ rules, keyId, model }: GuardOrder, body: unknown, bytes: Uint8Array, found: Found[]): unknown {
    const onFinding = (guardrail: string, action: Found['action']) => void found.push({ guardrail, action });
    const guard = this.guardrails(rules).guardFor({ keyId, model }, onFinding);
    return guard ? guardedBody(guard, body, bytes) : body;
  }
}

/**
 * A body in another form than its surface's own is written anew: the facts are of what was written, and its
 * memory comes back.
 */
function read(operation: Operation, body: Buffer, asker: Asker): Done {
  const came = readSent(operation, body, asker);
  const own = came.isRewritten ? written(came.parsed) : body;
  const sent = came.isRewritten ? readSent(operation, own, asker) : came;
  const inputAt = sent.read.state ? sent.inputAt() : null;
  const facts = { read: sent.read, keepsState: sent.keepsState(), textBytes: sent.textBytes(), inputAt };
  return { body: own, read: { ...facts, referencePlaces: sent.referencePlaces() } };
}

/** Where JSON text has what is looked for. @throws GatewayError as `memberPlaces` does. */
export function placesIn(json: Uint8Array, wish: PlacesWish): Places {
  if ('members' in wish) return memberPlaces(json, wish.members);
  return 'items' in wish ? itemPlaces(json, wish.items) : memberPlace(json, wish.member);
}

/** In memory of its own, which can be handed over. */
function written(body: unknown): Buffer {
  const json = JSON.stringify(body);
  const bytes = Buffer.from(new ArrayBuffer(Buffer.byteLength(json)));
  bytes.write(json);
  return bytes;
}

/** What comes from another thread is no Buffer any more. */
export function toBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** What `make` made of the last text is given again as long as the text is the same. */
function remembered<Made>(make: (text: string) => Made): (text: string) => Made {
  let last: { text: string; made: Made } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}
