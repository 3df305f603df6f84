import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { showPath } from './field-path';
import { firstProblems } from './first-problems';
import type { FieldPath } from './field-path';
import { TollgateFileError } from './tollgate-file-error';

/** A YAML text that remembers where each value stands. */
export class YamlSource {
  private readonly lines = new LineCounter();
  private readonly document: Document.Parsed;

  /** @throws TollgateFileError when the text is not YAML. */
  constructor(
    private readonly path: string,
    text: string,
  ) {
    this.document = parseDocument(text, { lineCounter: this.lines, merge: true, prettyErrors: false });
    const faults = [...this.document.errors, ...this.document.warnings];
    const tooDeep = faults.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
    const problems = tooDeep
      ? [`${this.at(tooDeep.pos[0])}: lists and groups stand too deep in one another`]
      : firstProblems(faults, ({ pos, message }) => `${this.at(pos[0])}: ${message}`);
    if (problems.length) throw new TollgateFileError(problems);
  }

  /**
   * The value as plain JavaScript; null for an empty file.
   * @throws TollgateFileError for names that stand for more than a document can mean (a few lines could fill
   * the memory).
   */
  value(): unknown {
    try {
      return this.document.toJS();
    } catch (error) {
      if (error instanceof ReferenceError) throw new TollgateFileError([`${this.path}: ${error.message}`]);
      throw error;
    }
  }

  /** `file:line:column: field` of the value at a path, or of the nearest value around it that is there. */
  locate(path: FieldPath): string {
    return `${this.at(this.offset(path))}: ${showPath(path) || 'the file'}`;
  }

  /** Like locate, but of the field's name: for names that should not be there. */
  locateName(path: FieldPath): string {
    const parent = this.document.getIn(path.slice(0, -1), true);
    const name = path.at(-1);
    const key = isMap(parent)
      ? parent.items.map((pair) => pair.key).find((k) => isScalar(k) && k.value === name)
      : null;
    const offset = isNode(key) ? key.range?.[0] : undefined;
    return `${this.at(offset ?? this.offset(path))}: ${showPath(path)}`;
  }

  private offset(path: FieldPath): number {
    for (let length = path.length; length >= 0; length--) {
      const node = length === 0 ? this.document.contents : this.document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }

  private at(offset: number): string {
    const { line, col } = this.lines.linePos(offset);
    return `${this.path}:${line}:${col}`;
  }
}
