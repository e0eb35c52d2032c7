/** The answer of a server that accepts no client of ours; another attempt would get the same answer. */
export class ServerRefusal extends Error {}
