import { z } from 'zod';
import type { Page } from 'playwright-core';

/**
 * Something of a page that somebody would miss. `left`, `width`: of what is laid out, pixels; null for what
 * is as wide as its text. `contrast`: of its text and what is behind it, as WCAG counts; null: it has none.
 */
const shown = z.object({
  name: z.string(),
  left: z.number().nullable(),
  width: z.number().nullable(),
  contrast: z.number().nullable(),
});
export type Shown = z.infer<typeof shown>;

const appearance = z.object({ shown: z.array(shown), faults: z.array(z.string()) });
/** `faults`: what no page may have, however it looked before, each as a text. */
export type Appearance = z.infer<typeof appearance>;

/**
 * What a page shows, without pixels: those are others with each font and version of a browser, and a picture
 * of another machine would be another picture. What is in the body of a table or an item of a list is data,
 * and charts are drawn of data; neither is told.
 */
export async function appearanceOf(page: Page): Promise<Appearance> {
  return appearance.parse(await page.evaluate(look));
}

const look = `(() => {
  const laidOut = 'main, aside, [role=dialog], section[aria-label], section[aria-labelledby], [role=region], table, form';
  const controls = 'button, a[href], input, select, textarea, h1, h2, h3, [role=tab], [role=radio], summary';
  const data = 'tbody, li:not(nav li), canvas, [role=status], [role=alert], [role=log]';
  // The frame is the same around each page.
  const apart = location.pathname === '/overview' ? '[href="#main"]' : '[href="#main"], aside *, body > div > div > header *';
  const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });

  const painted = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, index) => (part * a + below[index] * (255 - a)) / 255);
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    const colour = painted(getComputedStyle(element).backgroundColor);
    return colour[3] === 255 ? colour.slice(0, 3) : over(colour, behind(element.parentElement));
  };
  // https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
  const luminance = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrastOf = (element) => {
    if (!(element.innerText ?? '').trim() && !element.matches('input, select, textarea')) return null;
    const ground = behind(element);
    const [low, high] = [luminance(ground), luminance(over(painted(getComputedStyle(element).color), ground))].sort((a, b) => a - b);
    return Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100;
  };

  /** Words and figures of data are longer now and then, and wider in another font; a table can be scrolled. */
  const roomForWords = 1.15;

  const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const months = /\\b(January|February|March|April|May|June|July|August|September|October|November|December)\\b/g;
  const textOf = (element) => {
    const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').flatMap((id) => document.getElementById(id)?.innerText ?? []);
    const told = element.getAttribute('aria-label') ?? (named.length > 0 ? named.join(' ') : element.labels?.[0]?.innerText ?? (element.matches(laidOut) ? '' : element.innerText));
    // What counts, what tells the time and what a thing is called by is another tomorrow.
    return (told ?? '').replace(/\\s+/g, ' ').replace(ids, 'id').replace(months, 'month').replace(/\\d[\\d.,:]*/g, '#').replace(/(Ctrl|\u2318) ?K$/, '').trim().slice(0, 60);
  };
  const isHidden = (element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** One pixel, for whoever listens. */
  const isTold = (box) => box.width <= 1 && box.height <= 1;
  const kindOf = (element) => element.getAttribute('role') ?? { a: 'link', input: 'field', select: 'field', textarea: 'field' }[element.localName] ?? element.localName;

  const shown = [];
  const faults = [];
  for (const element of document.querySelectorAll(laidOut + ', ' + controls)) {
    // A table that is too wide is told below: how wide its words make it is data.
    const box = (element.localName === 'table' ? element.parentElement : element).getBoundingClientRect();
    if (element.parentElement.closest(data) || element.matches(apart) || isHidden(element) || box.width * box.height === 0 || isTold(box)) continue;
    const isLaidOut = element.matches(laidOut);
    const name = (kindOf(element) + ' ' + textOf(element)).trim();
    if (box.right <= 0 || box.left >= innerWidth) {
      // Where the keyboard brings it into sight, it is meant to be away.
      if (isLaidOut) faults.push(name + ' is outside of the window');
      continue;
    }
    shown.push({
      name,
      left: isLaidOut ? Math.round(box.left) : null,
      width: isLaidOut ? Math.round(box.width) : null,
      contrast: isLaidOut ? null : contrastOf(element),
    });
  }

  for (const dialog of document.querySelectorAll('[role=dialog], [role=alertdialog], dialog[open]')) {
    const { left, top, right, bottom } = dialog.getBoundingClientRect();
    if (!isHidden(dialog) && (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1))
      faults.push('the dialog ' + textOf(dialog) + ' leaves the window');
  }
  for (const table of document.querySelectorAll('table')) {
    const room = table.parentElement.clientWidth;
    if (!isHidden(table) && table.getBoundingClientRect().width > room * roomForWords)
      faults.push('the table ' + textOf(table) + ' is wider than its place: ' + Math.round(table.getBoundingClientRect().width) + ' of ' + room);
  }
  for (const element of document.querySelectorAll('button, a[href], th, h1, h2, label, td, dd, dt, p')) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isCut = overflowX !== 'visible' && overflowX !== 'auto' && overflowX !== 'scroll' && textOverflow !== 'ellipsis';
    if (isCut && !isHidden(element) && !isTold(element.getBoundingClientRect()) && element.scrollWidth > element.clientWidth + 1)
      faults.push('the text of ' + kindOf(element) + ' ' + textOf(element) + ' is cut off');
  }
  return { shown, faults };
})()`;
