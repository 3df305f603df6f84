import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';

/**
 * Draws over the end of a chart, which looks closer and leads to the requests of that time; "back" undoes it.
 */
export async function zoomedByDrawing(page: Page): Promise<void> {
  const over = page.locator('.u-over').first();
  await over.scrollIntoViewIfNeeded();
  const plot = await over.boundingBox();
  if (!plot) throw new Error('there is no chart');
  await page.mouse.move(plot.x + plot.width * 0.7, plot.y + 40);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width - 2, plot.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/range=custom/);
  const behind = page.getByRole('main').getByRole('link', { name: 'Requests', exact: true });
  await eventually(
    () => behind.getAttribute('href'),
    (href) => /^\/requests\?range=custom&from=\d+&to=\d+$/.test(href ?? ''),
    15_000,
  );
  await page.goBack();
  await page.waitForURL(/range=hour/);
}
