import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Attack } from '../attack';
import { answersWithinMs, asking } from '../attack';
import type { Attacker } from '../attacker';
import { made } from './made';

const mebibyte = 1024 * 1024;
const responses = '/v1/responses';
const conversations = '/v1/conversations';
const few = { atOnce: 8, perSecond: 8 };
const flood = { atOnce: 32, perSecond: 200 };
const model = 'openai/gpt-5.4';
const named = z.object({ id: z.string() });

const idOf = async (attacker: Attacker, path: string, body: object, end: AbortSignal): Promise<string> =>
  named.parse(await attacker.read({ path, body }, end)).id;

const pictureBytes = 6 * mebibyte;
/** A picture is no text, so that no window is too small for it. */
const kept = (data: () => string) =>
  made((attacker, end) => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${data()}` };
    const content = [{ type: 'input_text', text: 'Look. [[sandbox: tokens=3]]' }, picture];
    return idOf(attacker, responses, { model, input: [{ role: 'user', content }] }, end);
  });
const keptPicture = kept(() => 'A'.repeat(pictureBytes));
/** As real ones, which no compression makes smaller than they were before Base64. */
const keptPhotograph = kept(() => randomBytes((pictureBytes / 4) * 3).toString('base64'));

const goingOn =
  (kept: typeof keptPicture): Attack['act'] =>
  async (attacker, number, end) => {
    const previous = await kept(attacker, end);
    const input = `And now ${number}? [[sandbox: tokens=3]]`;
    return attacker.ask({ path: responses, body: { model, input, previous_response_id: previous } }, end);
  };
/** What an attacker was answered last. */
const latest = new WeakMap<Attacker, string>();
const reading =
  (kept: typeof keptPicture): Attack['act'] =>
  async (attacker, _number, end) => {
    const id = await kept(attacker, end);
    return attacker.ask({ method: 'GET', path: `${responses}/${id}/input_items` }, end);
  };

const messages = (count: number, text: string) =>
  Array.from({ length: count }, () => ({ type: 'message', role: 'user', content: text }));
/** As many items as come in one request, of some megabytes together. */
const conversationOfItems = made(async (attacker, end) => {
  const id = await idOf(attacker, conversations, {}, end);
  const items = messages(20, 'Said before. '.repeat(25_000));
  await attacker.read({ path: `${conversations}/${id}/items`, body: { items } }, end);
  return id;
});
const manyTexts = () => messages(4, 'Said before. '.repeat(150_000));
/** Of the form of an id. */
const nobodysItem = `msg_${'0'.repeat(48)}`;
const emptyConversation = made((attacker, end) => idOf(attacker, conversations, {}, end));

/** A conversation of so many items, which are tiny: as many in each request as one takes. */
async function conversationOf(items: number, attacker: Attacker, end: AbortSignal): Promise<string> {
  const id = await idOf(attacker, conversations, {}, end);
  for (let count = 0; count < items && !end.aborted; count += mostItemsAtOnce)
    await attacker.read({ path: `${conversations}/${id}/items`, body: { items: messages(mostItemsAtOnce, 'x') } }, end);
  return id;
}
const mostItemsAtOnce = 20;
const longConversation = made((attacker, end) => conversationOf(4_000, attacker, end));

/** In the parameters of a tool, which a response repeats. */
const dearTool = (value: unknown) => ({
  type: 'function',
  name: 'f',
  parameters: { type: 'object', properties: {}, default: value },
});
const hugeTool = () => dearTool('All of it is one text. '.repeat(1_200_000));
const manyValues = () => dearTool(Array.from({ length: 150_000 }, () => 0));
const inBackground = (controls: string, more: object = {}) => ({
  model,
  input: `Later. [[sandbox: ${controls}]]`,
  background: true,
  ...more,
});

/** What is kept between requests, and goes on without its caller. */
export const keptAttacks: readonly Attack[] = [
  {
    name: '200: kept answers of 30 MiB',
    ...few,
    leastMs: 8_000,
    act: (attacker, number, end) =>
      attacker.ask(
        { path: responses, body: { model, input: `Keep ${number}. [[sandbox: tokens=3 pad_kib=30000]]` } },
        end,
      ),
  },
  {
    name: '200: going on from a picture of 6 MiB that is kept',
    ...few,
    leastMs: 8_000,
    prepare: keptPicture,
    act: goingOn(keptPicture),
  },
  {
    name: '200: a kept picture of 6 MiB is read',
    ...few,
    leastMs: 8_000,
    prepare: keptPicture,
    act: reading(keptPicture),
  },
  {
    name: '200: going on from a photograph that is kept',
    ...few,
    leastMs: 8_000,
    prepare: keptPhotograph,
    act: goingOn(keptPhotograph),
  },
  {
    name: '200: a kept photograph is read',
    ...few,
    leastMs: 8_000,
    prepare: keptPhotograph,
    act: reading(keptPhotograph),
  },
  {
    name: '200: on and on from what began with a picture of 6 MiB',
    ...few,
    leastMs: 8_000,
    patienceMs: answersWithinMs,
    prepare: keptPicture,
    act: async (attacker, number, end) => {
      const previous = latest.get(attacker) ?? (await keptPicture(attacker, end));
      const body = { model, input: `And now ${number}? [[sandbox: tokens=3]]`, previous_response_id: previous };
      latest.set(attacker, await idOf(attacker, responses, body, end));
      return '200';
    },
  },
  {
    name: '200: items of a large conversation, listed',
    atOnce: 16,
    perSecond: 40,
    leastMs: 6_000,
    prepare: conversationOfItems,
    act: async (attacker, _number, end) => {
      const id = await conversationOfItems(attacker, end);
      return attacker.ask({ method: 'GET', path: `${conversations}/${id}/items?limit=100` }, end);
    },
  },
  {
    name: '200: one item of a conversation of thousands, listed',
    atOnce: 32,
    perSecond: 200,
    leastMs: 8_000,
    patienceMs: 6 * answersWithinMs,
    prepare: longConversation,
    act: async (attacker, _number, end) => {
      const id = await longConversation(attacker, end);
      return attacker.ask({ method: 'GET', path: `${conversations}/${id}/items?limit=1` }, end);
    },
  },
  {
    name: '200: conversations of a thousand items, made and removed',
    atOnce: 8,
    perSecond: 8,
    leastMs: 8_000,
    patienceMs: 6 * answersWithinMs,
    act: async (attacker, _number, end) => {
      const id = await conversationOf(1_000, attacker, end);
      return attacker.ask({ method: 'DELETE', path: `${conversations}/${id}` }, end);
    },
  },
  {
    name: '200 or 503: one conversation that all change at once',
    atOnce: 100,
    perSecond: 400,
    leastMs: 6_000,
    prepare: emptyConversation,
    act: async (attacker, number, end) => {
      const id = await emptyConversation(attacker, end);
      const path = `${conversations}/${id}`;
      if (number % 2 === 0) return attacker.ask({ path, body: { metadata: { number: `${number}` } } }, end);
      await attacker.ask({ method: 'DELETE', path: `${path}/items/${nobodysItem}` }, end);
      return '200';
    },
  },
  {
    name: '200: two at once in one conversation',
    ...few,
    never: /^5/,
    prepare: emptyConversation,
    act: async (attacker, number, end) => {
      const conversation = await emptyConversation(attacker, end);
      return attacker.ask(
        { path: responses, body: { ...inBackground('tokens=20'), background: false, conversation } },
        end,
      );
    },
  },
  asking('200: conversations without end', flood, (_, number) => ({
    path: conversations,
    body: { metadata: { number: `${number}` }, items: messages(20, 'Hi') },
  })),
  asking('conversations begun with 8 MB', few, () => ({ path: conversations, body: { items: manyTexts() } })),
  asking('404: responses asked for that nobody made', flood, (_, number) => ({
    method: 'GET',
    path: `${responses}/resp_${number}`,
  })),
  asking('in the background: four hundred streams that are followed', { atOnce: 400, perSecond: 200 }, () => ({
    path: responses,
    body: inBackground('tokens=400 delay_ms=50', { stream: true }),
  })),
  asking('in the background: answers without end', { atOnce: 32, perSecond: 60 }, () => ({
    path: responses,
    body: inBackground('tokens=20000'),
  })),
  asking('in the background: 29 MiB of text', few, () => ({
    path: responses,
    body: inBackground('tokens=3', { tools: [hugeTool()] }),
  })),
  asking('in the background: 150,000 values', few, () => ({
    path: responses,
    body: inBackground('tokens=3', { tools: [manyValues()] }),
  })),
  {
    name: '200: in the background, begun and cancelled',
    atOnce: 16,
    perSecond: 60,
    act: async (attacker, _number, end) => {
      const id = await idOf(attacker, responses, inBackground('fault=hang'), end);
      return attacker.ask({ path: `${responses}/${id}/cancel`, body: {} }, end);
    },
  },
  asking('input of 12 MiB is counted', few, () => ({
    path: `${responses}/input_tokens`,
    body: { model, input: 'word after word '.repeat(780_000) },
  })),
  asking('a conversation of 9,000 messages is compacted', few, () => ({
    path: `${responses}/compact`,
    body: { model: 'anthropic/claude-opus-4-8', input: messages(9_000, 'Said before.') },
  })),
];
