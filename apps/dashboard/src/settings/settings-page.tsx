import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { Page } from '../design/page';
import { chooseTheme, useTheme } from '../design/theme';
import { useMay } from '../session/session';
import { OwnKeysCard } from './own-keys-card';
import { PasskeysCard } from './passkeys-card';
import { PasswordCard } from './password-card';
import { ProfileCard } from './profile-card';
import { SecondFactorCard } from './second-factor-card';
import { SessionsCard } from './sessions-card';
import styles from './settings.module.css';

export function SettingsPage() {
  const bringsKeys = useMay('own-keys');
  return (
    <Page title="Settings">
      <div className={styles.columns}>
        <div className={styles.column}>
          <ProfileCard />
          <PasswordCard />
          <SecondFactorCard />
          <PasskeysCard />
        </div>
        <div className={styles.column}>
          <ThemeCard />
          <SessionsCard />
          {bringsKeys && <OwnKeysCard />}
        </div>
      </div>
    </Page>
  );
}

function ThemeCard() {
  const theme = useTheme();
  return (
    <Card title="Appearance" hint="Kept in this browser.">
      <div>
        <Choice
          label="Theme"
          options={[
            ['system', 'As the system'],
            ['light', 'Light'],
            ['dark', 'Dark'],
          ]}
          value={theme}
          onChange={chooseTheme}
        />
      </div>
    </Card>
  );
}
