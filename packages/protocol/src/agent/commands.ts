/** The commands that a client may send to an agent. The driver carries them out in the order of the events log. */

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mime: string; readonly data?: string; readonly uri?: string }
  | { readonly type: 'resource'; readonly uri: string; readonly mime?: string; readonly text?: string }
  | { readonly type: 'other'; readonly value: unknown };

export type Command =
  /**
   * `queue` (the default): after the running turn. `next`: before the other waiting prompts. `now`: into the running turn
   * (steer).
   */
  | {
      readonly do: 'prompt';
      readonly content: readonly Content[];
      readonly clientId: string;
      readonly when?: 'now' | 'next' | 'queue';
    }
  | { readonly do: 'editPrompt'; readonly clientId: string; readonly content: readonly Content[] }
  /** Moves a waiting prompt before another one, or to the end. */
  | { readonly do: 'movePrompt'; readonly clientId: string; readonly before?: string }
  | { readonly do: 'cancelPrompt'; readonly clientId: string }
  /**
   * Sends a waiting prompt into the running turn (steer). An agent that cannot do that refuses it: the prompt continues to wait.
   */
  | { readonly do: 'sendPrompt'; readonly clientId: string }
  | { readonly do: 'interrupt'; readonly alsoQueued?: boolean }
  /**
   * Answers a permission: by the id of an option, or by behaviour if only one option has it. `digest` is the digest of the
   * request that the author of the answer was shown: allowing without it, or with another one, is refused. `input` replaces the
   * input that was shown. `once` refuses an option that allows more than this one request.
   */
  | {
      readonly do: 'permission';
      readonly request: string;
      readonly digest?: string;
      readonly option?: string;
      readonly behavior?: 'allow' | 'deny';
      readonly input?: unknown;
      readonly message?: string;
      readonly interrupt?: boolean;
      readonly once?: boolean;
    }
  /** Answers a question; answers need the digest of the question. Without answers: declined. */
  | {
      readonly do: 'answer';
      readonly request: string;
      readonly digest?: string;
      readonly answers?: Readonly<Record<string, unknown>>;
    }
  | { readonly do: 'setMode'; readonly mode: string }
  | { readonly do: 'setModel'; readonly model: string }
  | { readonly do: 'slash'; readonly name: string; readonly args?: string; readonly clientId?: string }
  | { readonly do: 'toolOutput'; readonly tool: string }
  | { readonly do: 'background'; readonly tool?: string }
  | { readonly do: 'stopTask'; readonly task: string }
  | { readonly do: 'close' };
