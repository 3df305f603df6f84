/** A place in a text: from `start` up to, not including, `end`. */
export interface Match {
  readonly start: number;
  readonly end: number;
}
