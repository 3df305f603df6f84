/**
 * OpenAI's published recipe: each message is framed by 3 tokens, a name costs 1 more, and the answer is
 * primed with 3. It stands for providers that publish none, too.
 * https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken#6-counting-tokens-for-chat-completions-api-calls
 */
export const tokensPerMessage = 3;
export const tokensPerName = 1;
export const tokensOfPrimedAnswer = 3;
