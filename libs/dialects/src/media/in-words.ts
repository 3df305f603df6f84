import type { CatalogModel } from '@tollgate/contracts';
import type { MediaNeed } from '../surface-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isList, isObject, itemsOf, listOf, membersNamed } from '../wire/json-walk';
import { withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject } from '../wire/splice-object';
import { askedTurn } from './asked-turn';
import type { MediaForm } from './media-forms';
import { mediaNeeds, mediaWarning, mediaWords, takesMedia, unmetNeed } from './media-needs';

/** A body as its model takes it, and what the caller is told of that. */
interface InWords {
  body: Uint8Array;
  warnings: readonly string[];
}

/** What becomes words here. `told`: what did so far. */
interface Unseen {
  readonly form: MediaForm;
  readonly needs: readonly MediaNeed[];
  readonly told: Set<MediaNeed>;
  readonly textType: string;
}

/**
 * A body whose pictures, files and recordings, as far as its model does not take them, are words: those of
 * earlier turns and of tools' results, which a session brings with each of its requests. Everything else
 * stays byte for byte; the very same bytes where there is nothing to do. Only turns that hold such parts are
 * walked over, and none is parsed, since nobody else is served meanwhile.
 * `demands`: what the user's new question holds is not to be lost; else it becomes words, too.
 * @throws GatewayError 400 where it is, and the model does not take it.
 */
export function inWords(body: Uint8Array, form: MediaForm, model: CatalogModel, demands: boolean): InWords {
  const needs = mediaNeeds.filter((need) => form.types[need].length > 0 && !takesMedia(model, need));
  const traces = needs.flatMap((need) => form.types[need].map((type) => `"${type}"`));
  if (!holdsAny(body, traces)) return { body, warnings: [] };
  const source = withoutBom(body);
  const before = [...itemsOf(membersNamed(source, [form.turns]).get(form.turns))];
  const kinds = (index: number) => form.kindOf(before[index] ?? source.subarray(0, 0));
  const asked = demands ? askedTurn(before.length, kinds) : -1;
  const all = new Set<MediaNeed>();
  const turns = before.map((turn, index) => {
    if (!isObject(turn) || !holdsAny(turn, traces)) return turn;
    const told = new Set<MediaNeed>();
    const written = partsInWords(turn, { form, needs, told, textType: form.textType(turn) });
    const [lost] = told;
    if (index === asked && lost !== undefined) throw unmetNeed(model.id, lost);
    for (const need of told) all.add(need);
    return written;
  });
  if (all.size === 0) return { body, warnings: [] };
  return {
    body: spliceObject(source, membersOf(source), { set: { [form.turns]: listOf(turns) } }),
    warnings: [...all].map((need) => mediaWarning(model.id, need)),
  };
}

function holdsAny(json: Uint8Array, texts: readonly string[]): boolean {
  return texts.some((text) => holdsText(asBuffer(json), text));
}

/** A turn, or a part of one that holds parts. */
function partsInWords(object: Uint8Array, unseen: Unseen): Uint8Array {
  const members = membersOf(object);
  const set: Record<string, readonly Uint8Array[]> = {};
  for (const { name, valueStart, end } of members) {
    if (!unseen.form.lists.includes(name)) continue;
    const value = object.subarray(valueStart, end);
    const written = isList(value) ? listInWords(value, unseen) : isObject(value) ? [partsInWords(value, unseen)] : null;
    if (written !== null && written[0] !== value) set[name] = written;
  }
  return Object.keys(set).length === 0 ? object : spliceObject(object, members, { set });
}

/** Null: it stays as it is. */
function listInWords(list: Uint8Array, unseen: Unseen): readonly Uint8Array[] | null {
  const before = [...itemsOf(list)];
  const after = before.map((part) => partInWords(part, unseen));
  return after.every((part, index) => part === before[index]) ? null : listOf(after);
}

function partInWords(part: Uint8Array, unseen: Unseen): Uint8Array {
  if (!isObject(part)) return part;
  const need = unseen.form.needOf(part);
  if (need === null || !unseen.needs.includes(need)) return partsInWords(part, unseen);
  unseen.told.add(need);
  const words = { type: unseen.textType, text: mediaWords[need] };
  // A mark for the provider's cache ends what was before it, too.
  const mark = membersNamed(part, ['cache_control']).get('cache_control');
  const text = inJson(words);
  return isObject(mark) ? spliceObject(text, membersOf(text), { set: { cache_control: mark } }) : text;
}
