/** `config.json`. It has a separate entry point (`@spool/protocol/config`), because most programs do not read it. */
export * from './config.ts';
export { isQuiet, type QuietHours } from './quiet-hours.ts';
export { type NotifyAbout, type SettingKey, SETTING_KEYS, SETTINGS, type UserSettings } from './settings.ts';
