import { Card } from '../design/card';
import { Choice } from '../design/choice';
import { chooseTheme, useTheme } from '../design/theme';

export function ThemeCard() {
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
