import { anthropicMessagesSurfaceCodec } from '../anthropic-messages/surface-codec';
import { answerContext } from '../anthropic-messages/target.fixture';
import type { AnswerContext } from '../canonical/codec';
import { AnswerCollector } from '../canonical/collect-answer';
import type { CanonicalAnswer } from '../canonical/answer';
import type { CanonicalMessage, CanonicalRequest, MessagePart } from '../canonical/generation-request';
import { openaiChatSurfaceCodec } from '../openai-chat/surface-codec';
import { openaiResponsesSurfaceCodec } from '../openai-responses/surface-codec';
import { isRecord } from '../wire/json-value';
import { geminiProviderCodec } from './provider-codec';
import { aRequest } from '../builders.fixture';
import { geminiTarget } from './target.fixture';

const turns = 5;
const target = geminiTarget('gemini-3.5-flash');

/** Different for each turn and place, with every special character of base64. */
const signature = (turn: number, place: string): string => `Ci+/${place}${turn}abcXYZ==`;

/** What Gemini answers in a turn: a thought, and two calls of which the first is signed. */
function answered(turn: number): object[] {
  return [
    { text: `step ${turn}`, thought: true },
    { functionCall: { id: `a${turn}`, name: 'f', args: { turn } }, thoughtSignature: signature(turn, 'call') },
    { functionCall: { id: `b${turn}`, name: 'g', args: {} } },
  ];
}

/** The last answer: a text, signed in an empty part behind it. */
const lastWords: object[] = [{ text: 'done' }, { text: '', thoughtSignature: signature(turns, 'text') }];

function read(parts: object[]): CanonicalAnswer {
  const collector = new AnswerCollector();
  const parser = geminiProviderCodec.answerParser({
    request: aRequest({ tools: [{ name: 'f' }] }),
    target,
    newId: () => 'new',
  });
  const document = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata: {} };
  for (const event of parser.onDocument(document)) collector.add(event);
  return collector.answer();
}

function modelTurns(request: CanonicalRequest): unknown[] {
  const { body } = geminiProviderCodec.toRequest(request, target);
  const contents = Array.isArray(body.contents) ? body.contents.filter(isRecord) : [];
  return contents.filter(({ role }) => role === 'model').map(({ parts }) => parts);
}

const everyTurn = [...Array.from({ length: turns }, (_, turn) => answered(turn)), lastWords];

/** A caller of one surface: keeps what it got as its clients do, and answers the calls. */
interface Caller {
  keep(answer: object): object[];
  result(id: string): object;
  request(history: object[]): Record<string, unknown>;
}

const context: AnswerContext = { ...answerContext(), includeUsage: false };
const itemsIn = (answer: object, name: string): object[] => {
  const items: unknown = isRecord(answer) ? answer[name] : undefined;
  return Array.isArray(items) ? items.filter(isRecord) : [];
};

const messagesCaller: Caller = {
  keep: (answer) => [{ role: 'assistant', content: itemsIn(answer, 'content') }],
  result: (id) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] }),
  request: (history) => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'go' }, ...history] }),
};
const chatCaller: Caller = {
  keep: (answer) =>
    itemsIn(answer, 'choices').flatMap((choice) =>
      isRecord(choice) && isRecord(choice.message) ? [choice.message] : [],
    ),
  result: (id) => ({ role: 'tool', tool_call_id: id, content: 'ok' }),
  request: (history) => ({ model: 'm', messages: [{ role: 'user', content: 'go' }, ...history] }),
};
const responsesCaller: Caller = {
  keep: (answer) => itemsIn(answer, 'output'),
  result: (id) => ({ type: 'function_call_output', call_id: id, output: 'ok' }),
  request: (history) => ({
    model: 'm',
    include: ['reasoning.encrypted_content'],
    input: [{ role: 'user', content: 'go' }, ...history],
  }),
};

describe('a tool loop of five turns with thought signatures', () => {
  it('brings every signature back byte for byte, in the part that it came in', () => {
    const messages: CanonicalMessage[] = [{ role: 'user', parts: [{ type: 'text', text: 'go' }] }];
    for (const [turn, parts] of everyTurn.entries()) {
      const blocks = read(parts).choices[0]?.blocks ?? [];
      messages.push({ role: 'assistant', parts: blocks.map((block): MessagePart => block) });
      for (const id of turn < turns ? [`a${turn}`, `b${turn}`] : [])
        messages.push({ role: 'tool', parts: [{ type: 'tool-result', toolCallId: id, content: [] }] });
    }
    expect(modelTurns(aRequest({ messages }))).toEqual(everyTurn);
  });

  it.each([
    ['messages', anthropicMessagesSurfaceCodec, messagesCaller],
    ['chat', openaiChatSurfaceCodec, chatCaller],
    ['responses', openaiResponsesSurfaceCodec, responsesCaller],
  ] as const)('survives a caller of %s, who sends back what it got', (_, surface, caller) => {
    const history: object[] = [];
    for (const [turn, parts] of everyTurn.entries()) {
      history.push(...caller.keep(surface.toResponse(read(parts), context)));
      for (const id of turn < turns ? [`a${turn}`, `b${turn}`] : []) history.push(caller.result(id));
    }
    const sent = modelTurns(surface.fromRequest(caller.request(history)));
    expect(sent).toEqual(everyTurn);
  });

  it("leaves other providers' seals out, and marks their calls for models that insist on signatures", () => {
    const foreign = { dialect: 'anthropic-messages' as const, kind: 'signature' as const, value: 'secret' };
    const parts: MessagePart[] = [
      { type: 'reasoning', text: 'hm', seal: foreign },
      { type: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: foreign },
    ];
    const messages: CanonicalMessage[] = [{ role: 'assistant', parts }];
    expect(modelTurns(aRequest({ messages }))).toEqual([
      [{ functionCall: { id: 'c', name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }],
    ]);
  });

  it('keeps a signature of a thought, and puts one that came too early behind its text', () => {
    const seal = { dialect: 'gemini' as const, kind: 'signature' as const, value: 'c2ln' };
    const parts: MessagePart[] = [
      { type: 'reasoning', text: 'hm', seal },
      { type: 'reasoning', text: '', seal },
      { type: 'text', text: 'a' },
    ];
    expect(modelTurns(aRequest({ messages: [{ role: 'assistant', parts }] }))).toEqual([
      [{ text: 'hm', thought: true, thoughtSignature: 'c2ln' }, { text: 'a' }, { text: '', thoughtSignature: 'c2ln' }],
    ]);
  });
});
