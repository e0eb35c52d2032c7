/** Joins two pieces, without Node's Buffer: this package also runs in browsers. */
export function concat(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}
