import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/tokens.css';
import './design/base.css';
import { App, queryClient } from './app/app';
import { takeEarlyMe } from './session/session';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');
takeEarlyMe(queryClient);
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
