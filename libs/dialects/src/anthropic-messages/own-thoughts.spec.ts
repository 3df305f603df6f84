import { withOwnThoughts } from './own-thoughts';
import { targetOf } from './target.fixture';

it('leaves a message as it was written but for its thoughts, which alone are parsed', () => {
  const data = 'A'.repeat(100_000);
  const picture = `{"role": "user",  "content": [{"type":"image","source":{"type":"base64","data":"${data}"}}]}`;
  const thought = '{"type": "thinking", "thinking": "Hm.", "signature": ""}';
  const said = `{"role":"assistant", "content": [${thought}, {"type":"text" , "text":"1.0","rank":1.0}]}`;
  const empty = `{"role":"assistant","content":[${thought}]}`;
  const body = Buffer.from(`{"messages": [${picture}, ${said}, ${empty}], "max_tokens": 1.0}`);
  const parse = jest.spyOn(JSON, 'parse');
  const own = withOwnThoughts(body, targetOf('claude-opus-4-6'));
  const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
  parse.mockRestore();
  const left = '{"role":"assistant", "content": [{"type":"text" , "text":"1.0","rank":1.0}]}';
  expect(Buffer.from(own).toString()).toBe(`{"messages": [${picture},${left}], "max_tokens": 1.0}`);
  expect(longest).toBeLessThan(100);
});

it.each(['"signature": null', '"signature":null', '"signature":""'])(
  'leaves a thought out that has %s',
  (signature) => {
    const answer = '{"type":"text","text":"Yes"}';
    const said = (...blocks: string[]) => `{"messages":[{"role":"assistant","content":[${blocks.join(',')}]}]}`;
    const body = Buffer.from(said(`{"type":"thinking","thinking":"Hm.",${signature}}`, answer));
    expect(Buffer.from(withOwnThoughts(body, targetOf('claude-opus-4-6'))).toString()).toBe(said(answer));
  },
);

it.each(['"signature":null', '"signature":"kept"'])(
  'leaves a thought without a signature to the provider, also beside one with %s',
  (signature) => {
    const bare = '{"type":"thinking","thinking":"Hm."}';
    const said = (...blocks: string[]) => `{"messages":[{"role":"assistant","content":[${blocks.join(',')}]}]}`;
    const other = `{"type":"thinking","thinking":"So.",${signature}}`;
    const own = withOwnThoughts(Buffer.from(said(bare, other)), targetOf('claude-opus-4-6'));
    expect(Buffer.from(own).toString()).toBe(signature.endsWith('null') ? said(bare) : said(bare, other));
  },
);
