import { lazyPage, type LazyPage } from './lazy-page';

/** Pages for everybody, without the frame of the dashboard. */
export const openPages: Record<string, LazyPage> = {
  '/': lazyPage(() => import('../landing/landing-page'), 'LandingPage'),
  '/docs/*': lazyPage(() => import('../docs/docs-page'), 'DocsPage'),
  '/sign-in': lazyPage(() => import('../session/sign-in-page'), 'SignInPage'),
  '/sign-up': lazyPage(() => import('../session/sign-up-page'), 'SignUpPage'),
  '/forgot': lazyPage(() => import('../session/forgot-page'), 'ForgotPage'),
  '/reset': lazyPage(() => import('../session/reset-page'), 'ResetPage'),
  '/join': lazyPage(() => import('../session/join-page'), 'JoinPage'),
  '/verify': lazyPage(() => import('../session/verify-page'), 'VerifyPage'),
  '/first-administrator': lazyPage(() => import('../session/first-administrator-page'), 'FirstAdministratorPage'),
};
