/** Spool for agents: an MCP server over standard input and output. */
export { serve, type ServeOptions } from './serve.ts';
