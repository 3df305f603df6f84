import type { GenerationSurface, SurfaceName } from '@tollgate/contracts';
import type { CatalogModel } from '@tollgate/contracts/catalog';
import { isOrderToGoOn } from '../canonical/continued-request';
import type { Translation, UpstreamRequest } from '../provider-dialect';
import type { MediaNeed } from '../surface-dialect';
import { holdsText } from '../wire/holds-text';
import { asBuffer } from '../wire/json-cursor';
import { isList, isObject, itemsOf, listOf, membersNamed } from '../wire/json-walk';
import { holdsMoreValues, withoutBom } from '../wire/request-json';
import { inJson, membersOf, spliceObject } from '../wire/splice-object';
import { askedTurn } from './asked-turn';
import type { TurnKind } from './asked-turn';
import { mediaForms, type MediaForm } from './media-forms';
import { mediaNeeds, mediaWarning, mediaWords, takesMedia, unmetNeed } from './media-needs';

/** A body of more is not looked through, since nobody else is served meanwhile: no more are translated. */
const mostValues = 50_000;
/**
 * So deep parts stand within a turn: an image in a document in a result of a tool is the fourth object. Each
 * level is walked over anew.
 */
const mostLevels = 4;

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
 * stays byte for byte; the very same bytes where there is nothing to do, or too much: the provider says then
 * what it does not take. Only turns that hold such parts are walked over, and none is parsed.
 * `demands`: what the user's new question holds is not to be lost; else it becomes words, too.
 * @throws GatewayError 400 where it is, and the model does not take it.
 */
export function inWords(body: Uint8Array, form: MediaForm, model: CatalogModel, demands: boolean): InWords {
  const needs = mediaNeeds.filter((need) => form.types[need].length > 0 && !takesMedia(model, need));
  const traces = needs.flatMap((need) => form.types[need].map((type) => `"${type}"`));
  if (!holdsAny(body, traces) || holdsMoreValues(body, mostValues)) return { body, warnings: [] };
  const source = withoutBom(body);
  const before = [...itemsOf(membersNamed(source, [form.turns]).get(form.turns))];
  const asked = demands ? askedTurn(before.length, (index) => kindOf(before[index], form)) : -1;
  const all = new Set<MediaNeed>();
  const turns = before.map((turn, index) => {
    if (!isObject(turn) || !holdsAny(turn, traces)) return turn;
    const told = new Set<MediaNeed>();
    const written = partsInWords(turn, { form, needs, told, textType: form.textType(turn) }, 1);
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

/**
 * What a model must see, read or hear to answer what it is asked now: what stands behind its last turn, which
 * in the middle of a loop of tools is what they have just read. Nothing of a body that is not looked through.
 */
export function mediaToRead(body: Uint8Array, surface: SurfaceName): readonly MediaNeed[] {
  const form = surface in mediaForms ? mediaForms[surface as GenerationSurface] : null;
  const traces = mediaNeeds.flatMap((need) => form?.types[need].map((type) => `"${type}"`) ?? []);
  if (!form || !holdsAny(body, traces) || holdsMoreValues(body, mostValues)) return [];
  const turns = [...itemsOf(membersNamed(withoutBom(body), [form.turns]).get(form.turns))];
  const answered = turns.findLastIndex((turn) => kindOf(turn, form) === 'assistant');
  const told = new Set<MediaNeed>();
  for (const turn of turns.slice(answered + 1))
    if (isObject(turn) && holdsAny(turn, traces))
      partsInWords(turn, { form, needs: mediaNeeds, told, textType: form.textType(turn) }, 1);
  return [...told];
}

/** That an answer is to go on is no question of the user's. */
function kindOf(turn: Uint8Array | undefined, form: MediaForm): TurnKind {
  return turn === undefined || isOrderToGoOn(turn) ? 'beside' : form.kindOf(turn);
}

function holdsAny(json: Uint8Array, texts: readonly string[]): boolean {
  return texts.some((text) => holdsText(asBuffer(json), text));
}

/** A turn, which is the first level, or a part of one that holds parts. */
function partsInWords(object: Uint8Array, unseen: Unseen, level: number): Uint8Array {
  if (level > mostLevels) return object;
  const members = membersOf(object);
  const set: Record<string, readonly Uint8Array[]> = {};
  for (const name of unseen.form.lists) {
    const member = members.findLast((each) => each.name === name);
    if (!member) continue;
    const value = object.subarray(member.valueStart, member.end);
    const written = isList(value) ? listInWords(value, unseen, level + 1) : objectInWords(value, unseen, level + 1);
    if (written !== null) set[name] = written;
  }
  return Object.keys(set).length === 0 ? object : spliceObject(object, members, { set });
}

/** Null: it stays as it is. */
function objectInWords(value: Uint8Array, unseen: Unseen, level: number): readonly Uint8Array[] | null {
  const written = isObject(value) ? partsInWords(value, unseen, level) : value;
  return written === value ? null : [written];
}

/** Null: it stays as it is. */
function listInWords(list: Uint8Array, unseen: Unseen, level: number): readonly Uint8Array[] | null {
  const before = [...itemsOf(list)];
  const after = before.map((part) => partInWords(part, unseen, level));
  return after.every((part, index) => part === before[index]) ? null : listOf(after);
}

function partInWords(part: Uint8Array, unseen: Unseen, level: number): Uint8Array {
  if (!isObject(part)) return part;
  const need = unseen.form.needOf(part);
  if (need === null || !unseen.needs.includes(need)) return partsInWords(part, unseen, level);
  unseen.told.add(need);
  const words = { type: unseen.textType, text: mediaWords[need] };
  // A mark for the provider's cache ends what was before it, too.
  const mark = membersNamed(part, ['cache_control']).get('cache_control');
  const text = inJson(words);
  return isObject(mark) ? spliceObject(text, membersOf(text), { set: { cache_control: mark } }) : text;
}

/**
 * A translation in which pictures, files and recordings of earlier turns and of tools are words where the
 * model that is asked does not take them, as providers refuse all of a request for one of them. Another place
 * of the same request, whose model takes them, gets them.
 * @throws GatewayError 400 where the user's new question holds what the model does not take.
 */
export function withWords(translation: Translation, form: MediaForm): Translation {
  const translate = translation.translate?.bind(translation);
  return {
    ...translation,
    prepare: (body, target, options) => {
      // A thread has done so before it translated.
      if (options.translated) return translation.prepare(body, target, options);
      const taken = inWords(body, form, target.model, true);
      return warned(translation.prepare(taken.body, target, options), taken.warnings);
    },
    ...(translate && {
      translate: (body, target) => {
        const taken = inWords(body, form, target.model, true);
        return warned(translate(taken.body, target), taken.warnings);
      },
    }),
    countInputTokens: (body: Uint8Array, model?: CatalogModel) =>
      translation.countInputTokens(model ? inWords(body, form, model, false).body : body),
  };
}

/** An attempt whose caller is told of these first. */
export function warned<Attempt extends { request: UpstreamRequest }>(
  attempt: Attempt,
  warnings: readonly string[],
): Attempt {
  if (warnings.length === 0) return attempt;
  return { ...attempt, request: { ...attempt.request, warnings: [...warnings, ...attempt.request.warnings] } };
}
