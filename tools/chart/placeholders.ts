import { stringify } from 'yaml';

/** Stands in a manifest where Helm writes what an expression is. */
export function scalar(expression: string): string {
  return `⟦${expression}⟧`;
}

/** The same for a list or an object, which is the whole value of its field. */
export function block(expression: string): string {
  return `⟦yaml ${expression}⟧`;
}

/** The text of a template: a manifest in the YAML that Helm reads (1.1), its placeholders as expressions. */
export function templateText(manifest: object): string {
  const text = stringify(manifest, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
  if (text.includes('{{')) throw new Error('a manifest has braces of its own');
  return text
    .replaceAll(
      /^([ -]*)([^\s:]+): ["']?⟦yaml (.+?)⟧["']?$/gm,
      (_, before: string, field: string, expression: string) => {
        const indent = before.length + 2;
        return `${before}${field}:\n${' '.repeat(indent)}{{- toYaml ${expression} | nindent ${indent} }}`;
      },
    )
    .replaceAll(/["']?⟦(.+?)⟧["']?/g, (_, expression: string) => `{{ ${expression} }}`);
}

/** A template that is only there where a value says so. */
export function onlyIf(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}
