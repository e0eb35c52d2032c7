/**
 * Converts prompt ids to UUIDs: Claude accepts only UUIDs, but a client may use any word. The same word always gives the same UUID.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function uuidOf(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  const hex = [0, 1, 2, 3].map((seed) => hash(id, seed).toString(16).padStart(8, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Hashes with FNV-1a and a seed, because ids must differ, but need not resist an attacker. */
function hash(text: string, seed: number): number {
  let value = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return Math.imul(value ^ (value >>> 15), 0x85ebca6b) >>> 0;
}
