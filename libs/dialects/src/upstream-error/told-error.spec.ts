import { GatewayError } from '@tollgate/contracts';
import { surfaces } from '../surface';

const words = {
  'anthropic-messages': ['prompt is too long', 'The prompt is too long.'],
  'openai-chat': ["This model's maximum context length is", "This model's maximum context length is exceeded."],
  'openai-responses': ["This model's maximum context length is", "This model's maximum context length is exceeded."],
} as const;

describe.each(Object.entries(words))('an error of a full context on %s', (name, [known, sentence]) => {
  const surface = surfaces.find((each) => each.name === name);
  const full = (message: string) => new GatewayError(400, message).withDetails({ reason: 'context_length_exceeded' });
  const told = (error: GatewayError) => [
    JSON.stringify(surface?.errorBody(error, 'r')),
    Buffer.from(surface?.streamError(error) ?? []).toString(),
  ];

  it("begins with the provider's message, as it is, and has the words that agents look for", () => {
    for (const text of told(full('Input is too long for requested model.'))) {
      expect(text).toContain(`"message":"Input is too long for requested model. ${sentence}"`);
      expect(text).toContain(known);
      expect(text).toContain('"details":{"reason":"context_length_exceeded"}');
    }
  });

  it("keeps a provider's message where it has those words", () => {
    for (const text of told(full(`${known} 5`))) expect(text).toContain(`"message":"${known} 5"`);
  });

  it('says nothing of it in another error', () => {
    for (const text of told(new GatewayError(400, 'No.'))) expect(text).toContain('"message":"No."');
  });
});
