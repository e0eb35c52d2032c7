/** The last word of a node whose gateway ends, in the frame of HTTP/2 that announces the end of a link. Keeps NODE-64. */

/** The words, and what they mean. Others are from another version, and mean nothing. */
const FAREWELLS: ReadonlyMap<string, string> = new Map([
  ['stopped', 'it was stopped there; `spool web` there starts it again'],
]);

export const STOPPED = Buffer.from('stopped');

/** Returns the reason in a farewell. */
export function farewellIn(data: Uint8Array | undefined): string | undefined {
  return data === undefined ? undefined : FAREWELLS.get(Buffer.from(data).toString('latin1'));
}
