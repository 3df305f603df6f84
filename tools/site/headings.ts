/** The anchors of a page's headings, as GitHub makes them: the same text again gets a number. */
export class Headings {
  private readonly used = new Map<string, number>();

  anchorOf(text: string): string {
    const plain = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = this.used.get(plain) ?? 0;
    this.used.set(plain, times + 1);
    return times === 0 ? plain : `${plain}-${times}`;
  }
}
