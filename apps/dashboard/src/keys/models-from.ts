/** Patterns as people write them: between commas, spaces or lines, each once. */
export const modelsFrom = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
