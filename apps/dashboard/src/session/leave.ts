import { signOut } from '../api/auth';
import { forgetOthers } from './stored';

/**
 * Signs out, and loads the page anew, so that nothing of whoever left stays in it, nor in this browser what
 * they said or looked for.
 */
export async function leave(): Promise<void> {
  await signOut();
  forgetOthers(null);
  location.assign('/');
}
