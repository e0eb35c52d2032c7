/** Uploads files that are pasted or dropped on a terminal into the session's folder, and pastes their paths. */
import { askGateway } from '../link/ask-gateway.ts';

/** The maximum size, the same as at the gateway. */
const UPLOAD_BYTES_MAX = 10 * 1024 * 1024;

export async function uploadFile(id: string, file: File): Promise<string> {
  if (file.size > UPLOAD_BYTES_MAX) throw new Error(`${file.name} is larger than 10 MiB.`);
  const base64 = await base64Of(file);
  const { path } = await askGateway<{ path: string }>(`sessions/${id}/uploads`, { body: { name: file.name, base64 } });
  return path;
}

/** Quotes a path so that a shell and an agent both read it. */
export function quotePath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^data:[^,]*,/, '')));
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
}
