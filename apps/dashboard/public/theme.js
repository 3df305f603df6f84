// Runs before the first paint, so that a chosen theme never flashes.
try {
  const theme = localStorage.getItem('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is not allowed: the system's theme holds.
}
