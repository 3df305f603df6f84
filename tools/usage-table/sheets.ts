/**
 * A price as strings of US dollars per million tokens (`perRequest`: per request), in the form of the
 * contract's price sheet; null or absent: no such rate.
 */
export interface Sheet {
  input: string;
  output: string;
  cachedInput?: string | null;
  cacheWrite5m?: string | null;
  cacheWrite1h?: string | null;
  reasoning?: string | null;
  audioInput?: string | null;
  audioOutput?: string | null;
  perRequest?: string | null;
  longContext?: (Omit<Sheet, 'perRequest' | 'longContext'> & { aboveInputTokens: number })[];
}

/** Price sheets like the providers' own, and one of rates so small that every charge needs rounding. */
export const sheets = {
  plain: { input: '0.88', output: '0.88' },
  tiny: { input: '0.000123', output: '0.000457', cachedInput: '0.000001', reasoning: '0.000999' },
  'gpt-long': {
    input: '2.5',
    output: '15',
    cachedInput: '0.25',
    longContext: [{ aboveInputTokens: 272_000, input: '5', output: '22.5', cachedInput: '0.5' }],
  },
  'gpt-audio': { input: '2.5', output: '10', cachedInput: '1.25', audioInput: '40', audioOutput: '80' },
  claude: {
    input: '3',
    output: '15',
    cachedInput: '0.3',
    cacheWrite5m: '3.75',
    cacheWrite1h: '6',
    longContext: [
      {
        aboveInputTokens: 200_000,
        input: '6',
        output: '22.5',
        cachedInput: '0.6',
        cacheWrite5m: '7.5',
        cacheWrite1h: '12',
      },
    ],
  },
  'gemini-flash': { input: '0.3', output: '2.5', cachedInput: '0.03', audioInput: '1' },
  'gemini-pro': {
    input: '1.25',
    output: '10',
    cachedInput: '0.125',
    longContext: [{ aboveInputTokens: 200_000, input: '2.5', output: '15', cachedInput: '0.25' }],
  },
  command: { input: '2.5', output: '10' },
  mistral: { input: '1.5', output: '7.5', cachedInput: '0.15' },
  deepseek: { input: '0.28', output: '0.42', cachedInput: '0.028' },
  grok: {
    input: '1.25',
    output: '2.5',
    cachedInput: '0.2',
    longContext: [{ aboveInputTokens: 200_000, input: '2.5', output: '5', cachedInput: '0.4' }],
  },
  kimi: { input: '0.6', output: '2.5', cachedInput: '0.15' },
  sonar: { input: '3', output: '15', perRequest: '0.006' },
  qwen: {
    input: '0.4',
    output: '1.2',
    reasoning: '4',
    longContext: [
      { aboveInputTokens: 32_000, input: '0.8', output: '2.4', reasoning: '6' },
      { aboveInputTokens: 128_000, input: '1.6', output: '4.8', reasoning: '8.000001', cachedInput: '0.16' },
    ],
  },
} as const satisfies Record<string, Sheet>;
export type SheetName = keyof typeof sheets;
