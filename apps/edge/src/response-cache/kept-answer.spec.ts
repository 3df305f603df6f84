import { openaiChatSurface } from '@tollgate/dialects/surface';
import { givenAgain, keepAnswer } from './kept-answer';

const head = { status: 200, headers: {} };
const keep = (text: string, isStream = false) =>
  keepAnswer(head, Buffer.from(text), isStream, (first) => openaiChatSurface.answerId(first));

describe('an answer that is given again', () => {
  it('has a new id of the same form, everywhere, and is otherwise the same', () => {
    const chunk = (text: string) => `data: ${JSON.stringify({ id: 'chatcmpl-abc123', text })}\n\n`;
    const told = `${chunk('one')}${chunk('my id is "chatcmpl-abc123"')}data: [DONE]\n\n`;
    const again = givenAgain(keep(told, true)).toString();
    const [, id] = /"id":"(chatcmpl-[0-9a-f]{6})"/.exec(again) ?? [];
    expect(again.replaceAll(`"id":"${id}"`, '"id":"chatcmpl-abc123"')).toBe(told);
    expect(id).not.toBe('chatcmpl-abc123');
    expect(givenAgain(keep(told, true)).toString()).not.toBe(again);
  });

  it.each(['{"data":[]}', '{"id":"short"}', '{"id":7}', '{"id":"with a \\" quote"}', 'no JSON'])(
    'is exactly the same where there is no id to change: %s',
    (text) => {
      expect(givenAgain(keep(text)).toString()).toBe(text);
    },
  );
});
