import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { checkClock, ClockCheck, type ClockRecord, type Clocks } from './clock-check.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const NOW = Date.parse('2026-11-16T12:00:00Z');

/** A machine whose clock can be set, checked repeatedly. */
class Machine {
  wallMs = NOW;
  uptimeMs = DAY_MS;
  bootId = 'boot-1';
  #record: ClockRecord | null = null;

  pass(ms: number): this {
    this.wallMs += ms;
    this.uptimeMs += ms;
    return this;
  }

  reboot(offMs: number): this {
    this.bootId += '+';
    this.wallMs += offMs;
    this.uptimeMs = 1000;
    return this;
  }

  look(): boolean {
    const { wallMs, uptimeMs, bootId } = this satisfies Clocks;
    const { record, isTrusted } = checkClock(this.#record, { wallMs, uptimeMs, bootId });
    this.#record = record;
    return isTrusted;
  }
}

test('[LOG-9] a clock that goes on is trusted, over reboots and holidays too', () => {
  const machine = new Machine();
  expect(machine.look()).toBe(true);
  expect(machine.pass(40 * DAY_MS).look()).toBe(true);
  expect(machine.reboot(5000).look()).toBe(true);
  expect(machine.reboot(60 * DAY_MS).look()).toBe(true);
  expect(machine.pass(HOUR_MS).look()).toBe(true);
});

test('[LOG-9] a clock that was set ten years ahead for a moment is not trusted for a day, then or afterwards', () => {
  const machine = new Machine();
  machine.look();
  machine.wallMs += 10 * YEAR_MS;
  expect(machine.pass(1000).look()).toBe(false);
  expect(machine.pass(HOUR_MS).look()).toBe(false);
  machine.wallMs -= 10 * YEAR_MS;
  expect(machine.pass(HOUR_MS).look()).toBe(false);
  expect(machine.pass(23 * HOUR_MS).look()).toBe(false);
  expect(machine.pass(HOUR_MS).look()).toBe(true);
});

test('[LOG-9] a clock that stays ahead is believed after a day, and a reboot does not shorten that', () => {
  const machine = new Machine();
  machine.look();
  machine.wallMs += YEAR_MS;
  expect(machine.look()).toBe(false);
  expect(machine.pass(DAY_MS / 2).look()).toBe(false);
  expect(machine.reboot(DAY_MS).look()).toBe(false); // a machine that is off every night
  expect(machine.pass(DAY_MS / 2 - 2000).look()).toBe(false);
  expect(machine.pass(2000).look()).toBe(true);
});

test('[LOG-9] a boot with a clock years ahead is not trusted', () => {
  const machine = new Machine();
  machine.look();
  expect(machine.reboot(10 * YEAR_MS).look()).toBe(false);
  machine.wallMs -= 10 * YEAR_MS; // NTP corrected the time
  expect(machine.pass(60_000).look()).toBe(false);
  expect(machine.pass(DAY_MS).look()).toBe(true);
});

test('[LOG-9] what was seen is remembered for the next keeper; a damaged file is the first look', () => {
  const folder = mkdtempSync(`${tmpdir()}/spool-clock-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = `${folder}/clock.json`;
  expect(new ClockCheck(file).isTrusted()).toBe(true);
  const seen = JSON.parse(readFileSync(file, 'utf8')) as ClockRecord;
  writeFileSync(file, JSON.stringify({ ...seen, wallMs: seen.wallMs - YEAR_MS }));
  expect(new ClockCheck(file).isTrusted()).toBe(false);
  expect(new ClockCheck(file).isTrusted()).toBe(false);
  writeFileSync(file, '{');
  expect(new ClockCheck(file).isTrusted()).toBe(true);
});
