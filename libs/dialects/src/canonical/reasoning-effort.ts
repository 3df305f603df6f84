/** The effort that stands for a budget of reasoning tokens: our own scale, the same as for the other dialects that know efforts only. */
export function effortOf(budgetTokens: number): 'low' | 'medium' | 'high' {
  if (budgetTokens < 8_192) return 'low';
  return budgetTokens < 16_384 ? 'medium' : 'high';
}
