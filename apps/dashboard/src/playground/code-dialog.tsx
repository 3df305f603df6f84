import { CodeBlock } from '../design/code-block';
import { Dialog } from '../design/dialog';
import { Tabs } from '../design/tabs';
import { asCode } from './as-code';

export function CodeDialog({ body, onClose }: { body: Record<string, unknown>; onClose: () => void }) {
  return (
    <Dialog open wide onClose={onClose} title="As code" description="The same request from your own program.">
      <Tabs
        label="Languages"
        tabs={asCode(location.origin, body).map(({ id, name, code }) => ({
          id,
          name,
          content: <CodeBlock code={code} name={`request for ${name}`} tall />,
        }))}
      />
    </Dialog>
  );
}
