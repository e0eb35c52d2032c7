/** The settings of this browser: theme, type, bell, notifications, its token, and the versions. Keeps PAGE-41. */
import type { ClientIdentity } from '@spool/protocol';
import { useEffect, useState } from 'react';
import { askGateway, sentenceOf } from '../link/ask-gateway.ts';
import { forgetKey } from '../link/device-key.ts';
import { client } from '../link/daemon.ts';
import { PUSH_WORDS, usePush } from '../push/use-push.ts';
import { setLink } from '../sessions/store.ts';
import { Trouble } from '../start/fields.tsx';
import { chooseTheme, THEME_CHOICES, useTheme } from '../shell/theme.ts';
import { BELLS, changeSettings, FONT_SIZES_PX, type PageSettings, useSettings } from './settings.ts';

export function SettingsPage() {
  return (
    <div className="settings">
      <h1>Settings</h1>
      <Appearance />
      <Notifications />
      <ThisDevice />
    </div>
  );
}

const THEME_WORDS = { system: 'System', light: 'Light', dark: 'Dark' } as const;

function Appearance() {
  const choice = useTheme((now) => now.choice);
  const { fontPx, bell } = useSettings();
  return (
    <section aria-label="Appearance">
      <h2>Appearance</h2>
      <fieldset className="setting">
        <legend>Theme</legend>
        <span className="segments">
          {THEME_CHOICES.map((each) => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={each === choice}
              onClick={() => chooseTheme(each)}
            >
              {THEME_WORDS[each]}
            </button>
          ))}
        </span>
      </fieldset>
      <label className="setting">
        <span>Terminal font size</span>
        <select
          value={fontPx ?? ''}
          onChange={({ target }) => changeSettings({ fontPx: target.value === '' ? null : Number(target.value) })}
        >
          <option value="">fit width</option>
          {FONT_SIZES_PX.map((px) => (
            <option key={px} value={px}>
              {px} pixels
            </option>
          ))}
        </select>
      </label>
      <label className="setting">
        <span>Terminal bell</span>
        <select value={bell} onChange={({ target }) => changeSettings({ bell: target.value as PageSettings['bell'] })}>
          {Object.entries(BELLS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </section>
  );
}

function Notifications() {
  const { state, trouble, toggle } = usePush();
  return (
    <section aria-label="Notifications">
      <h2>Notifications</h2>
      <p role="status">{state === null ? '' : PUSH_WORDS[state]}</p>
      {(state === 'on' || state === 'off') && (
        <button type="button" className="button" onClick={toggle}>
          {state === 'on' ? 'Turn off' : 'Turn on'}
        </button>
      )}
      <Trouble text={trouble} />
    </section>
  );
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  viewer: 'may view',
  prompter: 'may view, answer questions and send prompts',
  operator: 'may view, answer, type, start and stop sessions',
  owner: 'may do everything, also share sessions',
};

function ThisDevice() {
  const [me, setMe] = useState<ClientIdentity | null>(null);
  const [version, setVersion] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    askGateway<ClientIdentity>('me').then(setMe, (error: unknown) => setTrouble(sentenceOf(error)));
    // Viewers may not see the status; the rest of the section is shown without it.
    client.status().then(
      (status) => setVersion(status.version),
      () => {},
    );
  }, []);
  const signOut = (): void => {
    askGateway('logout', { body: {} }).then(
      async () => {
        await forgetKey();
        setLink({ type: 'signed-out' });
      },
      (error: unknown) => setTrouble(sentenceOf(error)),
    );
  };
  return (
    <section aria-label="This device">
      <h2>This device</h2>
      {me !== null && (
        <dl>
          <dt>Token</dt>
          <dd dir="auto">{me.name}</dd>
          <dt>Role</dt>
          <dd>
            {me.role}: {ROLE_WORDS[me.role] ?? ''}
          </dd>
          <dt>Valid</dt>
          <dd>{me.expiresAt === null ? 'until it is revoked' : `until ${new Date(me.expiresAt).toLocaleString()}`}</dd>
          {version !== null && (
            <>
              <dt>Spool</dt>
              <dd>{version}</dd>
            </>
          )}
        </dl>
      )}
      <p className="quiet">
        <code>spool token ls</code> shows all tokens, and <code>spool token revoke</code> takes one back.
      </p>
      <button type="button" className="button" onClick={signOut}>
        Sign out
      </button>
      <Trouble text={trouble} />
    </section>
  );
}
