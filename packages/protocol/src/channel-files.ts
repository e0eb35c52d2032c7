/** The files of a session's side channel that hooks write and a driver reads (decision 230). */

/** The folder, in the folder of the session. */
export const CHANNEL_FOLDER = 'channel';
/** The log of what the agent said: NDJSON, only appended. */
export const CHANNEL_LINES = 'lines';
/** The folder with one file for each answer, named by the request. */
export const CHANNEL_ANSWERS = 'answers';
