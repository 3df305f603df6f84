import { ButtonLink } from '../design/button';
import { Page } from '../design/page';
import { Empty, Loaded } from '../design/states';
import { isUsable } from '../keys/key-state';
import { useKeys, useMayChangeKey } from '../keys/use-keys';
import { availableTo } from '../models/preferred-model';
import { useCatalog } from '../api/catalog';
import { useMay, useSession } from '../session/session';
import { Playground } from './playground';

const hint = 'Talk to any model. Requests count as those of the chosen key.';

export function PlaygroundPage() {
  const { account } = useSession();
  const keys = useKeys();
  const catalog = useCatalog();
  const mayUse = useMayChangeKey();
  const usable = keys.data?.data.filter((key) => mayUse(key) && isUsable(key, keys.dataUpdatedAt));
  const models = catalog.data?.models.filter(({ kind }) => kind === 'text') ?? [];
  const canAnswer = usable?.some((key) => availableTo(key, models).length > 0) ?? false;
  if (account?.status === 'active' && usable && canAnswer)
    return <Playground keys={usable} models={models} hint={hint} />;
  return (
    <Page title="Playground" hint={hint}>
      <Loaded query={keys}>
        {() => (
          <Loaded query={catalog}>{() => <Hindrance status={account?.status} hasKey={usable?.length !== 0} />}</Loaded>
        )}
      </Loaded>
    </Page>
  );
}

/** Why nothing can be asked yet. */
function Hindrance({ status, hasKey }: { status: string | undefined; hasKey: boolean }) {
  const mayAsk = useMay('playground');
  // First: whoever is of such an account has a role that may not ask.
  if (status !== 'active' && status !== 'pending')
    return (
      <Empty icon="shield" title="Your account may not ask">
        Only active accounts can use the playground. Ask the administrator of this gateway.
      </Empty>
    );
  if (!mayAsk)
    return (
      <Empty icon="shield" title="Your role does not use the playground">
        Ask an owner or an administrator of your account for another one.
      </Empty>
    );
  if (status === 'pending')
    return (
      <Empty icon="shield" title="Your request waits for approval">
        The playground opens the moment an administrator approves it. This page notices by itself.
      </Empty>
    );
  if (!hasKey)
    return (
      <Empty icon="key" title="You need a key first" action={<ButtonLink to="/keys">Create a key</ButtonLink>}>
        What you ask here is limited and counted like every other request with that key.
      </Empty>
    );
  return (
    <Empty icon="cube" title="No model is available">
      The operator has not set the credentials of a provider.
    </Empty>
  );
}
