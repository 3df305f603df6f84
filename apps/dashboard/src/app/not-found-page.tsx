import { ButtonLink } from '../design/button';
import { usePageTitle } from '../design/page';
import { Empty } from '../design/states';

export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <main id="main" tabIndex={-1}>
      <h1 className="visually-hidden">Not found</h1>
      <Empty icon="search" title="There is no such page" action={<ButtonLink to="/">Go to the start</ButtonLink>}>
        The address may be mistyped, or the page has moved.
      </Empty>
    </main>
  );
}
