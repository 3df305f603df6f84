import { GatewayError } from '@tollgate/contracts';
import { surfaces } from '../surface';

const words = {
  'anthropic-messages': 'prompt is too long',
  'openai-chat': 'maximum context length',
  'openai-responses': 'maximum context length',
};

describe.each(Object.entries(words))('an error of a full context on %s', (name, told) => {
  const surface = surfaces.find((each) => each.name === name);
  const full = (message: string) => new GatewayError(400, message).withDetails({ reason: 'context_length_exceeded' });

  it('has the words that its agents look for, before and in a stream, and its reason', () => {
    const error = full('input is too big');
    const shown = [
      JSON.stringify(surface?.errorBody(error, 'r')),
      Buffer.from(surface?.streamError(error) ?? []).toString(),
    ];
    for (const text of shown) expect(text).toContain(`${told}: input is too big`);
    for (const text of shown) expect(text).toContain('"details":{"reason":"context_length_exceeded"}');
  });

  it("keeps a provider's own words where they say it", () => {
    const message = `This ${told} is 5.`;
    expect(JSON.stringify(surface?.errorBody(full(message), 'r'))).toContain(`"message":"${message}"`);
  });
});
