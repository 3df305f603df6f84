/**
 * A model of each dialect that providers speak, and one that wants its reasoning back; each goes over to the
 * one below it in mid-conversation.
 */
export const modelNames = [
  'mistral/mistral-large-4',
  'openai/gpt-6.1-sol',
  'anthropic/claude-sonnet-5-5',
  'google/gemini-3.8-flash',
  'bedrock/anthropic.claude-sonnet-5',
  'cohere/command-a-plus-05-2026',
  'deepseek/deepseek-v4-pro',
] as const;
