import { expect, test } from 'vitest';
import { gatewayAddress } from './address.ts';

test.each([
  ['https://host', 'https://host', 'wss://host/ws'],
  ['https://Host:8443/', 'https://host:8443', 'wss://host:8443/ws'],
  ['https://host/base/', 'https://host/base', 'wss://host/base/ws'],
  ['wss://host', 'https://host', 'wss://host/ws'],
  ['http://127.0.0.1:7733', 'http://127.0.0.1:7733', 'ws://127.0.0.1:7733/ws'],
  ['http://localhost:7733', 'http://localhost:7733', 'ws://localhost:7733/ws'],
  ['http://[::1]:7733/a/b', 'http://[::1]:7733/a/b', 'ws://[::1]:7733/a/b/ws'],
])('%s leads to the WebSocket below it', (text, url, socketUrl) => {
  expect(gatewayAddress(text)).toEqual({ url, socketUrl, askUrl: `${url}/api/sessions` });
});

test.each([
  'http://host',
  'ws://host:7733',
  'http://127.0.0.1.evil.org',
  'http://localhost.evil.org',
  'http://10.0.0.1:7733',
])('[REM-4] %s would send the token in plain text', (text) => {
  expect(() => gatewayAddress(text)).toThrow(/unencrypted/);
});

test.each([
  ['', /use https/],
  ['host', /use https/],
  ['host:7733', /use https/],
  ['ftp://host', /use https/],
  ['https://', /use https/],
  ['https://ada:geheim@host', /password/],
  ['https://host/#code=geheim', /for a browser/],
  ['https://host/?token=geheim', /for a browser/],
])('%j is refused with a reason, and without a secret that is in it', (text, reason) => {
  expect(() => gatewayAddress(text)).toThrow(reason);
  expect(() => gatewayAddress(text)).not.toThrow(/geheim/);
});
