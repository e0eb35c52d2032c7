/** The machine of a session, in a list of all machines: a session of a node has the id `NODE/ID` there, and one of this machine `ID`. */

export interface SessionPlace {
  /** The node; null means the machine of the client. */
  readonly node: string | null;
  readonly id: string;
}

export function placeOf(id: string): SessionPlace {
  const slash = id.indexOf('/');
  return slash === -1 ? { node: null, id } : { node: id.slice(0, slash), id: id.slice(slash + 1) };
}

/** Returns the id of a session in such a list. */
export function pageId(node: string | null | undefined, id: string): string {
  return node === null || node === undefined ? id : `${node}/${id}`;
}
