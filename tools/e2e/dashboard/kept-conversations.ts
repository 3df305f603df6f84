import { eventually } from '@tollgate/testing';
import type { Page } from 'playwright-core';
import { violationsOf } from '../browser';

/**
 * What is kept of the playground, once two models were asked about bridges. `ada`: the page of who asked;
 * `open` leads it to a path.
 */
export function keptConversations(ada: () => Page, open: (path: string) => Promise<unknown>): void {
  it('goes on with what was said before, also after the page was closed, and takes a question back', async () => {
    // It is kept a moment after its answers were shown: the page must not go before.
    await eventually(
      () => ada().evaluate<boolean>(`JSON.stringify(localStorage).includes('And about bridges?')`),
      (isKept) => isKept,
      60_000,
    );
    await open('/playground');
    await ada().getByRole('button', { name: 'Conversations', exact: true }).click();
    await ada()
      .getByRole('dialog', { name: 'Conversations' })
      .getByRole('button', { name: /^And about bridges\?/ })
      .click();
    const logs = ada().getByRole('log');
    await logs.nth(1).getByText('And about bridges?', { exact: true }).waitFor();
    await ada()
      .getByRole('button', { name: /^Take .* away$/ })
      .last()
      .click();
    await logs.nth(1).waitFor({ state: 'detached' });
    await logs.getByRole('button', { name: 'Edit', exact: true }).click();
    const message = ada().getByLabel('Message');
    await eventually(
      () => message.inputValue(),
      (text) => text === 'And about bridges?',
    );
    await message.fill('And about tunnels?');
    await ada().getByRole('button', { name: 'Send', exact: true }).click();
    await logs.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
    expect(await logs.innerText()).not.toContain('bridges');
  });

  it('chooses a model by a part of its name, and shows a request as code', async () => {
    await ada()
      .getByRole('button', { name: /^Model: / })
      .click();
    await ada().getByRole('combobox', { name: 'Search models' }).fill('gpt-5.4-nano');
    await ada()
      .getByRole('option', { name: /GPT-5\.4 nano/i })
      .first()
      .waitFor();
    expect(await violationsOf(ada())).toEqual([]);
    await ada().keyboard.press('Enter');
    await ada().waitForURL(/model=[^&]*nano/);
    await ada().getByRole('button', { name: 'As code', exact: true }).click();
    const code = ada().getByRole('dialog', { name: 'As code' });
    await code.getByText('from openai import OpenAI').waitFor();
    await code.getByRole('tab', { name: 'Go' }).click();
    await code.getByText('net/http').waitFor();
    await ada().keyboard.press('Escape');
  });
}
