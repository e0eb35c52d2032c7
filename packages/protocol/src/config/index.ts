/** `config.json`. A part of its own (`@spool/protocol/config`), because most programs do not read it. */
export * from './config.ts';
export { isQuiet, type QuietHours } from './quiet-hours.ts';
export { type NotifyAbout, type SettingKey, SETTING_KEYS, SETTINGS, type Settings } from './settings.ts';
