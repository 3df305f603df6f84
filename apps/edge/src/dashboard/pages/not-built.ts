/** What a browser is shown where the dashboard's files are missing. */
export const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tollgate</title>
<h1>Tollgate runs, without its dashboard</h1>
<p>The dashboard has not been built. <code>npx nx build dashboard</code> builds it; then load this page again.</p>
<p>The API works: <a href="/openapi.json">its description</a>.</p>
</html>
`;
