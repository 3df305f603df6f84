import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchSecondFactor } from '../api/second-factor';
import { Button } from '../design/button';
import { Card } from '../design/card';
import { Loaded } from '../design/states';
import { formatDate } from '../format/time';
import { RemoveSecondFactorDialog } from './remove-second-factor-dialog';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import { SecondFactorDialog } from './second-factor-dialog';
import styles from './settings.module.css';

type Layer = 'begin' | 'renew' | 'remove' | null;

export function SecondFactorCard() {
  const factor = useQuery({ queryKey: ['second-factor'], queryFn: fetchSecondFactor });
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => {
    setLayer(null);
    void factor.refetch();
  };
  return (
    <Card title="Second factor" hint="A code of an authenticator, asked for beside your password.">
      <Loaded query={factor} lines={2}>
        {({ enabledAt, recoveryCodes }) =>
          enabledAt === null ? (
            <Button onClick={() => setLayer('begin')}>Set up a second factor</Button>
          ) : (
            <div className={styles.form}>
              <p>
                On since {formatDate(enabledAt)}. Recovery codes that are left: {recoveryCodes}.
              </p>
              <div>
                <Button onClick={() => setLayer('renew')}>Make new recovery codes</Button>{' '}
                <Button onClick={() => setLayer('remove')}>Remove it</Button>
              </div>
            </div>
          )
        }
      </Loaded>
      {layer === 'begin' && <SecondFactorDialog onClose={close} />}
      {layer === 'renew' && <RecoveryCodesDialog onClose={close} />}
      {layer === 'remove' && <RemoveSecondFactorDialog onClose={close} />}
    </Card>
  );
}
