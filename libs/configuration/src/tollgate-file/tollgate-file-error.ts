/**
 * The configuration file cannot be used. Each problem is one line:
 * `tollgate.yaml:12:5: models[2].prices.input: what is wrong`.
 */
export class TollgateFileError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration file is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'TollgateFileError';
  }
}
