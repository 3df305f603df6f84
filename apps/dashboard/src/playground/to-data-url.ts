const largestBytes = 8_000_000;

/** @throws Error with words for a person, when the file is of no type that is taken, or too large. */
export async function toDataUrl(file: File, types: readonly string[]): Promise<string> {
  if (!types.includes(file.type)) throw new Error(`${file.name} is no file that every model here takes.`);
  if (file.size > largestBytes) throw new Error(`${file.name} is larger than 8 MB. Please choose a smaller file.`);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
