/** What a client may ask of an agent. The driver carries commands out in the order in which the events log took them. */

export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mime: string; readonly data?: string; readonly uri?: string }
  | { readonly type: 'resource'; readonly uri: string; readonly mime?: string; readonly text?: string }
  | { readonly type: 'other'; readonly value: unknown };

export type Command =
  /** `queue` (the default): after the running turn. `next`: before the others that wait. `now`: into the running turn (steer). */
  | {
      readonly do: 'prompt';
      readonly content: readonly Content[];
      readonly clientId: string;
      readonly when?: 'now' | 'next' | 'queue';
    }
  | { readonly do: 'editPrompt'; readonly clientId: string; readonly content: readonly Content[] }
  /** Moves a prompt that waits before another one, or to the end. */
  | { readonly do: 'movePrompt'; readonly clientId: string; readonly before?: string }
  | { readonly do: 'cancelPrompt'; readonly clientId: string }
  /** Sends a prompt that waits into the running turn (steer). Refused by an agent that cannot do that: it goes on waiting. */
  | { readonly do: 'sendPrompt'; readonly clientId: string }
  | { readonly do: 'interrupt'; readonly alsoQueued?: boolean }
  /** By the id of an option, or by behaviour. `rule` names the rule of the policy that answers instead of a person. */
  | {
      readonly do: 'permission';
      readonly request: string;
      readonly option?: string;
      readonly behavior?: 'allow' | 'deny';
      readonly input?: unknown;
      readonly message?: string;
      readonly interrupt?: boolean;
      readonly rule?: string;
    }
  /** Without answers: declined. */
  | { readonly do: 'answer'; readonly request: string; readonly answers?: Readonly<Record<string, unknown>> }
  | { readonly do: 'setMode'; readonly mode: string }
  | { readonly do: 'setModel'; readonly model: string }
  | { readonly do: 'slash'; readonly name: string; readonly args?: string; readonly clientId?: string }
  | { readonly do: 'toolOutput'; readonly tool: string }
  | { readonly do: 'background'; readonly tool?: string }
  | { readonly do: 'stopTask'; readonly task: string }
  | { readonly do: 'close' };
