interface Choice {
  id: string;
  name: string;
  display: string;
}

/** Keys to choose from: of those that share a name, as after a rotation, each with how it begins and ends. */
export function keyChoices(keys: readonly Choice[]): { id: string; name: string }[] {
  const isShared = (name: string) => keys.filter((key) => key.name === name).length > 1;
  return keys.map(({ id, name, display }) => ({ id, name: isShared(name) ? `${name} (${display})` : name }));
}
