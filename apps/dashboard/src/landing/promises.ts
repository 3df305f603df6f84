/** What the gateway is measured by. */
export const promises = [
  {
    title: 'Complete or visibly failed',
    text: 'A stream is never silently short. Every piece is numbered, and an end that was not earned is never sent.',
  },
  {
    title: 'You hang up, the model stops',
    text: 'Within a second, streaming or not. You pay for what was produced, and for nothing else.',
  },
  {
    title: 'Three formats, every model',
    text: 'OpenAI chat completions, OpenAI responses, Anthropic messages: tools, images and reasoning reach every provider.',
  },
  {
    title: 'Everything in sight',
    text: 'Requests, tokens, cost, latency and every attempt, live. What is asked is kept only where you say so.',
  },
] as const;
