/** Encodes bytes as base64, in any runtime. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  const whole = bytes.length - (bytes.length % 3);
  for (let at = 0; at < whole; at += 3) {
    const three = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    text += DIGITS[three >> 18]! + DIGITS[(three >> 12) & 63]! + DIGITS[(three >> 6) & 63]! + DIGITS[three & 63]!;
  }
  if (whole === bytes.length) return text;
  const last = (bytes[whole]! << 8) | (bytes[whole + 1] ?? 0);
  const third = whole + 1 < bytes.length ? DIGITS[(last << 2) & 63]! : '=';
  return `${text}${DIGITS[last >> 10]!}${DIGITS[(last >> 4) & 63]!}${third}=`;
}
