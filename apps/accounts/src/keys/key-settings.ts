/** How keys are made: `prefix` stands in front of every key, `pepper` is the secret under which their digests are made (the same at every edge). */
export class KeySettings {
  constructor(
    readonly prefix: string,
    readonly pepper: string,
  ) {}
}
