/** Every page of a list, one after the other. `read`: the page behind a cursor; without one the first. */
export async function* pages<Page extends { next: Cursor | null }, Cursor = string>(
  read: (after: Cursor | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let after: Cursor | undefined;
  do {
    const page = await read(after);
    yield page;
    after = page.next ?? undefined;
  } while (after !== undefined);
}
