/**
 * Images for a prompt: from the clipboard, from a drop or from a file. An image that is too large for a message to the daemon is
 * made smaller here.
 */
import type { Content } from '@spool/protocol/agent';

export type PromptImagePart = Extract<Content, { readonly type: 'image' }> & { readonly data: string };

/** The formats that agents take. */
const MIMES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** The maximum length of all images of a prompt, as base64: a message to the daemon has at most a mebibyte. */
const DATA_CHARACTERS_MAX = 800_000;
/** The longest side of an image that is made smaller; models see no more. */
const SIDE_PX_MAX = 1568;
const QUALITIES = [0.9, 0.75, 0.6, 0.4] as const;

/** Returns the images among files; fails with a sentence for a file that is not an image, or cannot be made small enough. */
export async function imagesFrom(
  files: readonly File[],
  already: readonly PromptImagePart[],
): Promise<PromptImagePart[]> {
  const images: PromptImagePart[] = [];
  for (const file of files) {
    const used = [...already, ...images].reduce((sum, { data }) => sum + data.length, 0);
    images.push(await imageFrom(file, DATA_CHARACTERS_MAX - used));
  }
  return images;
}

async function imageFrom(file: File, room: number): Promise<PromptImagePart> {
  if (!MIMES.has(file.type)) throw new Error(`${file.name} is not a PNG, JPEG, GIF or WebP image.`);
  if ((file.size * 4) / 3 < room) return { type: 'image', mime: file.type, data: await base64Of(file) };
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_PX_MAX / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
    if (blob !== null && (blob.size * 4) / 3 < room)
      return { type: 'image', mime: 'image/jpeg', data: await base64Of(blob) };
  }
  throw new Error(`There is no room for ${file.name}: send it with the next prompt.`);
}

function base64Of(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^data:[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error('The image cannot be read.')));
    reader.readAsDataURL(blob);
  });
}
