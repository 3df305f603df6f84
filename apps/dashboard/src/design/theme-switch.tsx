import { IconButton } from './button';
import { chooseTheme, useIsDark } from './theme';

/** From what is seen now to the other one. Settings have "as the system" too. */
export function ThemeSwitch() {
  const dark = useIsDark();
  return (
    <IconButton
      icon={dark ? 'sun' : 'moon'}
      label={dark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={() => chooseTheme(dark ? 'light' : 'dark')}
    />
  );
}
