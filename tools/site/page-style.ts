/** How a page looks: light or dark as the reader's system is, wide tables in a frame of their own. */
export const pageStyle = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 2rem; margin: 0 auto; max-width: 78rem; padding: 1.5rem; }
nav ul { list-style: none; margin: 0; padding: 0; position: sticky; top: 1.5rem; }
nav li { margin: 0.3rem 0; }
nav [aria-current] { font-weight: 600; }
a { color: light-dark(#0b5cad, #7cb8ff); }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
code { background: light-dark(#f1f3f5, #24282d); border-radius: 4px; font-size: 0.88em; padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { background: light-dark(#f1f3f5, #1d2125); border-radius: 8px; overflow-x: auto; padding: 1rem; }
pre code { background: none; overflow-wrap: normal; padding: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.92rem; }
th, td { border-bottom: 1px solid light-dark(#d8dde3, #3a4047); padding: 0.4rem 0.7rem; text-align: left; vertical-align: top; }
img { height: auto; max-width: 100%; }
@media (max-width: 56rem) { body { display: block; } nav ul { position: static; } }
`;
