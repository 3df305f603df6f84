const largestBytes = 8_000_000;

/** @throws Error with words for a person, when the file is no image or too large. */
export async function toDataUrl(file: File): Promise<string> {
  if (!file.type.startsWith('image/')) throw new Error(`${file.name} is no image.`);
  if (file.size > largestBytes) throw new Error(`${file.name} is larger than 8 MB. Please choose a smaller image.`);
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}
