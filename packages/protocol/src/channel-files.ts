/** The files of a session's side channel that hooks write and a driver reads (decisions 230 and 231). */

/** The folder, in the folder of the session. */
export const CHANNEL_FOLDER = 'channel';
/** The log of the agent's messages: NDJSON, only appended. */
export const CHANNEL_LINES = 'lines';
/** The folder with one file for each answer, named by the request. */
export const CHANNEL_ANSWERS = 'answers';
/** The file that names the chat file of an agent that has no hooks. */
export const CHANNEL_CHAT = 'chat.json';
/** The file that names the agent's server, for a driver that connects to it. */
export const CHANNEL_RELAY = 'relay.json';

/** The server of an agent in a terminal, as a driver reaches it. */
export type RelayTarget =
  | {
      readonly agent: 'codex';
      /** The unix socket of the server. */
      readonly socket: string;
      /** The path of a file that gets `R` when the server is ready, or the reason for its failure. */
      readonly outcome: string;
    }
  | {
      readonly agent: 'grok';
      readonly socket: string;
      readonly outcome: string;
      /** The program of the second client, and the variables that it needs. */
      readonly file: string;
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly agent: 'opencode';
      /** The port of the server, on the loopback. */
      readonly port: number;
      /** The password, which only the agent's environment has otherwise. */
      readonly password: string;
    };
