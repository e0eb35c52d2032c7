/** Bytes as base64, in any runtime. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => DIGITS[(three >> shift) & 63]!).join('');
    text +=
      at + 2 < bytes.length ? digits : `${digits.slice(0, bytes.length - at + 1)}${'='.repeat(at + 3 - bytes.length)}`;
  }
  return text;
}
