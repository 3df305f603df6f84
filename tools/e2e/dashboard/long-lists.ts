import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';

/**
 * A list keeps those rows in the document that are near the window, and pages that were opened from it lead
 * on in its order. `open` leads `person` to a path.
 */
export function longLists(person: () => Page, open: (path: string) => Promise<unknown>): void {
  const models = () => person().getByRole('table', { name: 'Models', exact: true });
  const row = (number: number) => models().locator(`[aria-rowindex="${number}"]`);
  const isAt = async (model: string) => {
    await person().waitForURL(({ pathname }) => decodeURIComponent(pathname) === `/models/${model}`);
    // The address is there before the page is drawn.
    await person().getByRole('main').getByText(model, { exact: true }).first().waitFor();
  };

  it('holds the rows near the window alone, each with its number among all of them', async () => {
    await open('/models?all=yes');
    await row(2).waitFor();
    const last = Number(await models().getAttribute('aria-rowcount'));
    expect(last).toBeGreaterThan(200);
    expect(await models().getByRole('row').count()).toBeLessThan(100);
    const goTo = (place: number, [shown, gone]: [number, number]) =>
      eventually(async () => {
        await person().evaluate(`scrollTo(0, ${place})`);
        return (await row(shown).count()) === 1 && (await row(gone).count()) === 0;
      }, 15_000);
    await goTo(1_000_000, [last, 2]);
    await goTo(0, [2, last]);
  });

  it('leads from one page to the next, in the order that it was sorted in, with the range that was chosen', async () => {
    await open('/models?all=yes&q=openai&sort=-Context');
    await row(4).waitFor();
    const [first = '', second = '', third = ''] = await models().locator('tbody code').allInnerTexts();
    await row(2).getByRole('link').first().click();
    await isAt(first);
    await person().getByRole('link', { name: 'Skip to the content' }).press('Enter');
    await person().getByRole('button', { name: 'Next model' }).click();
    await isAt(second);
    await person().getByText('30 days', { exact: true }).click();
    await person().getByRole('radio', { name: '30 days', checked: true }).waitFor();
    await person().getByRole('button', { name: 'Next model' }).click();
    await isAt(third);
    await person().getByRole('radio', { name: '30 days', checked: true }).waitFor();
    await person().getByRole('button', { name: 'Previous model' }).click();
    await isAt(second);
    // It is the first of the list: another press leads nowhere.
    await eventually(async () => {
      await person().keyboard.press('k');
      return person().getByRole('button', { name: 'Previous model' }).isDisabled();
    }, 15_000);
    await isAt(first);
  });
}
